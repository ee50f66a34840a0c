import { type RowWriter, truncateRows } from '@dbmole/core';
import type { Cell, Column, RowSink } from './engine.ts';

type RowsOptions = Parameters<typeof truncateRows>[0];
type Rows = ReturnType<RowWriter['finish']>;

/** The rows of an answer, within its budget. The first `offset` of them are left out. */
export class TableSink implements RowSink {
  readonly #options: Omit<RowsOptions, 'columns'>;
  #writer: RowWriter | undefined;
  #skip: number;

  constructor(options: Omit<RowsOptions, 'columns'>) {
    this.#options = options;
    this.#skip = options.offset ?? 0;
  }

  columns(columns: readonly Column[]): void {
    this.#writer = this.#open(columns);
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

  #open(columns: readonly Column[]): RowWriter {
    // The spread last: an object that begins with one is slow to make and to read on Node 20, and this is done for every call.
    return truncateRows({ columns: columns.map(({ name }) => name), textCell: true, ...this.#options });
  }
}
