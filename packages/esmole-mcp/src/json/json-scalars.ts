import { RawNumber } from '@dbmole/core';

/** A text that is not JSON, or not the JSON that a cluster would write. */
export class JsonStreamError extends Error {}

/** The maximum nesting of lists and objects. It is low enough for recursive functions. */
export const maxDepth = 1_000;

export function nestingError(): JsonStreamError {
  return new JsonStreamError(`it is nested more than ${maxDepth} levels deep`);
}

const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Decodes an escape, which begins with its backslash. */
export function unescapeText(code: string): string {
  const letter = code[1] ?? '';
  if (letter === 'u') return String.fromCharCode(Number.parseInt(code.slice(2), 16));
  if (!'"\\/bfnrt'.includes(letter)) throw new JsonStreamError('a text has an unknown escape');
  return letters[letter] ?? letter;
}

const words = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** A number, true, false or null. */
export function readScalar(word: string): unknown {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) throw new JsonStreamError('unexpected word');
  return exactNumber(word);
}

/** A key may be one that means something to objects. */
export function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  else holder[key] = value;
}

/** A number as JavaScript has it, if that loses nothing. */
function exactNumber(text: string): number | RawNumber {
  const value = Number(text);
  // Most numbers by far; -0 is not one of them.
  if (/^-?[1-9]\d{0,14}$|^0$/.test(text)) return value;
  return isSame(normalizeDigits(text), normalizeDigits(String(value))) ? value : new RawNumber(text);
}

interface Digits {
  /** The digits without zeros at both ends. */
  digits: string;
  /** The exponent of the last digit. */
  exponent: number;
}

function normalizeDigits(text: string): Digits {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const digits = all.slice(0, end).replace(/^0+/, '');
  return digits === '' ? { digits, exponent: 0 } : { digits, exponent: Number(exponent) - fraction.length + all.length - end };
}

/** Both texts have the same sign: one was made of the other. */
function isSame(a: Digits, b: Digits): boolean {
  return a.digits === b.digits && a.exponent === b.exponent;
}
