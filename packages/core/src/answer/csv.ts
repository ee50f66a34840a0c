import { sliceKnown } from '../redact/redact.ts';
import { alignCut, formatVisible, markClose, markOpen, unseenClass } from '../text.ts';

/** A value of which the driver kept only a part, because the whole would not have fitted in memory. */
export interface CutCell {
  text: string;
  /** The length of the whole value. */
  length: number;
  /** The unit of `length`; a length in bytes says that there is more than `text`. Places in `text` are always counted in characters. */
  unit?: 'characters' | 'bytes';
  /** How many characters of the value were left out before `text`. */
  start?: number;
}

/** A value as the engine would print it. Backends turn everything else into text first. */
export type CellValue = string | number | bigint | boolean | null | CutCell;

/** The part of long cells that is shown: `limit` characters from `offset` on. */
export interface CellWindow {
  offset: number;
  limit: number;
}

/** What of one cell is shown. Without a mark the cell is whole; null is the engine's NULL, not the text. */
export interface CellPart {
  text: string | null;
  mark: string;
  /** There is more after this part. */
  cut: boolean;
  /** The driver kept less than the window asked for, so that moving the window shows nothing more. */
  unkept: boolean;
  /** An edge of the window would have cut a secret in two, so a part of it is left out. */
  redacted: boolean;
}

/**
 * One test for every cell; most pass it and are shown as they are. Matches what has to be quoted or escaped, what would look
 * like NULL or like nothing, spaces at the edges, which would be overlooked, and what looks like the line above one of several results.
 */
const lineBreak = `${markOpen}U+000A${markClose}`;
const special = new RegExp(`[${unseenClass}${markOpen}",\\t\\n]|^(?:NULL)?$|^ | $|^--`, 'u');
const quotable = /[",\t]|^(?:NULL)?$|^ | $|^--/;

/**
 * One field of RFC 4180, on one line: a record that went over several lines could hold lines that look like ours. `NULL` is bare,
 * the empty string and the text NULL are quoted.
 */
export function formatCell(part: CellPart): string {
  if (part.text === null) return 'NULL';
  if (!special.test(part.text)) return part.text + part.mark;
  const visible = formatVisible(part.text).replaceAll('\n', lineBreak) + part.mark;
  return quotable.test(visible) ? `"${visible.replaceAll('"', '""')}"` : visible;
}

/** Marks a cell that follows the record as plain text. */
export const belowMark = `${markOpen}below${markClose}`;

/** A cell as plain text, and its place in the record. */
export interface TextCell {
  at: number;
  text: string;
}

/**
 * The cell of a row that is plain text when nothing follows the row. A cell that is all there is: unless its record is the same, or
 * blanks at its edges would be overlooked. Among several: the one with the most line breaks, from the number on that makes it shorter.
 */
export function findTextCell(parts: readonly CellPart[]): TextCell | undefined {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return isPlainAlone(only.text) ? toText(only, 0) : undefined;
  const breaks = parts.map(({ text }) => (text ?? '').split('\n').length - 1);
  const count = Math.max(...breaks);
  const at = breaks.indexOf(count);
  const part = parts[at];
  return count < minTextBreaks || part === undefined ? undefined : toText(part, at);
}

const minTextBreaks = 2;

function isPlainAlone(text: string | null): boolean {
  return text !== null && /[",\t\n]/.test(text) && (text.includes('\n') || text.trim() === text);
}

function toText({ text, mark }: CellPart, at: number): TextCell {
  return { at, text: `${formatVisible(text ?? '')}${mark}` };
}

/**
 * The part of a value that lies in the window. A short value is always shown whole, wherever the window is, so that a reader
 * of the rest of a long cell still sees the key of its row. Work and memory depend on the window, not on the value.
 */
export function cutCell(value: CellValue, window: CellWindow): CellPart {
  if (value === null) return whole(null);
  if (typeof value === 'object') return cutKept(value, window);
  const text = typeof value === 'string' ? value : formatScalar(value);
  return text.length <= window.limit ? whole(text) : cutKept({ text, length: text.length }, window);
}

function cutKept(cell: CutCell, window: CellWindow): CellPart {
  const start = cell.start ?? 0;
  const kept = start + cell.text.length;
  const open = cell.unit === 'bytes' || kept < cell.length;
  if (!open && start === 0 && kept <= window.limit) return whole(cell.text);
  // Both ends are aligned the same way, so that windows that follow each other leave nothing out and repeat nothing.
  const from = alignCut(cell.text, window.offset - start);
  const to = alignCut(cell.text, window.offset + window.limit - start);
  const range = to > from ? `${start + from + 1}-${start + to}` : '0';
  const extent = cell.unit === 'bytes' ? `characters ${range}; ${cell.length} bytes in all` : `${range} of ${cell.length}`;
  const mark = `${markOpen}${extent}${markClose}`;
  const unkept = open && window.offset + window.limit > kept;
  const plain = cell.text.slice(from, to);
  const text = sliceKnown(cell.text, from, to);
  return { text, mark, cut: open || start + to < kept, unkept, redacted: text !== plain };
}

function whole(text: string | null): CellPart {
  return { text, mark: '', cut: false, unkept: false, redacted: false };
}

function formatScalar(value: number | bigint | boolean): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** RFC 4180, for files and pipes: what the engine says, to the byte. NULL is an empty field, so an empty text is quoted. */
export function formatCsvRecord(cells: readonly (string | null)[]): string {
  return cells.map(formatField).join(',');
}

function formatField(cell: string | null): string {
  if (cell === null) return '';
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
