import { type Failure, toFailure } from '@dbmole/core';
import type { Cell, RowSink } from '../../engine.ts';
import type { RowHandler } from './link.ts';
import type { CellReader } from './row-reader.ts';
import { createCellReader, dependsOnTimeZone, describeField, type Field } from './values.ts';

interface Limits {
  keepPerCell: number;
  /** A LIMIT in the statement overrides what the engine was asked for, so the rows are counted here as well. */
  maxRows?: number | undefined;
  /** Also those that the sink does not want. */
  countAll?: true;
}

/** The rows of a statement on their way from the connection to whoever asked for them. */
export class ResultRows implements RowHandler {
  readonly #sink: RowSink;
  readonly #limits: Limits;
  #wanted = true;
  /** How many have come. */
  count = 0;
  /** Whether there were columns at all, and whether one of them shows moments. */
  returned = false;
  dependsOnTimeZone = false;
  /** Sets of rows behind the first, which go nowhere. */
  moreResults = 0;
  /** What the sink threw: it must not get between the connection and the driver. */
  error: Failure | undefined;
  onEnough: () => void = () => undefined;

  constructor(sink: RowSink, limits: Limits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  fields(fields: readonly Field[]): readonly CellReader[] {
    this.returned = true;
    this.dependsOnTimeZone = fields.some(dependsOnTimeZone);
    this.#guarded(() => this.#sink.columns(fields.map(describeField)));
    return fields.map((field) => createCellReader(field, this.#limits.keepPerCell));
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

  /** From now on nothing is passed on. */
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
