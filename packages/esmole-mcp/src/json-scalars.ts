import { exactNumber } from './json-digits.ts';

/** A text that is not JSON, or not the JSON that a cluster would write. */
export class JsonStreamError extends Error {}

/** How many lists and objects may be inside each other. Whatever walks a value that was read may call itself. */
export const deepest = 1_000;

export function nestingError(): JsonStreamError {
  return new JsonStreamError(`it is nested more than ${deepest} levels deep`);
}

const letters: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** What an escape in a text, from its backslash on, stands for. */
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
export function scalarOf(word: string): unknown {
  const known = words.get(word);
  if (known !== undefined) return known;
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) throw new JsonStreamError('a word is no value');
  return exactNumber(word);
}
