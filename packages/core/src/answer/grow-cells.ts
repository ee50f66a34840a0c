import type { CellValue } from './csv.ts';
import type { Line } from './format-row.ts';

/** A row of which not all is shown. */
export interface CutRow {
  row: readonly CellValue[];
  line: Line;
  /** Its place in the table. */
  index: number;
}

export interface GrowOptions {
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
