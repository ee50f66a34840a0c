import { type Failure, toFailure } from '@dbmole/core';
import type { Cell, RowSink } from '../../../engine.ts';
import { readText } from '../../../read-cell.ts';
import type { WireCell } from '../process/messages.ts';
import type { RowHandler } from '../wire/database-process.ts';

/** Passes the rows of the process to the sink of the caller. */
export class RowRelay implements RowHandler {
  readonly #sink: RowSink;
  /** A write goes on to its end, whatever becomes of its rows. */
  readonly #toEnd: boolean;
  #wanted = true;
  /** The error that the sink threw. */
  error: Failure | undefined;

  constructor(sink: RowSink, toEnd = false) {
    this.#sink = sink;
    this.#toEnd = toEnd;
  }

  columns(...[columns, total]: Parameters<RowHandler['columns']>): void {
    this.#guarded(() => this.#sink.columns(columns, total));
  }

  rows(rows: readonly (readonly WireCell[])[]): boolean {
    for (const row of rows) {
      if (!this.#wanted) break;
      this.#wanted = this.#guarded(() => this.#sink.row(row.map(toCell))) === true;
    }
    return this.#wanted || this.#toEnd;
  }

  #guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.error ??= toFailure(error);
      this.#wanted = false;
      return undefined;
    }
  }
}

/** A sink that keeps all rows as texts. */
export function collectRows(): { rows: (string | null)[][]; sink: RowSink } {
  const rows: (string | null)[][] = [];
  return { rows, sink: { columns: () => undefined, row: (cells) => rows.push(cells.map(readText)) > 0 } };
}

function toCell(cell: WireCell): Cell {
  if (cell === null || typeof cell === 'string') return cell;
  return { text: cell.t, length: cell.n, ...(cell.b !== undefined && { unit: 'bytes' as const }) };
}
