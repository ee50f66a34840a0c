const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Reads over a value, or over the rest of a list, and counts: looks at brackets, commas and texts alone. None of these is a part of a
 * longer character in UTF-8, so bytes need not be decoded for it, and what is left out costs no memory.
 */
export class Skipped {
  /** Commas between what is left out: one less than there are items. */
  commas = 0;
  #depth: number;
  #inText = false;
  #isEscaped = false;
  #over = false;

  /** Begins after the first bracket of a value; with `inList`, what ends it is the end of the list around. */
  constructor({ inList }: { inList: boolean }) {
    this.#depth = inList ? 2 : 1;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Answers how far it came: to the end of what is given, or past the last bracket. */
  readText(text: string, from: number): number {
    let at = from;
    while (at < text.length && !this.#over) this.#read(text.charCodeAt(at++));
    return at;
  }

  readBytes(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && !this.#over) this.#read(bytes[at++] ?? 0);
    return at;
  }

  #read(code: number): void {
    if (this.#inText) this.#readInText(code);
    else if (code === quote) this.#inText = true;
    else if (code === openObject || code === openList) this.#depth += 1;
    else if (code === closeObject || code === closeList) {
      this.#depth -= 1;
      this.#over = this.#depth === 0;
    } else if (code === comma && this.#depth === 1) this.commas += 1;
  }

  #readInText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === backslash) this.#isEscaped = true;
    else if (code === quote) this.#inText = false;
  }
}

/** Whether more than so many brackets are open at once in a text that may be JSON. */
export function isDeeperThan(text: string, levels: number): boolean {
  // Every level has a bracket at both ends.
  if (text.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if (code === openObject || code === openList) {
      depth += 1;
      if (depth > levels) return true;
    } else if (code === closeObject || code === closeList) depth -= 1;
  }
  return false;
}

/** Finds the closing quote of the text that begins here, or the end. */
function endOfText(text: string, from: number): number {
  let at = from + 1;
  for (let code = text.charCodeAt(at); at < text.length && code !== quote; code = text.charCodeAt(at))
    at += code === backslash ? 2 : 1;
  return at;
}
