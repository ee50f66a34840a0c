import type { BaseConnection } from '../connection.ts';
import type { Failure } from '../failure.ts';
import type { SecretUse } from './secrets/secret-memory.ts';

/** Where a connection was read from, strongest first: an earlier source shadows later ones of the same name. */
export type SourceKind = 'option' | 'env' | 'project' | 'store';

export interface Origin {
  kind: SourceKind;
  /** What a person edits: the option's or the variable's name, or the file's path. */
  where: string;
}

/** One connection as it is listed. `config` is there only if it can be used without changes. */
export interface Entry<C extends BaseConnection> {
  name: string;
  origin: Origin;
  /**
   * Validated, with references still unresolved: `Registry.resolve` reads secrets. Absent when `problem` is set.
   * `${VAR}` is still there wherever the schema takes a text; a field that must be a number or a word of a list shows its value.
   */
  config?: C;
  /** Why it cannot be used, with the key and the way out. */
  problem?: Failure;
  /** The weaker sources that hold a connection of this name. */
  shadows: readonly Origin[];
  /** Whether `add`, `update`, `remove` may change it: only the store. */
  editable: boolean;
  /** Variables that are used without a default and are not set: using the connection will fail until they are. Absent when none. */
  unset?: readonly string[];
  /**
   * Changes when anything about the connection changes, also a variable or a secret's file it refers to; equal configurations
   * have equal versions. Means nothing outside this process.
   */
  version: string;
}

/** A problem of a whole source: a broken file, or a project file that is not allowed. It never hides what other sources hold. */
export interface SourceProblem {
  origin: Origin;
  failure: Failure;
}

export interface Snapshot<C extends BaseConnection> {
  entries: readonly Entry<C>[];
  problems: readonly SourceProblem[];
}

/** A configuration whose references are resolved; never stored, never shown, only handed to what opens a connection. */
export interface Resolved<C extends BaseConnection> {
  config: C;
  version: string;
  /** The secrets in it that programs gave. */
  uses?: readonly SecretUse[];
}

/** What one client may use of the connections: never more than the server itself. */
export interface ConnectionLimits {
  /** Every connection is read-only. */
  readonly?: boolean | undefined;
  /** These only; absent: all. */
  connections?: readonly string[] | undefined;
}

export interface Registry<C extends BaseConnection> {
  /** Reads what changed since the last call (by stat) and answers from memory otherwise. */
  list(): Promise<Snapshot<C>>;
  /**
   * The entry of this name, or of the only connection when the name is left out.
   * Throws `unknown` with the nearest names, `input` when a name is needed, and the entry's own problem when it has one.
   */
  get(name?: string): Promise<Entry<C> & { config: C }>;
  /** `get`, with `${VAR}` expanded and secret references read. Every secret is remembered for redaction. */
  resolve(name?: string, signal?: AbortSignal): Promise<Resolved<C>>;
  /** Adds to the store. The input comes from a tool: references in it are refused, `${` in it is kept as text. */
  add(input: Record<string, unknown>, signal?: AbortSignal): Promise<Entry<C>>;
  /** Changes the store. null removes a field. `readonly` cannot be cleared. */
  update(name: string, patch: Record<string, unknown>, signal?: AbortSignal): Promise<Entry<C>>;
  /** Waits like the two above for others who change the store; when the signal is aborted meanwhile, nothing is changed. */
  remove(name: string, signal?: AbortSignal): Promise<void>;
  /** The same connections as one client may use them. */
  narrow(limits: ConnectionLimits): Registry<C>;
  /** The same three for a person at the command line, who may write references, change `readonly`, and send a secret elsewhere. */
  readonly person: UserEdits<C>;
}

export interface UserEdits<C extends BaseConnection> extends Pick<Registry<C>, 'add' | 'update' | 'remove'> {
  /** The connections with this one among them, to try it before it is saved. Throws what `add` would. */
  draft(input: Record<string, unknown>): Registry<C>;
  /** The connections with this one changed. Throws what `update` would. */
  draftUpdate(name: string, patch: Record<string, unknown>): Registry<C>;
  rename(name: string, to: string, signal?: AbortSignal): Promise<Entry<C>>;
}
