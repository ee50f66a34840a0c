import { type Failure, toFailure } from '@dbmole/core';
import type { Cell, RowSink } from '../../../engine.ts';
import { readText } from '../../../read-cell.ts';
import type { Conversation } from '../wire/conversation.ts';
import type { RowHandler } from './row-reader.ts';
import { type CellReader, createCellReader, dependsOnTimeZone, describeField, type Field } from './values.ts';

interface Limits {
  keepPerCell: number;
  /** Rows are counted here too, because a LIMIT in the statement overrides the limit of the session. */
  maxRows?: number | undefined;
  /** Rows that the sink does not want count too. */
  countAll?: true;
}

/** Passes the rows of a statement from the connection to the sink of the caller. */
export class UserRows implements RowHandler {
  readonly #sink: RowSink;
  readonly #limits: Limits;
  #wanted = true;
  /** The number of rows that arrived. */
  count = 0;
  /** The statement returned columns. */
  returned = false;
  /** The time zone of the session decides how a column is shown. */
  dependsOnTimeZone = false;
  /** The number of result sets after the first, whose rows are dropped. */
  moreResults = 0;
  /** The error that the sink threw. Thrown further, it would reach the driver. */
  error: Failure | undefined;
  onEnough: () => void = () => undefined;

  constructor(sink: RowSink, limits: Limits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  fields(fields: readonly Field[]): readonly CellReader[] {
    this.returned = true;
    this.dependsOnTimeZone = fields.some(dependsOnTimeZone);
    const wanted = fields.slice(0, this.#sink.maxColumns);
    this.#guarded(() => this.#sink.columns(wanted.map(describeField), fields.length));
    return wanted.map((field) => createCellReader(field, this.#limits.keepPerCell));
  }

  row(cells: readonly Cell[]): boolean {
    this.count += 1;
    if (this.#wanted) this.#wanted = this.#guarded(() => this.#sink.row(cells)) === true && this.count !== this.#limits.maxRows;
    if (this.#wanted) return true;
    this.onEnough();
    return this.#limits.countAll === true;
  }

  another(): void {
    this.moreResults += 1;
  }

  /** Drops all further rows. */
  discard(): void {
    this.#wanted = false;
  }

  #guarded<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.error ??= toFailure(error);
      return undefined;
    }
  }
}

/** Catalog questions ask for short values. */
const keepPerCell = 4_096;

/** Runs a catalog question and returns all of its rows. */
export async function collectRows(conversation: Conversation, sql: string): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  await conversation.query(sql, {
    fields: (fields) => fields.map((field) => createCellReader(field, keepPerCell)),
    row: (cells) => {
      rows.push(cells.map(readText));
      return true;
    },
  });
  return rows;
}
