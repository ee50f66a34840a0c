import type { Cell } from './engine-values.ts';

/** The text of a cell, as far as it was kept. */
export function readText(cell: Cell): string | null {
  return typeof cell === 'object' && cell !== null ? cell.text : cell;
}
