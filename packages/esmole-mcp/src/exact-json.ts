import { JsonStreamError } from './json-scalars.ts';
import { JsonStream } from './json-stream.ts';

/** Sixteen digits, or an exponent of three, are the least that a JavaScript number may not hold. Also hits texts; no matter. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * The value of a JSON text, with every digit of its numbers: one that JavaScript would change is a `RawNumber`. Undefined when the
 * text is not JSON.
 */
export function parseExact(text: string): unknown {
  try {
    return suspicious.test(text) ? readExact(text) : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonStreamError) return undefined;
    throw error;
  }
}

/** All of it: the text itself is in memory already. */
function readExact(text: string): unknown {
  const stream = new JsonStream({ string: Infinity, list: Infinity, total: Infinity });
  stream.push(text);
  return stream.end();
}
