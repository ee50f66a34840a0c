import { type ExportFormat, formatCsvRecord } from '@dbmole/core';
import type { Column } from '../engine.ts';

/** How the rows of a result are written into a file: the header, and each row with its line's end. */
export interface RowFormat {
  readonly header: string;
  row(cells: readonly (string | null)[]): string;
}

export const formats = { csv: createCsv, jsonl: createJsonLines } as const satisfies Record<
  ExportFormat,
  (columns: readonly Column[]) => RowFormat
>;

function createCsv(columns: readonly Column[]): RowFormat {
  return { header: csvLine(columns.map(({ name }) => name)), row: csvLine };
}

function csvLine(cells: readonly (string | null)[]): string {
  return `${formatCsvRecord(cells)}\r\n`;
}

/** One object in each line, its keys in the order of the columns. */
function createJsonLines(columns: readonly Column[]): RowFormat {
  const keys = uniqueNames(columns.map(({ name }) => name)).map((name) => `${JSON.stringify(name)}:`);
  const writers = columns.map(({ type }) => createWriter(type));
  const field = (cell: string | null, index: number) => (keys[index] ?? '') + (cell === null ? 'null' : writers[index]?.(cell));
  return { header: '', row: (cells) => `{${cells.map(field).join(',')}}\n` };
}

/** The second `id` becomes `id_2`: readers of JSON keep only one of two equal keys. */
export function uniqueNames(names: readonly string[]): string[] {
  const given = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique) || (unique !== name && given.has(unique)); count++) unique = `${name}_${count}`;
    taken.add(unique);
    return unique;
  });
}

const numeric = /^(?:(?:tiny|small|medium|big)?int|int[248]|integer|numeric|decimal|real|float[48]?|double)\b/i;
const truth: Readonly<Record<string, string>> = { t: 'true', true: 'true', f: 'false', false: 'false' };

function createWriter(type: string): (cell: string) => string {
  if (numeric.test(type)) return (cell) => (isExactNumber(cell) ? cell : JSON.stringify(cell));
  if (/^bool(?:ean)?$/i.test(type)) return (cell) => (Object.hasOwn(truth, cell) ? (truth[cell] ?? '') : JSON.stringify(cell));
  return (cell) => JSON.stringify(cell);
}

/**
 * Whether a reader that knows only 64-bit floating point gets back the number. Zeros at the end of a fraction do not count: with them
 * as text, one column would hold numbers and texts.
 */
function isExactNumber(text: string): boolean {
  const number = Number(text);
  const shortest = /^-?\d+\.\d+$/.test(text) ? trimZeros(text) : text;
  return String(number) === shortest && Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Cuts zeros off the end of a fraction, and the point with them if nothing is left of it. */
function trimZeros(text: string): string {
  let end = text.length;
  while (text[end - 1] === '0') end -= 1;
  return text.slice(0, text[end - 1] === '.' ? end - 1 : end);
}
