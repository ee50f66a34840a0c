import { notPlaceable } from '../refuse.ts';

interface ScannedNumber {
  end: number;
  /** The token is a name that begins like a number, such as `1st`. It may continue after `end`. */
  isName: boolean;
}

const digits = /[0-9]*/y;
const prefixed = /0(?:x[0-9a-fA-F]+|b[01]+)/y;
const nameCode = /[0-9A-Za-z_$\u0080-\uffff]/y;

/**
 * A word may follow a number directly: `1e0INTO` and `1.INTO` are two tokens each, but `1INTO` and `0x1INTO` are names. An exponent
 * without digits is refused, because the server drops the number and continues in its middle.
 */
export function scanNumber(sql: string, start: number): ScannedNumber {
  const notation = locateEnd(prefixed, sql, start);
  if (notation > start) return { end: notation, isName: isAt(nameCode, sql, notation) };
  const whole = locateEnd(digits, sql, start);
  if (sql.charAt(whole) === '.') return { end: exponentEnd(sql, locateEnd(digits, sql, whole + 1), start), isName: false };
  if (!isAt(nameCode, sql, whole)) return { end: whole, isName: false };
  const sign = /[+-]/.test(sql.charAt(whole + 1)) ? 1 : 0;
  const isExponent = /[eE]/.test(sql.charAt(whole)) && (sign === 1 || /[0-9]/.test(sql.charAt(whole + 1)));
  return isExponent ? { end: exponentEnd(sql, whole, start), isName: false } : { end: whole, isName: true };
}

/** The end of the exponent that begins at `at`, or `at` itself. */
function exponentEnd(sql: string, at: number, start: number): number {
  if (!/[eE]/.test(sql.charAt(at))) return at;
  const first = at + (/[+-]/.test(sql.charAt(at + 1)) ? 2 : 1);
  const end = locateEnd(digits, sql, first);
  if (end === first) throw notPlaceable(`the number ${sql.slice(start, first)}`, start);
  return end;
}

function locateEnd(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(sql)?.[0].length ?? 0);
}

function isAt(pattern: RegExp, sql: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(sql);
}
