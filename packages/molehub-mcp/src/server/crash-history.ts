const windowMs = 60_000;
const maxCrashes = 5;
const firstWaitMs = 250;

/** When a server may be started again after it has ended by itself. */
export class CrashHistory {
  readonly #now: () => number;
  #crashes: number[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add(): void {
    this.#crashes = [...this.#recent(), this.#now()];
  }

  /** A person or a model asked for a new beginning. */
  clear(): void {
    this.#crashes = [];
  }

  get count(): number {
    return this.#recent().length;
  }

  /** It ended too often to be started by a call. */
  get isHeld(): boolean {
    return this.count >= maxCrashes;
  }

  /** Milliseconds from now: none after the first, then a quarter of a second, and twice as long each time. */
  get waitMs(): number {
    const recent = this.#recent();
    const last = recent.at(-1);
    if (last === undefined || recent.length < 2) return 0;
    return Math.max(0, last + firstWaitMs * 2 ** (recent.length - 2) - this.#now());
  }

  #recent(): number[] {
    return this.#crashes.filter((at) => this.#now() - at < windowMs);
  }
}
