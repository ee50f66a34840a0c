import type { ToolReply } from '../answer/respond.ts';
import type { Failure } from '../failure.ts';
import type { Destination } from '../manager/backend.ts';

/** The way in that a call took, and who came through it. */
export interface CallOrigin {
  readonly door: 'stdio' | 'http' | 'shared' | 'library' | 'command' | 'page';
  /** Undefined: the user of this process. */
  readonly principal?: string;
}

/** What a request says of itself. All of it comes from the client. */
export interface RequestFacts {
  readonly id?: string | number;
  readonly client?: { readonly name: string; readonly version: string | undefined } | undefined;
  /** The version of the protocol. */
  readonly protocol?: string | undefined;
  /** The place of the call in a trace, in the form of the W3C. */
  readonly traceparent?: string | undefined;
}

export type StatementKind = 'read' | 'dml' | 'ddl' | 'other';

/** A statement without what it is about: no literal, no comment, no parameter. */
export interface StatementText {
  text: string;
  /** Equal for statements that differ in their literals alone. */
  fingerprint: string;
  /** The verb and the tables: `SELECT orders`. */
  summary: string;
}

/** One statement of the caller, or one request to a cluster. */
export interface StatementFacts {
  kind: StatementKind;
  /** It is about to change something: where that cannot be recorded, it must not run. */
  writes?: boolean;
  /** The kind of database, as the conventions of OpenTelemetry name it. */
  system: string;
  database: string | undefined;
  /** Called once the call was answered. Must not throw. */
  describe(): StatementText;
}

export interface StatementEnd {
  rows?: number | undefined;
  changed?: number | undefined;
  /** What the database calls the outcome, where it has a number for it. */
  status?: number | undefined;
  error?: unknown;
  /** It was rolled back or not run, so it ends as its call does: with a question, a refusal, or well, as a dry run. */
  isUndone?: boolean | undefined;
}

/** Ends a statement. Only the first call counts. */
export type EndStatement = (end: StatementEnd) => void;

/** What becomes known of one call of a tool while it runs: the parts that know something add it. Where calls are not recorded, it is undefined. */
export interface CallRecord {
  /** Added to statements, so that they can be recognized in the database; nothing in it can end a comment. */
  readonly tag: string | undefined;
  /** The trace that the requests of this call belong to. */
  readonly traceparent: string;
  /** The client, in letters that every header may have. */
  readonly clientName: string;
  /** Whether a statement was recorded. */
  readonly hasStatements: boolean;
  found(destination: Destination): void;
  /** Throws `E_AUDIT` for a write that cannot be recorded. */
  begin(facts: StatementFacts): EndStatement;
}

/** The record as the tool server holds it. */
export interface OpenRecord extends CallRecord {
  /** Called before a tool changes files or connections. Throws `E_AUDIT` when that cannot be recorded. */
  announce(): void;
  /** What the caller must be told of the recording itself. */
  notice(): string | undefined;
  /** `reply`: what a caller of tools gets; a command prints by itself. */
  end(outcome: { failure: Failure | undefined; reply?: ToolReply | undefined; confirmedBy?: string | undefined }): void;
}

/** A call as it begins. */
export interface BeginningCall {
  tool: string;
  about?: RequestFacts | undefined;
  origin: CallOrigin;
  /** The arguments before they were checked. */
  args?: unknown;
  /** Ends the call before it has ended by itself. */
  abort?(reason: Failure): void;
}

/** Makes a record of every call. */
export interface CallRecorder {
  begin(call: BeginningCall): OpenRecord;
  /** Records what has ended, and gives what takes longer a short time. */
  close(): Promise<void>;
}
