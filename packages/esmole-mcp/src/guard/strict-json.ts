import { Failure } from '@dbmole/core';

/** A body that is checked has to be the body that is understood: no comments, no key twice, nothing after the end. */
const deepest = 300;

interface Reader {
  readonly text: string;
  at: number;
}

/**
 * The value of a JSON text, for looking at only: numbers come as their digits. Stricter than clusters are, so that there is no text
 * which we and they read in different ways. Throws `E_BODY`.
 */
export function parseStrict(text: string): unknown {
  const reader = { text, at: 0 };
  const value = readValue(reader, 0);
  if (reader.at < text.length) throw bodyFailure(reader, 'something follows after the end');
  return value;
}

export function bodyFailure({ text, at }: Reader, what: string): Failure {
  const place = text === '' ? '' : ` at character ${at + 1}`;
  return new Failure('input', `the body is no plain JSON: ${what}${place}`, {
    code: 'E_BODY',
    hint: 'Send an object, or JSON without comments and with each key once.',
  });
}

function readValue(reader: Reader, depth: number): unknown {
  if (depth > deepest) throw bodyFailure(reader, `it is nested more than ${deepest} deep`);
  skipSpace(reader);
  const value = readSomething(reader, depth);
  skipSpace(reader);
  return value;
}

function readSomething(reader: Reader, depth: number): unknown {
  if (take(reader, /\{/y) !== undefined) return readObject(reader, depth);
  if (take(reader, /\[/y) !== undefined) return readArray(reader, depth);
  if (reader.text[reader.at] === '"') return readString(reader);
  const word = take(reader, /true|false|null/y);
  if (word !== undefined) return JSON.parse(word);
  const digits = take(reader, /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
  if (digits === undefined) throw bodyFailure(reader, 'a value is missing');
  return digits;
}

function readObject(reader: Reader, depth: number): unknown {
  const entries = new Map<string, unknown>();
  skipSpace(reader);
  if (take(reader, /\}/y) !== undefined) return {};
  do {
    skipSpace(reader);
    const key = readString(reader);
    if (entries.has(key)) throw bodyFailure(reader, `the key ${JSON.stringify(key)} is there twice`);
    skipSpace(reader);
    if (take(reader, /:/y) === undefined) throw bodyFailure(reader, 'a colon is missing');
    entries.set(key, readValue(reader, depth + 1));
  } while (take(reader, /,/y) !== undefined);
  if (take(reader, /\}/y) === undefined) throw bodyFailure(reader, 'a } is missing');
  return Object.fromEntries(entries);
}

function readArray(reader: Reader, depth: number): unknown[] {
  const items: unknown[] = [];
  skipSpace(reader);
  if (take(reader, /\]/y) !== undefined) return items;
  do items.push(readValue(reader, depth + 1));
  while (take(reader, /,/y) !== undefined);
  if (take(reader, /\]/y) === undefined) throw bodyFailure(reader, 'a ] is missing');
  return items;
}

/** By hand: a pattern would keep a step for each character of a text that may be long. */
function readString(reader: Reader): string {
  const { text, at } = reader;
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  try {
    const value: unknown = JSON.parse(text.slice(at, end + 1));
    reader.at = end + 1;
    if (typeof value === 'string') return value;
  } catch {
    // It says what is missing, as below.
  }
  throw bodyFailure({ text, at }, 'a text in double quotes is missing, or not ended');
}

function skipSpace(reader: Reader): void {
  take(reader, /[ \t\r\n]+/y);
}

/** What the sticky pattern finds here; the reader moves behind it. */
function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const [found] = pattern.exec(reader.text) ?? [];
  if (found !== undefined) reader.at = pattern.lastIndex;
  return found;
}
