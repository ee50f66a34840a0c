import type { ParsedTable } from './parse-table.ts';

/** Where each column begins and ends, in pixels. */
export interface ColumnLayout {
  /** One more than there are columns; the last one is the whole width. */
  starts: readonly number[];
  /** Columns with nothing but numbers in the rows that were looked at. */
  numbers: ReadonlySet<number>;
}

const characterWidth = 7.9;
const padding = 18;
const [minWidth, maxWidth] = [56, 340];
const sampleRows = 60;

/** The widths follow the first rows, so that nothing moves while it is scrolled. */
export function layOutColumns({ columns, rows }: ParsedTable): ColumnLayout {
  const starts = [0];
  const numbers = new Set<number>();
  const sample = rows.slice(0, sampleRows);
  for (const [index, name] of columns.entries()) {
    const cells = sample.map((row) => row[index]).filter((cell) => cell !== undefined);
    const longest = Math.max(name.length, ...cells.map(({ text, mark }) => (text ?? 'NULL').length + mark.length));
    const width = Math.min(maxWidth, Math.max(minWidth, Math.ceil(longest * characterWidth) + padding));
    starts.push((starts.at(-1) ?? 0) + width);
    const texts = cells.map(({ text }) => text).filter((text) => text !== null);
    if (texts.length > 0 && texts.every(isNumber)) numbers.add(index);
  }
  return { starts, numbers };
}

function isNumber(text: string): boolean {
  return text.length <= 400 && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/** The first and the last column that a part of the width shows. */
export function findColumns({ starts }: ColumnLayout, left: number, right: number): [first: number, last: number] {
  const count = starts.length - 1;
  const first = Math.max(0, findAt(starts, left));
  return [first, Math.min(count - 1, Math.max(first, findAt(starts, right)))];
}

/** The last place whose start is at or before the position. */
function findAt(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
