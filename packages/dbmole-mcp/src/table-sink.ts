import { type RowWriter, truncateRows } from '@dbmole/core';
import type { Cell, Column, RowSink } from './engine.ts';

type RowsOptions = Parameters<typeof truncateRows>[0];
export type TableOptions = Omit<RowsOptions, 'columns'>;
type Rows = ReturnType<RowWriter['finish']>;

/** The limit for an answer of 32,000 characters: each column shows a name, a value and a comma after both. */
const maxColumns = 8_000;

/** The rows of an answer, within its budget. The first `offset` of them are left out. */
export class TableSink implements RowSink {
  readonly maxColumns = maxColumns;
  readonly #options: TableOptions;
  #writer: RowWriter | undefined;
  #skip: number;

  constructor(options: TableOptions) {
    this.#options = options;
    this.#skip = options.offset ?? 0;
  }

  columns(columns: readonly Column[], total?: number): void {
    this.#writer = this.#open(columns, total);
  }

  row(cells: readonly Cell[]): boolean {
    if (this.#skip === 0) return this.#writer?.add(cells) ?? false;
    this.#skip -= 1;
    return true;
  }

  /** False for a statement that has none at all, not even one without rows. */
  get hasResult(): boolean {
    return this.#writer !== undefined;
  }

  finish(): Rows {
    return (this.#writer ?? this.#open([])).finish();
  }

  #open(columns: readonly Column[], total = columns.length): RowWriter {
    // The spread last: an object that begins with one is slow to make and to read on Node 20, and this is done for every call.
    return truncateRows({ columns: columns.map(({ name }) => name), totalColumns: total, textCell: true, ...this.#options });
  }
}
