import type { BackendTarget, ColumnRules, Failure, Hint } from '@dbmole/core';
import type { ChangeReader, TransactionRequest, Verdict, WriteTransaction } from './approval/change.ts';
import type { Connection, ServerConnection } from './connection/schema.ts';
import type { CallerParam, Cell, Column, Param, RowSink, TextRows, WriteEnd } from './engine-values.ts';
import type { ReadGuard, ReadStatement } from './guard/read-statement.ts';
import type { Trust } from './guard/trust.ts';
import type { ScopeDialect, ScopeRules } from './policy/scope.ts';
import type { LiteralStyle } from './statement/mask-literals.ts';

export type { CallerParam, Cell, Column, Param, RowSink, TextRows, WriteEnd };

/** The server that answered. */
export interface ServerIdentity {
  product: string;
  version: string;
  /** Undefined where the engine knows no users. */
  user: string | undefined;
  database: string | undefined;
}

interface Statement {
  params: readonly Param[];
  /** The limit for the engine's own clock; the caller's signal is aborted a little earlier. */
  timeoutMs: number;
  /** How many characters (for binary: bytes) of one cell are kept in memory. */
  keepPerCell: number;
  /** Put in front of the text as a comment, for the server's list of sessions. */
  tag?: string | undefined;
}

export interface ReadRequest extends Statement {
  statement: ReadStatement;
  /** The maximum number of rows to ask of the engine, so that it plans for few. Undefined: all of them (an export). */
  maxRows: number | undefined;
  /** A question of our own with its LIMIT in the text: it may run with the settings that another read has left. */
  isBounded?: boolean;
  /** It asks for the plan of a read as that would run: with the same row limit. */
  isForecast?: boolean;
}

export interface WriteRequest extends Statement {
  sql: string;
  /** Runs it, counts, and rolls back. */
  dryRun: boolean;
  /** Protected columns are in reach, so no error may quote a value. */
  hidesValues?: boolean;
  /** Rolls back and throws `E_TOO_MANY_ROWS` when more rows changed. Refuses what it cannot count. */
  maxChanged?: number | undefined;
}

export interface ReadEnd {
  /** The session's time zone, when a value of this result depends on it. */
  timeZone: string | undefined;
  /** What the policy hides of this result, in words for the first line. */
  protectedColumns?: string | undefined;
  /** For the first line of the answer: what the plan of the read exceeds. */
  costNote?: string | undefined;
}

export interface SessionRead {
  request: ReadRequest;
  sink: RowSink;
}

export type SnapshotRead = (request: ReadRequest, sink: RowSink) => Promise<ReadEnd>;

/** One connection to the server, used by one call at a time. */
export interface Session {
  /** False as soon as it must not be used again: it was lost, or its state is in doubt. */
  readonly alive: boolean;
  /**
   * Set when a call has settled although the server has not confirmed that its statement ended; the session is not `alive` then.
   * Resolves when the statement has ended, or when nothing more can be learned of it, and never rejects. The session is closed
   * afterwards.
   */
  readonly pendingEnd?: Promise<void> | undefined;
  /**
   * Runs one statement in the engine's read-only transaction, by a protocol that takes one statement only, and ends in
   * ROLLBACK. When the signal is aborted the statement is stopped in the engine and the promise settles soon after; the session
   * stays usable if the engine confirmed the end, and is not `alive` otherwise.
   */
  read(request: ReadRequest, sink: RowSink, signal: AbortSignal): Promise<ReadEnd>;
  /** The same for several statements, in one transaction with one snapshot: each has a result of its own, and none makes the others fail. */
  readAll(reads: readonly SessionRead[], signal: AbortSignal): Promise<readonly (ReadEnd | Failure)[]>;
  /** Runs one statement and commits, or rolls back after a dry run. Rows that it returns go to the sink. */
  write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd>;
  /** Runs statements one by one in a transaction, and commits it if the work says so. It is rolled back when the work throws. */
  transact<T>(
    request: TransactionRequest,
    work: (transaction: WriteTransaction) => Promise<Verdict<T>>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Runs reads of our own in one transaction, so that all of them see the same catalog. Left out where the guard needs no such thing. */
  inSnapshot?<T>(work: (read: SnapshotRead) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Stops a running statement in the engine first. Never rejects. */
  close(): Promise<void>;
}

/** What a session is opened with: the target of the connection, and the database, which may be another than configured. */
export type SessionTarget<C extends Connection = ServerConnection> = BackendTarget<C> & { database: string | undefined };

/** Runs a statement of our own over the catalog and gives all its rows as text: the statement bounds them with a LIMIT. */
export interface CatalogRun {
  (sql: string, params?: readonly Param[]): Promise<readonly (readonly (string | null)[])[]>;
  /** The same object in all calls on one database, to remember by what is known of it. Undefined: nothing is to be remembered. */
  readonly database?: object;
}

/** An `own` statement has nothing of the caller's in its text, and may change what its session alone sees. */
export type SessionStep = ({ own: string } | { sql: string }) & { params: readonly Param[]; timeoutMs: number };

/** What a person says of what may be read. Plain data but for the trust. */
export interface GuardOptions {
  readonly trust?: Trust | undefined;
  readonly scope?: readonly ScopeRules[] | undefined;
  readonly columns?: readonly ColumnRules[] | undefined;
}

/** One engine. A folder of `engines/` for each, with the same file names in all. */
export interface SqlEngine {
  openSession(target: SessionTarget<Connection>, signal: AbortSignal): Promise<Session>;
  identify(run: CatalogRun): Promise<ServerIdentity>;
  /** One for each database that calls work on. It refuses a statement that leads outside of the scope, and traces protected columns. */
  createGuard(options?: GuardOptions): ReadGuard;
  readonly scopeDialect: ScopeDialect;
  /** The text by which the server gets a list or an object; `index` is its place among the params of `sql`. */
  formatListParam(value: object, place: { sql: string; index: number }): string;
  /** A question of our own as one text, with a LIMIT. Left out where binding the values takes no more round trips than that. */
  formatQuestion?(sql: string, params: readonly Param[], maxRows: number): string;
  /** The next step after an error in a statement that is written as it would be elsewhere. */
  hintFor(failure: Failure, sql: string): Hint | undefined;
  readonly grammar: SqlGrammar;
  /** What is known of a write before it runs. */
  readonly changes: ChangeReader;
}

/** What a write changes, by its first word: data, structure, or perhaps both. */
export type WriteKind = 'dml' | 'ddl' | 'other';

/** What the beginning of a statement says before the server sees it. Whether a statement is a read is for the guard. */
export interface SqlGrammar {
  /** The words that begin or end a transaction, if the statement does: `BEGIN`. */
  findTransactionWord(sql: string): string | undefined;
  /** The word of a statement that has no plan, or asks for one itself: `SHOW`. */
  findUnplannedWord(sql: string): string | undefined;
  /** Whether it begins as DDL does. */
  isDefinition(sql: string): boolean;
  /** Errs on the side of `other`. */
  readWriteKind(sql: string): WriteKind;
  /** Whether it gives rows that could have an order. */
  isQuery(sql: string): boolean;
  /** Whether its effect is gone when its call ends, because the session is. */
  endsWithCall(sql: string): boolean;
  /** The name at this position, counted from 1, with its quotes and qualifiers. */
  readName(sql: string, position: number): string | undefined;
  /** How the named values of a saved query become placeholders. */
  readonly placeholders: PlaceholderStyle;
  /** How literals are found, for what is recorded of a statement. */
  readonly literals: LiteralStyle;
}

export interface PlaceholderStyle {
  /**
   * The end of what begins here and can hold no `:name`: a string, a quoted name, a word, a comment. The position itself where nothing
   * of this begins, and a negative number where it does not end.
   */
  skip(sql: string, at: number): number;
  /** A placeholder in the engine's own form, which a saved query must not have beside names. */
  own: RegExp;
  ownForm: string;
  /** The placeholder with this number, counted from 1. */
  format(number: number): string;
  /** A placeholder says which value it is, so that a name that occurs twice is one value. */
  isNumbered: boolean;
  /** What is written instead of `in (:name)` with a list; undefined where the list becomes a placeholder for each of its items. */
  listForm: ((name: string) => string) | undefined;
  /** A timestamp in ISO 8601 as the engine reads it; undefined where it takes none with a zone. */
  formatTimestamp(text: string): string | undefined;
}
