import { defaultBudget, severalFailureRoom, Turns } from '@dbmole/core';
import type { Cell, Column, RowSink } from '../engine.ts';
import { type TableOptions, TableSink } from '../table-sink.ts';

/** Characters of rows that are kept of one statement, to write them again into less room. */
const maxKept = 2_000_000;
/** Characters around a table in the answer: its number and what is said of its order and time zone. */
const noteRoom = 160;

/** The rows of one of several statements. It takes as many as a whole answer may have, until it is known how much the others need. */
export class SharedTable implements RowSink {
  readonly maxColumns: number;
  readonly #options: TableOptions;
  /** The room that it has whatever the others need. */
  readonly #share: number;
  #sink: TableSink;
  #columns: Parameters<TableSink['columns']> | undefined;
  /** All rows that were offered; undefined when they are too long to be kept. */
  #rows: (readonly Cell[])[] | undefined = [];
  #length = 0;

  constructor(options: TableOptions, share: number) {
    this.#options = { ...options, isOneOfSeveral: true, textCell: false };
    this.#share = share;
    this.#sink = this.#open(defaultBudget);
    this.maxColumns = this.#sink.maxColumns;
  }

  columns(...columns: readonly [columns: readonly Column[], total?: number]): void {
    this.#columns = [...columns];
    this.#sink.columns(...columns);
  }

  row(cells: readonly Cell[]): boolean {
    this.#rows?.push(cells);
    this.#length += cells.reduce((sum, cell) => sum + measureCell(cell), 0);
    if (this.#rows === undefined || this.#length <= maxKept) return this.#sink.row(cells);
    const isOpen = this.fit(this.#share);
    this.#rows = undefined;
    return isOpen;
  }

  /** Writes the rows again, into this room; false when not all had room. */
  fit(room: number): boolean {
    if (this.#rows === undefined || this.#columns === undefined) return false;
    this.#sink = this.#open(room);
    this.#sink.columns(...this.#columns);
    return this.#rows.every((cells) => this.#sink.row(cells));
  }

  finish(): ReturnType<TableSink['finish']> {
    return this.#sink.finish();
  }

  /** Characters in the answer. */
  get length(): number {
    const { line, body } = this.finish();
    return line.length + body.length + noteRoom;
  }

  #open(budget: number): TableSink {
    return new TableSink({ ...this.#options, budget });
  }
}

function measureCell(cell: Cell): number {
  return typeof cell === 'object' ? (cell?.text.length ?? 0) : String(cell).length;
}

export function createSharedTables(count: number, options: TableOptions): readonly SharedTable[] {
  return Array.from({ length: count }, () => new SharedTable(options, Math.floor(defaultBudget / count) - noteRoom));
}

/**
 * Divides the room of one answer: what short results leave is for the long ones, wherever they are in the list. A statement that failed
 * has an error in place of its table.
 */
export async function shareRoom(tables: readonly SharedTable[], hasFailed: (index: number) => boolean): Promise<void> {
  const turns = new Turns();
  const lengths: number[] = [];
  for (const [i, table] of tables.entries()) {
    lengths.push(hasFailed(i) ? severalFailureRoom : table.length);
    await turns.next();
  }
  const longRoom = findLongRoom(lengths);
  for (const [i, table] of tables.entries()) {
    if ((lengths[i] ?? 0) > longRoom) table.fit(longRoom - noteRoom);
    await turns.next();
  }
}

/** The room of each long result, so that all of them and the short ones together fill one answer. */
function findLongRoom(lengths: readonly number[]): number {
  let room = defaultBudget;
  for (const [i, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const longRoom = Math.floor(room / (lengths.length - i));
    if (length > longRoom) return longRoom;
    room -= length;
  }
  return defaultBudget;
}
