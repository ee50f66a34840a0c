import { RawNumber } from '@dbmole/core';

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
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const digits = all.slice(0, end).replace(/^0+/, '');
  return digits === '' ? { digits, exponent: 0 } : { digits, exponent: Number(exponent) - fraction.length + all.length - end };
}

/** Both texts have the same sign: one was made of the other. */
function isSame(a: Digits, b: Digits): boolean {
  return a.digits === b.digits && a.exponent === b.exponent;
}
