import type { WireCell } from './messages.ts';
import type { SqlValue } from './sqlite-module.ts';

/** The text of a value, of which at most `keep` characters, or bytes of a blob, are kept. */
export function formatCell(value: SqlValue, keep: number): WireCell {
  if (value === null) return null;
  if (typeof value === 'string') return value.length <= keep ? value : { t: cutText(value, keep), n: value.length };
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'number' ? formatReal(value) : formatBlob(value, keep);
}

/** Does not split a surrogate pair. */
function cutText(text: string, keep: number): string {
  const last = text.charCodeAt(keep - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? keep - 1 : keep);
}

function formatBlob(bytes: Uint8Array, keep: number): WireCell {
  const text = `0x${Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, keep)).toString('hex')}`;
  return bytes.length <= keep ? text : { t: text, n: bytes.length, b: 1 };
}

/** SQLite writes larger and smaller numbers with an exponent. */
const maxPlainExponent = 16;
const minPlainExponent = -4;

/**
 * Writes a number as SQLite does, with as many digits as it takes to read the same number back. Older versions of SQLite print only 15
 * digits, which is another number for some.
 */
function formatReal(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  if (value === 0) return '0.0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  if (exponent < minPlainExponent || exponent > maxPlainExponent) {
    const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
    return `${sign}${digits.charAt(0)}.${digits.slice(1) || '0'}e${power}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}
