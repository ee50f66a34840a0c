import type { Cell } from '../../../engine.ts';
import type { RowShape } from '../wire/long-message.ts';
import { completeEnd, type Field } from '../wire/messages.ts';

const bytea = 17;
/** No character of a JavaScript string needs more bytes. */
const bytesPerCharacter = 3;

/** Values are the server's own text, so nothing is converted: only cut. */
export function createRowShape(fields: readonly Field[], keepPerCell: number): RowShape {
  const binary = fields.map(({ type }) => type === bytea);
  const keepText = keepPerCell * bytesPerCharacter;
  // `\x`, then two digits for each byte.
  const keepBinary = 2 + 2 * keepPerCell;
  return {
    keep: (column) => (binary[column] ? keepBinary : keepText),
    cell: (column, bytes, start, end, length) =>
      binary[column] ? binaryCell(bytes, start, end, length) : textCell(bytes, start, end, { length, keepPerCell }),
  };
}

function binaryCell(bytes: Buffer, start: number, end: number, length: number): Cell {
  const text = bytes.toString('latin1', start, end);
  return end - start === length ? text : { text, length: (length - 2) / 2, unit: 'bytes' };
}

function textCell(bytes: Buffer, start: number, end: number, limits: { length: number; keepPerCell: number }): Cell {
  const whole = end - start === limits.length;
  const text = bytes.toString('utf8', start, whole ? end : completeEnd(bytes, start, end));
  if (whole && text.length <= limits.keepPerCell) return text;
  const kept = text.slice(0, alignCut(text, limits.keepPerCell));
  return whole ? { text: kept, length: text.length, unit: 'characters' } : { text: kept, length: limits.length, unit: 'bytes' };
}

/** Moves the cut out of a surrogate pair. */
function alignCut(text: string, index: number): number {
  const last = text.charCodeAt(index - 1);
  return index < text.length && last >= 0xd800 && last <= 0xdbff ? index - 1 : index;
}
