import type { CatalogQuestion } from '../../../guard/read-statement.ts';

/**
 * What the server says of itself, asked once for all calls of a database. A call that finds another one asking waits for that
 * answer; when that one fails or is cancelled, it asks by itself.
 */
export class SharedLoad<T> {
  readonly #open: (run: CatalogQuestion) => Promise<T>;
  #loading: Promise<T> | undefined;

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
    return await own.catch((error: unknown) => {
      this.#drop(own);
      throw error;
    });
  }

  /** The next call asks anew; those that wait get what they waited for. */
  forget(): void {
    this.#loading = undefined;
  }

  #drop(loading: Promise<T>): void {
    if (this.#loading === loading) this.#loading = undefined;
  }
}
