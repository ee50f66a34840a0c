import type { Param, RowSink, TextRows, WriteEnd } from '../engine-values.ts';

/** One statement of a caller, with its values as the engine binds them. */
export interface ChangeStatement {
  readonly sql: string;
  readonly params: readonly Param[];
}

/** What a statement would change, as its text says. It is plain data, which a thread can send. */
export interface ChangeShape {
  /** `UPDATE`; empty where it is not a change of rows. */
  readonly verb: 'INSERT' | 'UPDATE' | 'DELETE' | 'MERGE' | 'REPLACE' | 'TRUNCATE' | '';
  /** The table as it is written, if there is exactly one. */
  readonly target: TargetName | undefined;
  /** A change anywhere in it without a condition that names a column; `unknown` where the text cannot be read. */
  readonly noWhere: 'UPDATE' | 'DELETE' | 'MERGE' | 'TRUNCATE' | 'unknown' | undefined;
  /** How to read the rows that will change, for examples. */
  readonly rows: RowsOfChange | undefined;
  /** The columns that an UPDATE sets. */
  readonly set: readonly string[];
}

export interface TargetName {
  readonly schema: string | undefined;
  readonly name: string;
}

/** The parts of a query for the rows that a statement will change, as they are in its text. */
export interface RowsOfChange {
  /** `WITH a AS (…)`, or nothing. */
  readonly with: string;
  /** What follows FROM, with the condition. */
  readonly from: string;
  /** How the target is called in it, with quotes. */
  readonly alias: string;
  /** Which params of the statement are the first, second, … of the query. */
  readonly params: readonly number[];
}

export const noShape: ChangeShape = { verb: '', target: undefined, noWhere: undefined, rows: undefined, set: [] };

/** Statements in one transaction of one session. */
export interface WriteTransaction {
  /** Runs a statement of the caller. Throws `E_NO_DRY_RUN` where it cannot be part of a transaction. */
  run(statement: ChangeStatement & { keepPerCell: number; tag?: string | undefined }, sink: RowSink): Promise<WriteEnd>;
  /** Runs a question of our own. */
  ask(sql: string, params?: readonly Param[]): Promise<TextRows>;
  /** The same for one that has text of the caller in it; undefined where it fails, which leaves the transaction as it was. */
  tryAsk(sql: string, params?: readonly Param[]): Promise<TextRows | undefined>;
  /** Checks now what would be checked at the COMMIT. */
  settle(): Promise<void>;
}

export interface TransactionRequest {
  timeoutMs: number;
  /** Errors are shown without the values of rows, because columns are protected. */
  hidesValues?: boolean;
  /** Refused before anything is sent where it has an effect that a rollback would not take back. */
  undone: readonly string[];
}

/** Whether a transaction is committed, and what it is about. */
export interface Verdict<T> {
  commit: boolean;
  result: T;
}

/** Rows of one table that were changed beside those of the statement. */
export interface TableChange {
  /** The name has its schema where that is not the usual one. */
  readonly table: string;
  readonly rows: number;
}

/** A row that a statement changes: its key, and values before and after. Every value is text as the server prints it. */
export interface SampleRow {
  readonly key: readonly SampleCell[];
  readonly before: readonly SampleCell[];
  /** Undefined where the row is gone. */
  readonly after: readonly SampleCell[] | undefined;
}

export interface SampleCell {
  readonly column: string;
  readonly value: string | null;
}

/** The rows of one table, as it is called in the catalog. Of a row that changes, the values that do. */
export interface Sample {
  readonly schema: string | undefined;
  readonly table: string;
  readonly rows: readonly SampleRow[];
}

/** What one statement did beside its own rows. */
export interface Effects {
  /** The name of the table as people write it. */
  readonly table: string | undefined;
  /** How many rows the table has, about. */
  readonly total: number | undefined;
  /** Changes by foreign keys. */
  readonly cascades: readonly TableChange[];
  /** Changes by triggers, rules and functions, and of the tables behind a view. */
  readonly others: readonly TableChange[];
  readonly triggers: readonly string[];
  readonly sample: Sample | undefined;
  /** What could not be counted. */
  readonly notes: readonly string[];
}

/** Measures one statement: `begin` before it runs, `end` after that, in the same transaction. */
export interface ChangeMeter {
  begin(transaction: WriteTransaction, statement: ChangeStatement, shape: ChangeShape): Promise<StartedMeter>;
}

export interface StartedMeter {
  end(): Promise<Effects>;
}

/** What an engine knows of changes. */
export interface ChangeReader {
  /** Reads the text alone. */
  read(sql: string): Promise<ChangeShape>;
  readonly meter: ChangeMeter;
  /** Whether the statement commits by itself, so that it can be no part of a transaction. */
  commitsItself(sql: string): boolean;
}
