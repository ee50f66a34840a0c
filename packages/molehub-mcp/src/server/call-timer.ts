/** A time limit that waits while a person is asked. */
export class CallTimer {
  readonly #onExpire: () => void;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(ms: number, onExpire: () => void) {
    this.#leftMs = ms;
    this.#onExpire = onExpire;
    this.#start();
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    clearTimeout(this.#timer);
    this.#leftMs -= Date.now() - this.#startedAt;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  #start(): void {
    this.#startedAt = Date.now();
    this.#timer = setTimeout(this.#onExpire, Math.max(0, this.#leftMs));
  }
}
