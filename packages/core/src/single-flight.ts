import { formatAbort, onAbort } from './abort.ts';
import type { Failure } from './failure.ts';

interface SharedOpenSteps<T, Share> {
  /** Does the work. The signal is aborted when the last caller gives up. */
  open(signal: AbortSignal): Promise<T>;
  /** What one caller gets. All shares are made at once, before anything else can happen to the result. */
  share(result: T): Share;
  /** Runs after the sharing. If `wanted` is false, every caller has left, and the result is to be disposed. */
  onOpened(result: T, wanted: boolean): void;
  /** No caller can join any more: the work succeeded, failed or was given up. */
  onOver(): void;
}

interface Waiter<Share> {
  resolve(share: Share): void;
  reject(error: unknown): void;
}

/**
 * Slow work that several callers wait for. Each waits as long as its own signal allows; the work goes on for the others
 * and is aborted when the last one has left.
 */
export class SharedOpen<T, Share> {
  /** Resolves, and never rejects, when the work is over, which may be long after it was given up. */
  readonly settled: Promise<void>;
  readonly #steps: SharedOpenSteps<T, Share>;
  readonly #controller = new AbortController();
  readonly #waiters = new Set<Waiter<Share>>();

  constructor(steps: SharedOpenSteps<T, Share>) {
    this.#steps = steps;
    this.settled = this.#run();
  }

  join(signal: AbortSignal): Promise<Share> {
    return new Promise((resolve, reject) => {
      let stop: (() => void) | undefined;
      const leave = () => {
        this.#waiters.delete(waiter);
        stop?.();
      };
      const waiter: Waiter<Share> = {
        resolve(share) {
          leave();
          resolve(share);
        },
        reject(error) {
          leave();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      stop = onAbort(signal, () => {
        waiter.reject(formatAbort(signal));
        if (this.#waiters.size === 0) this.giveUp(formatAbort(signal));
      });
    });
  }

  /** Rejects every caller and aborts the work. */
  giveUp(reason: Failure): void {
    if (this.#controller.signal.aborted) return;
    this.#steps.onOver();
    this.#controller.abort(reason);
    this.#rejectAll(reason);
  }

  async #run(): Promise<void> {
    const { signal } = this.#controller;
    try {
      const result = await this.#steps.open(signal);
      if (!signal.aborted) this.#steps.onOver();
      for (const waiter of [...this.#waiters]) waiter.resolve(this.#steps.share(result));
      this.#steps.onOpened(result, !signal.aborted);
    } catch (error) {
      if (!signal.aborted) this.#steps.onOver();
      this.#rejectAll(error);
    }
  }

  #rejectAll(error: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.reject(error);
  }
}
