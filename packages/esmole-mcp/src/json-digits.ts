import { RawNumber } from '@dbmole/core';

/** Sixteen digits, or an exponent of three, are the least that a JavaScript number may not hold. Also hits texts; no matter. */
const suspicious = /[\d.]{16}|\d[eE][+-]?\d{3}/;

/**
 * The value of a JSON text, with every digit of its numbers: one that JavaScript would change is a `RawNumber`. Undefined when the
 * text is not JSON.
 */
export async function parseExact(text: string): Promise<unknown> {
  try {
    if (!suspicious.test(text)) return JSON.parse(text);
    const { parse } = await import('lossless-json');
    return parse(text, undefined, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue });
  } catch (error) {
    // A RangeError is a text that is nested deeper than the parser's stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A number as JavaScript has it, if that loses nothing. */
export function exactNumber(text: string): number | RawNumber {
  const value = Number(text);
  // Most numbers by far; -0 is none of them.
  if (/^-?[1-9]\d{0,14}$|^0$/.test(text)) return value;
  return isSame(digitsOf(text), digitsOf(String(value))) ? value : new RawNumber(text);
}

interface Digits {
  /** Without zeros at both ends. */
  digits: string;
  /** Of the last digit. */
  exponent: number;
}

function digitsOf(text: string): Digits {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '').replace(/0+$/, '');
  if (digits === '') return { digits, exponent: 0 };
  const zeros = all.length - all.replace(/0+$/, '').length;
  return { digits, exponent: Number(exponent) - fraction.length + zeros };
}

/** Both texts have the same sign: one was made of the other. */
function isSame(a: Digits, b: Digits): boolean {
  return a.digits === b.digits && a.exponent === b.exponent;
}
