import { Failure, onAbort } from '@dbmole/core';

interface Waiter {
  admit(): void;
  refuse(reason: unknown): void;
}

interface CallSlotsOptions {
  size: number;
  /** How long a call waits for a free slot. */
  waitMs: number;
}

/** How many calls may run at once; the others wait in the order they came, for a limited time. */
export class CallSlots {
  readonly #size: number;
  readonly #waitMs: number;
  readonly #waiting = new Set<Waiter>();
  #running = 0;
  #held = 0;

  constructor({ size, waitMs }: CallSlotsOptions) {
    this.#size = size;
    this.#waitMs = waitMs;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Every `take` that resolved owes one `free`. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running < this.#size) this.#running += 1;
    else await this.#wait(signal);
  }

  free(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#running > this.#size) this.#running -= 1;
    else next.admit();
  }

  /** Takes one more slot, also beyond the size, for a statement that may still be running in the server. */
  hold(until: Promise<void>): void {
    this.#running += 1;
    this.#held += 1;
    void until.then(() => {
      this.#held -= 1;
      this.free();
    });
  }

  refuseWaiting(reason: unknown): void {
    for (const waiter of this.#waiting) waiter.refuse(reason);
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      let stop: (() => void) | undefined;
      const leave = () => {
        clearTimeout(timer);
        stop?.();
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        admit: () => {
          leave();
          resolve();
        },
        refuse: (reason) => {
          leave();
          reject(reason);
        },
      };
      const since = performance.now();
      const busy = () => this.#busy(Math.round(performance.now() - since));
      // A timeout message would blame a statement that never ran.
      const timer = setTimeout(() => waiter.refuse(busy()), this.#waitMs);
      this.#waiting.add(waiter);
      stop = onAbort(signal, () => waiter.refuse(isTimeout(signal.reason) ? busy() : signal.reason));
    });
  }

  #busy(waitedMs: number): Failure {
    const held = this.#held === 0 ? '' : ` (given up, but possibly still running in the database: ${this.#held})`;
    const sessions =
      this.#running === 1 ? 'the only session of this connection is' : `all ${this.#running} sessions of this connection are`;
    const message = `${sessions} busy${held}, and none became free within ${waitedMs} ms; nothing was run`;
    return new Failure('limit', message, {
      code: 'E_POOL_BUSY',
      hint: 'Retry when a call has ended, or cancel one.',
    });
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Failure && reason.kind === 'timeout';
}
