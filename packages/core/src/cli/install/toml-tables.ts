import { type Fields, isFields } from '../../registry/tree.ts';

/**
 * The tables of a TOML text, as far as entries of servers need it: strings, numbers, booleans, lists and inline tables. A value in any
 * other form is left out, and so is what follows it up to the next line that can be read.
 */
export function parseTomlTables(text: string): Fields {
  const root: Fields = {};
  let table: Fields | undefined = root;
  const reader = new TomlReader(text);
  while (!reader.isDone) {
    reader.skipBlank();
    if (reader.isDone) break;
    const head = reader.readHead();
    if (head !== undefined) {
      table = head.isList ? undefined : openTable(root, head.path);
      continue;
    }
    const pair = reader.readPair();
    if (pair === undefined) reader.skipLine();
    else if (table !== undefined) setAt(table, pair.path, pair.value);
  }
  return root;
}

function openTable(root: Fields, path: readonly string[]): Fields | undefined {
  let table = root;
  for (const key of path) {
    const next = Object.hasOwn(table, key) ? table[key] : {};
    if (!isFields(next) || key === '__proto__') return undefined;
    table[key] = next;
    table = next;
  }
  return table;
}

function setAt(table: Fields, path: readonly string[], value: unknown): void {
  const [last = ''] = path.slice(-1);
  const parent = openTable(table, path.slice(0, -1));
  if (parent !== undefined && last !== '__proto__') parent[last] = value;
}

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' };

class TomlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Blanks, ends of lines and comments. */
  skipBlank(): void {
    while (this.#take(/\s+/y) !== undefined || this.#take(/#[^\n]*/y) !== undefined);
  }

  skipLine(): void {
    this.#take(/[^\n]*\n?/y);
  }

  readHead(): { path: string[]; isList: boolean } | undefined {
    const start = this.#at;
    const open = this.#take(/\[\[?/y);
    if (open === undefined) return undefined;
    const path = this.#readPath();
    if (path !== undefined && this.#take(/[ \t]*\]\]?/y) !== undefined) return { path, isList: open === '[[' };
    this.#at = start;
    return undefined;
  }

  readPair(): { path: string[]; value: unknown } | undefined {
    const path = this.#readPath();
    if (path === undefined || this.#take(/[ \t]*=[ \t]*/y) === undefined) return undefined;
    const value = this.#readValue();
    return value === undefined ? undefined : { path, value };
  }

  #readPath(): string[] | undefined {
    const path: string[] = [];
    do {
      this.#take(/[ \t]*/y);
      const key = this.#take(/[\w-]+/y) ?? this.#readText();
      if (key === undefined) return undefined;
      path.push(key);
    } while (this.#take(/[ \t]*\./y) !== undefined);
    return path;
  }

  #readValue(): unknown {
    const text = this.#readText();
    if (text !== undefined) return text;
    if (this.#take(/\[/y) !== undefined) return this.#readList();
    if (this.#take(/\{/y) !== undefined) return this.#readInline();
    const word = this.#take(/true|false|[+-]?\d[\d_]*(?:\.\d+)?/y);
    if (word === 'true' || word === 'false') return word === 'true';
    return word === undefined ? undefined : Number(word.replaceAll('_', ''));
  }

  #readText(): string | undefined {
    const long = this.#take(/'''[\s\S]*?'''|"""(?:\\[\s\S]|[^\\])*?"""/y);
    if (long !== undefined)
      return long.startsWith("'") ? long.slice(3, -3).replace(/^\r?\n/, '') : decodeEscapes(long.slice(3, -3));
    const plain = this.#take(/'[^'\n]*'|"(?:\\.|[^"\\\n])*"/y);
    if (plain === undefined) return undefined;
    return plain.startsWith("'") ? plain.slice(1, -1) : decodeEscapes(plain.slice(1, -1));
  }

  #readList(): unknown[] | undefined {
    const list: unknown[] = [];
    for (;;) {
      this.skipBlank();
      if (this.#take(/\]/y) !== undefined) return list;
      const value = this.#readValue();
      if (value === undefined) return undefined;
      list.push(value);
      this.skipBlank();
      this.#take(/,/y);
    }
  }

  #readInline(): Fields | undefined {
    const table: Fields = {};
    for (;;) {
      this.skipBlank();
      if (this.#take(/\}/y) !== undefined) return table;
      const pair = this.readPair();
      if (pair === undefined) return undefined;
      setAt(table, pair.path, pair.value);
      this.skipBlank();
      this.#take(/,/y);
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found;
  }
}

function decodeEscapes(text: string): string {
  return text
    .replace(/^\r?\n/, '')
    .replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g, (whole, short, long, letter: string | undefined) => {
      if (letter !== undefined) return escapes[letter] ?? whole;
      const code = Number.parseInt(String(short ?? long), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}
