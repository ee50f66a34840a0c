import { randomUUID } from 'node:crypto';
import { RawNumber } from '@dbmole/core';
import { JsonStreamError, maxDepth, nestingError } from './json-scalars.ts';
import { isDeeperThan } from './json-skip.ts';
import { JsonStream } from './json-stream.ts';

/** Sixteen digits, or an exponent of three, are the least that a JavaScript number may not hold. Also hits texts; no matter. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * The value of a JSON text, with every digit of its numbers: one that JavaScript would change is a `RawNumber`. Throws
 * `JsonStreamError` when the text is not JSON, or is nested too deeply.
 */
export function parseExact(text: string): unknown {
  if (isDeeperThan(text, maxDepth)) throw nestingError();
  if (suspicious.test(text)) return readExact(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonStreamError('it is not JSON');
    throw error;
  }
}

/** No text of a caller's begins so. */
const mark = randomUUID();

/** JSON with every digit of its `RawNumber`s, which are numbers in it and not texts. */
export function formatExact(value: object): string {
  const text = JSON.stringify(value, (_, one: unknown) => (one instanceof RawNumber ? `${mark}${one.text}` : one));
  const [head = '', ...parts] = text.split(`"${mark}`);
  return head + parts.map((part) => part.replace('"', '')).join('');
}

/** All of it: the text itself is in memory already. */
function readExact(text: string): unknown {
  const stream = new JsonStream({ string: Infinity, list: Infinity, total: Infinity });
  stream.push(text);
  return stream.end();
}
