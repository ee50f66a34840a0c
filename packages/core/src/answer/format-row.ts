import { redactKnown } from '../redact/redact.ts';
import { type CellPart, type CellValue, type CellWindow, cutCell, findTextCell, formatCell, type TextCell } from './csv.ts';

/** One record of CSV, and what of it is not shown. */
export interface Line {
  cells: string[];
  /** The cell that is plain text where nothing follows the record; looked for only if that was asked. */
  text: TextCell | undefined;
  size: number;
  cut: number;
  unkept: number;
  redacted: number;
}

const nameLimit = 256;
const smallestName = 32;

/** Long names are cut hard only if not even one of them would fit. */
export function formatHeader(columns: readonly string[], room: number): Line {
  const format = (limit: number) => formatLine(columns, { window: { offset: 0, limit }, room, removeSecrets: redactKnown });
  const header = format(nameLimit);
  return header.cells.length > 0 ? header : format(smallestName);
}

export type RemoveSecrets = (text: string) => string;

interface LineOptions {
  window: CellWindow;
  room: number;
  removeSecrets: RemoveSecrets;
  findsText?: boolean;
}

/** Formats as many cells as fit into `room`, with the comma or newline after each. */
export function formatLine(row: readonly CellValue[], { window, room, removeSecrets, findsText }: LineOptions): Line {
  const line: Line = { cells: [], text: undefined, size: 0, cut: 0, unkept: 0, redacted: 0 };
  const parts = cutCells(row, window, room);
  const secret = mayHoldSecret(parts, removeSecrets);
  const shownParts: CellPart[] = [];
  for (const part of parts) {
    const shown = secret && part.text !== null ? { ...part, text: removeSecrets(part.text) } : part;
    const cell = formatCell(shown);
    if (line.size + cell.length + 1 > room) break;
    line.cells.push(cell);
    if (findsText) shownParts.push(shown);
    line.size += cell.length + 1;
    line.cut += Number(part.cut);
    line.unkept += Number(part.unkept);
    line.redacted += Number(part.redacted || shown.text !== part.text);
  }
  if (findsText) line.text = findTextCell(shownParts);
  return line;
}

function cutCells(row: readonly CellValue[], window: CellWindow, room: number): CellPart[] {
  const parts: CellPart[] = [];
  let size = 0;
  for (const value of row) {
    const part = cutCell(value, window);
    size += part.text?.length ?? 0;
    if (size > room) break;
    parts.push(part);
  }
  return parts;
}

/**
 * Secrets are looked for in a whole row at once, which is cheap, but removed cell by cell: a pattern that reached over the
 * end of a cell would swallow quotes, commas, and with half a private key all rows that follow.
 */
function mayHoldSecret(parts: readonly CellPart[], removeSecrets: RemoveSecrets): boolean {
  const joined = parts.map((part) => part.text ?? '').join('\n');
  return removeSecrets(joined) !== joined;
}

/** A row of which not all is shown. */
export interface CutRow {
  row: readonly CellValue[];
  line: Line;
  /** Its place in the table. */
  index: number;
}

interface GrowOptions {
  /** Characters of a cell so far, and at most. */
  limit: number;
  most: number;
  /** Characters that the table has left. */
  room: number;
  format(row: readonly CellValue[], limit: number, room: number): Line;
}

interface Grown {
  limit: number;
  lines: readonly Line[];
}

/** Finer steps would be more work than the characters are worth. */
const step = 32;

/** The widest limit for the cells of these rows that their table has room for; undefined when nothing can be won. */
export function growCells(rows: readonly CutRow[], options: GrowOptions): Grown | undefined {
  if (rows.length === 0 || options.room < step) return undefined;
  const all = formatAll(rows, options.most, options);
  if (all !== undefined) return { limit: options.most, lines: all };
  let found: Grown | undefined;
  let [low, high] = [options.limit, options.most];
  while (high - low > step) {
    const limit = Math.floor((low + high) / 2);
    const lines = formatAll(rows, limit, options);
    if (lines === undefined) high = limit;
    else [found, low] = [{ limit, lines }, limit];
  }
  return found;
}

function formatAll(rows: readonly CutRow[], limit: number, { room, format }: GrowOptions): Line[] | undefined {
  let left = room + rows.reduce((sum, { line }) => sum + line.size, 0);
  const lines: Line[] = [];
  for (const { row, line: old } of rows) {
    const line = format(row, limit, left);
    if (line.cells.length < old.cells.length) return undefined;
    left -= line.size;
    lines.push(line);
  }
  return lines;
}
