import type { Backend, BackendTarget, Failure } from '@dbmole/core';
import type { ChangeReader, ChangeStatement, Sample, Verdict, WriteTransaction } from '../approval/change.ts';
import type { PlanReader, SqlCatalog } from '../catalog/catalog.ts';
import type { EngineType } from '../connection/connection-url.ts';
import type { Connection } from '../connection/schema.ts';
import type {
  CallerParam,
  CatalogRun,
  ReadEnd,
  ReadRequest,
  RowSink,
  ServerIdentity,
  SessionStep,
  SqlEngine,
  SqlGrammar,
  TextRows,
  WriteEnd,
  WriteRequest,
} from '../engine.ts';
import type { ColumnPlan } from '../guard/read-statement.ts';
import type { Scope } from '../policy/scope.ts';
import type { SessionPoolOptions } from './session-pool.ts';

export interface CallOptions {
  signal: AbortSignal;
  /** Another database than the configured one. */
  database?: string | undefined;
  /** The rows are a plan, which is checked against the scope before it is shown. */
  readsPlan?: boolean;
  /** A person at a terminal wants to see protected columns as they are. */
  reveals?: boolean;
}

/** A read of the caller's, not yet guarded. */
export interface CallerRead extends Omit<ReadRequest, 'statement' | 'params'> {
  sql: string;
  params: readonly CallerParam[];
}

interface CallerReadInto {
  request: CallerRead;
  sink: RowSink;
}

/** Statements of a caller in one transaction. */
export interface CallerTransaction {
  statements: readonly ChangeStatement[];
  timeoutMs: number;
  /** It is rolled back whatever happens, so what a rollback does not undo is refused. */
  isDryRun: boolean;
}

interface CallerWrite extends Omit<WriteRequest, 'params'> {
  params: readonly CallerParam[];
}

/** One open server: a pool of sessions for each requested database. */
export interface SqlBackend extends Backend {
  readonly catalog: SqlCatalog;
  /** What may be seen, if a person has limited it. Reads and the catalog obey it by themselves. */
  readonly scope: Scope | undefined;
  /** Whether values of some columns are hidden from callers. */
  readonly protectsColumns: boolean;
  readonly plan: PlanReader;
  readonly grammar: SqlGrammar;
  /** The engine by the name that connections have for it, and the configured database. */
  readonly place: { readonly type: EngineType; readonly database: string | undefined };
  /** Further lines of `test_connection`. */
  readonly remarks: readonly string[];
  identify(options: CallOptions): Promise<ServerIdentity>;
  /** Whether it is a read; else throws why not. Gives what the policy hides of its result. */
  check(sql: string, options: CallOptions): Promise<ColumnPlan | undefined>;
  /** Runs a caller's statement, if the guard takes it for a read. */
  read(request: CallerRead, sink: RowSink, options: CallOptions): Promise<ReadEnd>;
  /** Several of them in one transaction with one snapshot: each has a result of its own. `openReads` may be called again, for fresh sinks. */
  readAll(openReads: () => readonly CallerReadInto[], options: CallOptions): Promise<readonly (ReadEnd | Failure)[]>;
  /**
   * Steps in one transaction of one session, in which nothing is left: it is closed afterwards. Each has its rows, as text, or a failure
   * of its own.
   */
  readSteps(steps: readonly SessionStep[], options: CallOptions): Promise<readonly (TextRows | Failure)[]>;
  write(request: CallerWrite, sink: RowSink, options: CallOptions): Promise<WriteEnd>;
  /** What is known of a write before it runs. */
  readonly changes: ChangeReader;
  /** A statement with its values as the engine binds them. */
  bind(sql: string, params: readonly CallerParam[]): ChangeStatement;
  /** Runs the statements, of which `work` says when, and commits if it says so. */
  transact<T>(
    request: CallerTransaction,
    work: (transaction: WriteTransaction) => Promise<Verdict<T>>,
    options: CallOptions,
  ): Promise<T>;
  /** Examples of rows as the policy of columns shows them. */
  passSample(sample: Sample, options: CallOptions): Sample;
  /** For statements of our own over the catalog, bounded and read-only like any read. */
  catalogRun(options: CallOptions): CatalogRun;
  /** For statements of our own over what users may have created, such as the view of an extension: the guard checks them. */
  guardedRun(options: CallOptions): CatalogRun;
}

/** All that is known of one engine. */
export interface EngineModules {
  engine: SqlEngine;
  catalog: SqlCatalog;
  plan: PlanReader;
}

export interface SqlBackendOptions {
  /** Databases at most that have sessions at the same time. */
  databases?: number;
  pool?: Omit<SessionPoolOptions, 'open'>;
  /** Replaces the guard of the engine. */
  createGuard?: SqlEngine['createGuard'];
  /** Where definitions are remembered that a person trusts. */
  trustPath?: string;
  /** The folder of the person's own that keeps the key of pseudonyms. Undefined: they change with each process. */
  keyFolder?: string;
}

/** Drivers are loaded when the first connection of their kind is opened, never at start. */
const engines: Record<EngineType, () => Promise<EngineModules>> = {
  postgres: async () => ({
    ...(await import('../engines/postgres/engine.ts')),
    ...(await import('../engines/postgres/catalog/catalog.ts')),
    ...(await import('../engines/postgres/plan/plan.ts')),
  }),
  mysql: loadMysql,
  mariadb: loadMysql,
  sqlite: async () => ({
    ...(await import('../engines/sqlite/engine.ts')),
    ...(await import('../engines/sqlite/catalog/catalog.ts')),
    ...(await import('../engines/sqlite/plan/plan.ts')),
  }),
};

async function loadMysql(): Promise<EngineModules> {
  return {
    ...(await import('../engines/mysql/engine.ts')),
    ...(await import('../engines/mysql/catalog/catalog.ts')),
    ...(await import('../engines/mysql/plan/plan.ts')),
  };
}

/** How each engine writes statements; this loads no driver. */
export async function loadGrammars(): Promise<Readonly<Record<'postgres' | 'mysql' | 'sqlite', SqlGrammar>>> {
  const [postgres, mysql, sqlite] = await Promise.all([
    import('../engines/postgres/session/grammar.ts'),
    import('../engines/mysql/session/grammar.ts'),
    import('../engines/sqlite/session/grammar.ts'),
  ]);
  return { postgres: postgres.grammar, mysql: mysql.grammar, sqlite: sqlite.grammar };
}

export async function createBackend(
  target: BackendTarget<Connection>,
  signal: AbortSignal,
  options?: SqlBackendOptions,
): Promise<SqlBackend> {
  const [modules, { openSqlBackend }] = await Promise.all([engines[target.config.type](), import('./sql-backend.ts')]);
  return await openSqlBackend(modules, target, signal, options);
}
