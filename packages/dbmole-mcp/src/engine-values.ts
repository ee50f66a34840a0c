import type { CellValue, CutCell } from '@dbmole/core';

/** A value for a placeholder: `$1` or `?`, in the engine's own style. Bound by the engine, never written into the text. */
export type Param = string | number | boolean | null;

/** A value as callers give it; each engine has a text for lists and objects. */
export type CallerParam = Param | object;

export interface Column {
  name: string;
  /** The engine's own name of the type. */
  type: string;
  /** The column of a table that it shows unchanged, by the key that the engine's guard gives it in a `ColumnPlan`. */
  origin?: string | undefined;
}

/** A cell as the engine would print it, to the last digit; `CutCell` where only a part of it was kept. */
export type Cell = Extract<CellValue, string | null | CutCell>;

/** Where the rows of one statement go, as they arrive. */
export interface RowSink {
  /**
   * How many columns are wanted, from the left; undefined: all. Further ones cost time for nothing, so an engine may leave them
   * out.
   */
  readonly maxColumns?: number;
  /**
   * Once, before the first row, also when there are no rows. Not called by a statement that returns no rows at all. `total` counts
   * those that were left out as well.
   */
  columns(columns: readonly Column[], total?: number): void;
  /** False: enough, send no more. The session then stops the engine as well. */
  row(cells: readonly Cell[]): boolean;
}

export interface WriteEnd {
  /** Undefined where the engine does not count, as for most DDL. */
  changed: number | undefined;
  /** What it did, in the engine's word: `INSERT`, `CREATE TABLE`. */
  command: string;
  /** What the policy hides of the rows that it returned, in words for the first line. */
  protectedColumns?: string | undefined;
  /** How many results followed the one that went to the sink, as of a procedure with several queries; left out when none did. */
  moreResults?: number;
}

export type TextRows = readonly (readonly (string | null)[])[];
