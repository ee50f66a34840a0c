const maxEntries = 50;
const maxLength = 10_000;

/** What is known of a few recent texts that are not long. A caller that reads on in a long result sends the same text again. */
export class BoundedCache<T> {
  readonly #known = new Map<string, T>();

  get(text: string): T | undefined {
    return this.#known.get(text);
  }

  add(text: string, value: T): T {
    if (text.length > maxLength) return value;
    if (this.#known.size >= maxEntries) this.#known.clear();
    this.#known.set(text, value);
    return value;
  }
}
