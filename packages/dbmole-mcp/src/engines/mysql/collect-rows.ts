import type { Cell } from '../../engine.ts';
import type { Link } from './link.ts';
import { createCellReader } from './values.ts';

/** Our own statements ask for short values. */
const keepPerCell = 4_096;

/** All rows of a short statement of our own. */
export async function collectRows(link: Link, sql: string): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  await link.query(sql, {
    fields: (fields) => fields.map((field) => createCellReader(field, keepPerCell)),
    row: (cells) => {
      rows.push(cells.map(toText));
      return true;
    },
  });
  return rows;
}

function toText(cell: Cell): string | null {
  return typeof cell === 'object' && cell !== null ? cell.text : cell;
}
