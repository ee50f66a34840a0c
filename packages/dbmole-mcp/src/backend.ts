import type { Backend, BackendTarget } from '@dbmole/core';
import type { PlanReader, SqlCatalog } from './catalog.ts';
import type { CatalogRun, ReadEnd, ReadRequest, RowSink, ServerIdentity, SqlEngine, WriteEnd, WriteRequest } from './engine.ts';
import type { Connection, EngineType } from './schema.ts';
import { openSqlBackend, type SqlBackendOptions } from './sql-backend.ts';

export interface CallOptions {
  signal: AbortSignal;
  /** Another database than the configured one. */
  database?: string | undefined;
}

/** A read of the caller's, not yet guarded. */
export interface CallerRead extends Omit<ReadRequest, 'statement'> {
  sql: string;
}

/** One server, reached: a pool of sessions for each database that was asked for. */
export interface SqlBackend extends Backend {
  readonly catalog: SqlCatalog;
  readonly plan: PlanReader;
  /** What a person vouches for, one line each. */
  readonly trusted: readonly string[];
  identify(options: CallOptions): Promise<ServerIdentity>;
  /** Whether it is a read; else throws why not. */
  check(sql: string, options: CallOptions): Promise<void>;
  /** Runs a caller's statement, if the guard takes it for a read. */
  read(request: CallerRead, sink: RowSink, options: CallOptions): Promise<ReadEnd>;
  write(request: WriteRequest, sink: RowSink, options: CallOptions): Promise<WriteEnd>;
  /** For statements of our own over the catalog, bounded and read-only like any read. */
  catalogRun(options: CallOptions): CatalogRun;
}

/** All that is known of one engine. */
export interface EngineModules {
  engine: SqlEngine;
  catalog: SqlCatalog;
  plan: PlanReader;
}

/** Drivers are loaded when the first connection of their kind is opened, never at start. */
const engines: Record<EngineType, () => Promise<EngineModules>> = {
  postgres: async () => ({
    ...(await import('./engines/postgres/engine.ts')),
    ...(await import('./engines/postgres/catalog.ts')),
    ...(await import('./engines/postgres/plan.ts')),
  }),
  mysql: async () => ({
    ...(await import('./engines/mysql/engine.ts')),
    ...(await import('./engines/mysql/catalog.ts')),
    ...(await import('./engines/mysql/plan.ts')),
  }),
};

export async function createBackend(
  target: BackendTarget<Connection>,
  signal: AbortSignal,
  options?: SqlBackendOptions,
): Promise<SqlBackend> {
  const modules = await engines[target.config.type]();
  return await openSqlBackend(modules, target, signal, options);
}
