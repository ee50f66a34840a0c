const quoteOrBackslash = /["\\]/g;
const bracket = /["{}[\]]/g;

/** Where the next of them is, or the end. */
export function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length;
}

/** Reads over one list or object, of which the first bracket is behind us: looks at brackets and texts alone. */
export class SkippedValue {
  #depth = 1;
  #inText = false;

  get over(): boolean {
    return this.#depth === 0;
  }

  /** Answers how far it came. */
  read(text: string, from: number): number {
    let at = from;
    while (at < text.length && !this.over) {
      const next = this.#inText ? this.#readText(text, at) : this.#readBrackets(text, at);
      if (next === at) break;
      at = next;
    }
    return at;
  }

  #readText(text: string, from: number): number {
    const at = nextOf(quoteOrBackslash, text, from);
    if (text[at] === '"') {
      this.#inText = false;
      return at + 1;
    }
    if (at >= text.length) return text.length;
    // The letter behind a backslash may be in the next piece.
    return at + 2 <= text.length ? at + 2 : at;
  }

  #readBrackets(text: string, from: number): number {
    const at = nextOf(bracket, text, from);
    if (at >= text.length) return text.length;
    const letter = text[at];
    if (letter === '"') this.#inText = true;
    else this.#depth += letter === '{' || letter === '[' ? 1 : -1;
    return at + 1;
  }
}
