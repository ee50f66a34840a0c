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
    this.#writer = truncateRows({ ...this.#options, columns: columns.map(({ name }) => name) });
  }

  row(cells: readonly Cell[]): boolean {
    if (this.#skip === 0) return this.#writer?.add(cells) ?? false;
    this.#skip -= 1;
    return true;
  }

  /** Undefined when the statement has no result at all, not even one without rows. */
  finish(): Rows | undefined {
    return this.#writer?.finish();
  }
}
