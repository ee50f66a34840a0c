const turnMs = 5;

/** Bounds how long one piece of work keeps the event loop: in between, other calls are answered. */
export class Turns {
  #start = performance.now();

  /** Await this between two steps, each of which takes a few milliseconds at most. Undefined while there is time left. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#start < turnMs ? undefined : this.#yield();
  }

  async #yield(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#start = performance.now();
  }
}
