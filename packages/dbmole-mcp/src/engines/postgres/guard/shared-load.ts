import type { CatalogQuestion } from '../../../guard/read-statement.ts';

/**
 * Loads a value once for all calls of a database. A call that finds a load in progress waits for it, and starts its own if that one
 * fails or is cancelled.
 */
export class SharedLoad<T> {
  readonly #open: (run: CatalogQuestion) => Promise<T>;
  #loading: Promise<T> | undefined;
  #loaded: T | undefined;

  constructor(open: (run: CatalogQuestion) => Promise<T>) {
    this.#open = open;
  }

  async get(run: CatalogQuestion): Promise<T> {
    while (this.#loading !== undefined) {
      const others = this.#loading;
      const settled = await others.then((value) => ({ value })).catch(() => undefined);
      if (settled !== undefined) return settled.value;
      this.#drop(others);
    }
    const own = this.#open(run);
    this.#loading = own;
    try {
      const loaded = await own;
      if (this.#loading === own) this.#loaded = loaded;
      return loaded;
    } catch (error) {
      this.#drop(own);
      throw error;
    }
  }

  /** The next call loads again; waiting calls get the value that they wait for. With a value: only if that value is still the current one. */
  forget(loaded?: T): void {
    if (loaded !== undefined && loaded !== this.#loaded) return;
    this.#loading = undefined;
    this.#loaded = undefined;
  }

  #drop(loading: Promise<T>): void {
    if (this.#loading === loading) this.#loading = undefined;
  }
}
