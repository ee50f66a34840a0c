import type { BackendTarget, CellValue, CutCell, Failure } from '@dbmole/core';
import type { ReadGuard, ReadStatement } from './guard/read-statement.ts';
import type { Trust } from './guard/trust.ts';
import type { Connection } from './schema.ts';

/** What answered. */
export interface ServerIdentity {
  product: string;
  version: string;
  user: string;
  database: string | undefined;
}

/** A value for a placeholder: `$1` or `?`, in the engine's own style. Bound by the engine, never written into the text. */
export type Param = string | number | boolean | null;

export interface Column {
  name: string;
  /** As the engine calls it. */
  type: string;
}

/** A cell as the engine would print it, to the last digit; `CutCell` where only a part of it was kept. */
export type Cell = Extract<CellValue, string | null | CutCell>;

/** Where the rows of one statement go, as they arrive. */
export interface RowSink {
  /** Once, before the first row, also when there are no rows. Not called by a statement that returns no rows at all. */
  columns(columns: readonly Column[]): void;
  /** False: enough, send no more. The session then stops the engine as well. */
  row(cells: readonly Cell[]): boolean;
}

interface Statement {
  params: readonly Param[];
  /** Of the engine's own clock; the caller's signal is aborted a little earlier. */
  timeoutMs: number;
  /** How many characters (for binary: bytes) of one cell are kept in memory. */
  keepPerCell: number;
}

export interface ReadRequest extends Statement {
  statement: ReadStatement;
  /** Rows that are asked of the engine at most, so that it plans for few. Undefined: all of them (an export). */
  maxRows: number | undefined;
}

export interface WriteRequest extends Statement {
  sql: string;
  /** Runs it, counts, and rolls back. */
  dryRun: boolean;
}

export interface ReadEnd {
  /** The session's time zone, when a value of this result depends on it. */
  timeZone: string | undefined;
}

export interface WriteEnd {
  /** Undefined where the engine does not count, as for most DDL. */
  changed: number | undefined;
  /** What it did, in the engine's word: `INSERT`, `CREATE TABLE`. */
  command: string;
  /** How many results came behind the one that went to the sink, as of a procedure with several queries; left out when none did. */
  moreResults?: number;
}

/** One connection to the server, used by one call at a time. */
export interface Session {
  /** False as soon as it must not be used again: it was lost, or its state is in doubt. */
  readonly alive: boolean;
  /**
   * Set when a call has settled although the server has not confirmed that its statement ended: the session is not `alive` then.
   * Resolves when the statement has ended, or when nothing more can be learned of it; never rejects. The session is closed then.
   */
  readonly pendingEnd?: Promise<void> | undefined;
  /**
   * Runs one statement in the engine's read-only transaction, by a protocol that takes one statement only, and ends in
   * ROLLBACK. When the signal is aborted the statement is stopped in the engine and the promise settles soon after; the session
   * stays usable if the engine said so, and is not `alive` otherwise.
   */
  read(request: ReadRequest, sink: RowSink, signal: AbortSignal): Promise<ReadEnd>;
  /** Runs one statement and commits, or rolls back after a dry run. Rows that it returns go to the sink. */
  write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd>;
  /** Never rejects; a statement that runs is stopped in the engine first. */
  close(): Promise<void>;
}

/** What a session is opened with: the target of the connection, and the database, which may be another than configured. */
export interface SessionTarget extends BackendTarget<Connection> {
  database: string | undefined;
}

/** Runs a statement of our own over the catalog and gives all its rows as text: the statement bounds them with a LIMIT. */
export type CatalogRun = (sql: string, params?: readonly Param[]) => Promise<readonly (readonly (string | null)[])[]>;

/** One engine. A folder of `engines/` for each, with the same file names in all. */
export interface SqlEngine {
  openSession(target: SessionTarget, signal: AbortSignal): Promise<Session>;
  identify(run: CatalogRun): Promise<ServerIdentity>;
  /** One for each database that calls work on. */
  createGuard(trust?: Trust): ReadGuard;
  /** The next step after an error in a statement that is written as it would be elsewhere. */
  hintFor(failure: Failure, sql: string): string | undefined;
  defaultPort: number;
}
