import { Failure } from '@dbmole/core';

/** A body that is checked has to be the body that is understood: no comments, no key twice, nothing after the end. */
const maxDepth = 300;

/**
 * The value of a JSON text, for looking at only: numbers come as their digits. Stricter than clusters are, so that there is no text
 * which we and they read in different ways. Throws `E_BODY`.
 */
export function parseStrict(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.readValue(0);
  if (reader.at < text.length) throw bodyFailure(reader, 'unexpected text after the end');
  return value;
}

function bodyFailure({ text, at }: Pick<Reader, 'text' | 'at'>, what: string): Failure {
  const place = text === '' ? '' : ` at character ${at + 1}`;
  return new Failure('input', `the body is not plain JSON: ${what}${place}`, {
    code: 'E_BODY',
    hint: 'Send an object, or JSON without comments and with each key once.',
  });
}

const words: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readValue(depth: number): unknown {
    if (depth > maxDepth) throw bodyFailure(this, `it is nested more than ${maxDepth} levels deep`);
    this.#skipSpace();
    const value = this.#readSomething(depth);
    this.#skipSpace();
    return value;
  }

  #readSomething(depth: number): unknown {
    const char = this.text[this.at];
    if (char === '{') return this.#readObject(depth);
    if (char === '[') return this.#readArray(depth);
    return char === '"' ? this.#readString() : this.#readWord();
  }

  #readObject(depth: number): unknown {
    this.at++;
    const entries = new Map<string, unknown>();
    this.#skipSpace();
    if (this.#take('}')) return {};
    do {
      this.#skipSpace();
      const key = this.#readString();
      if (entries.has(key)) throw bodyFailure(this, `the key ${JSON.stringify(key.slice(0, 64))} is repeated`);
      this.#skipSpace();
      if (!this.#take(':')) throw bodyFailure(this, 'a colon is missing');
      entries.set(key, this.readValue(depth + 1));
    } while (this.#take(','));
    if (!this.#take('}')) throw bodyFailure(this, 'a } is missing');
    return Object.fromEntries(entries);
  }

  #readArray(depth: number): unknown[] {
    this.at++;
    const items: unknown[] = [];
    this.#skipSpace();
    if (this.#take(']')) return items;
    do items.push(this.readValue(depth + 1));
    while (this.#take(','));
    if (!this.#take(']')) throw bodyFailure(this, 'a ] is missing');
    return items;
  }

  /** This is written by hand: a regular expression would keep a step for each character of a text that may be long. */
  #readString(): string {
    const { text, at } = this;
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    try {
      const value: unknown = JSON.parse(text.slice(at, end + 1));
      this.at = end + 1;
      if (typeof value === 'string') return value;
    } catch {
      // It says what is missing, as below.
    }
    throw bodyFailure({ text, at }, 'expected a text in double quotes');
  }

  #readWord(): unknown {
    const found = words.find(([word]) => this.text.startsWith(word, this.at));
    if (found !== undefined) {
      this.at += found[0].length;
      return found[1];
    }
    number.lastIndex = this.at;
    const [digits] = number.exec(this.text) ?? [];
    if (digits === undefined) throw bodyFailure(this, 'a value is missing');
    this.at += digits.length;
    return digits;
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.text[this.at] ?? '.')) this.at++;
  }

  #take(mark: string): boolean {
    if (this.text[this.at] !== mark) return false;
    this.at++;
    return true;
  }
}
