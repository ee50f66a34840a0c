import { type BackendTarget, Failure } from '@dbmole/core';
import type { CallOptions, EngineModules, SqlBackend } from './backend.ts';
import type { CatalogRun, Cell, RowSink, Session } from './engine.ts';
import { staleFailure } from './failure.ts';
import { guardRead } from './guard/read-statement.ts';
import type { Connection } from './schema.ts';
import { SessionPool, type SessionPoolOptions } from './session-pool.ts';

export interface SqlBackendOptions {
  /** Databases at most that have sessions at the same time. */
  databases?: number;
  pool?: Omit<SessionPoolOptions, 'open'>;
}

const mostDatabases = 8;

/** Statements over the catalog bound themselves; these are for the day when one of them does not. */
const catalogBounds = { rows: 20_000, cell: 1_000_000, timeoutMs: 600_000 };

/** Opens one session at once, so that whatever is wrong with the connection is said when it is opened. */
export async function openSqlBackend(
  modules: EngineModules,
  target: BackendTarget<Connection>,
  signal: AbortSignal,
  options: SqlBackendOptions = {},
): Promise<SqlBackend> {
  const { engine, catalog, plan } = modules;
  const pools = new DatabasePools(modules, target, options);
  await pools.warm(signal);
  const use = <T>({ database, signal }: CallOptions, work: (session: Session) => Promise<T>) =>
    pools.of(database ?? target.config.database).use(signal, work);
  const backend: SqlBackend = {
    catalog,
    plan,
    identify: (call) => engine.identify(backend.catalogRun(call)),
    read: (request, sink, call) => use(call, (session) => session.read(request, sink, call.signal)),
    write: (request, sink, call) => use(call, (session) => session.write(request, sink, call.signal)),
    catalogRun: (call) => createCatalogRun(backend, call),
    dispose: () => pools.dispose(),
  };
  return backend;
}

/** A pool for each database that was asked for; those that were not used for longest go when there are too many. */
class DatabasePools {
  readonly #modules: EngineModules;
  readonly #target: BackendTarget<Connection>;
  readonly #options: SqlBackendOptions;
  /** In the order of their last use. */
  readonly #pools = new Map<string | undefined, SessionPool>();
  readonly #leaving = new Set<Promise<void>>();
  #warm = false;

  constructor(modules: EngineModules, target: BackendTarget<Connection>, options: SqlBackendOptions) {
    this.#modules = modules;
    this.#target = target;
    this.#options = options;
  }

  async warm(signal: AbortSignal): Promise<void> {
    await this.of(this.#target.config.database).warm(signal);
    this.#warm = true;
  }

  of(database: string | undefined): SessionPool {
    const known = this.#pools.get(database);
    this.#pools.delete(database);
    const pool = known ?? this.#create(database);
    this.#pools.set(database, pool);
    return pool;
  }

  async dispose(): Promise<void> {
    for (const pool of this.#pools.values()) this.#drop(pool);
    await Promise.all(this.#leaving);
  }

  #create(database: string | undefined): SessionPool {
    this.#makeRoom();
    const open = (signal: AbortSignal) => this.#openSession(database, signal);
    return new SessionPool({ ...this.#options.pool, open });
  }

  async #openSession(database: string | undefined, signal: AbortSignal): Promise<Session> {
    try {
      return await this.#modules.engine.openSession({ ...this.#target, database }, signal);
    } catch (error) {
      // The password was good when the connection was opened. It may have been changed, and a new opening reads it anew.
      const changed = this.#warm && database === this.#target.config.database;
      throw changed && error instanceof Failure && error.kind === 'auth' ? staleFailure() : error;
    }
  }

  #makeRoom(): void {
    const most = this.#options.databases ?? mostDatabases;
    if (this.#pools.size < most) return;
    const found = [...this.#pools].find(([, pool]) => !pool.inUse);
    if (found === undefined) {
      throw new Failure('limit', `calls run on ${most} databases of this connection, the most it takes at once`, {
        code: 'E_POOL_BUSY',
        hint: 'Call again when one of them has ended.',
      });
    }
    const [database, pool] = found;
    this.#pools.delete(database);
    this.#drop(pool);
  }

  #drop(pool: SessionPool): void {
    const leaving = pool.dispose().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}

function createCatalogRun(backend: Pick<SqlBackend, 'read'>, options: CallOptions): CatalogRun {
  return async (sql, params = []) => {
    const rows: (string | null)[][] = [];
    const sink: RowSink = {
      columns: () => undefined,
      row: (cells) => rows.push(cells.map(textOf)) <= catalogBounds.rows,
    };
    const request = {
      statement: guardRead(sql),
      params,
      timeoutMs: catalogBounds.timeoutMs,
      keepPerCell: catalogBounds.cell,
      maxRows: catalogBounds.rows + 1,
    };
    await backend.read(request, sink, options);
    if (rows.length <= catalogBounds.rows) return rows;
    throw new Failure('limit', `the catalog has more than ${catalogBounds.rows} rows for this`, { hint: 'Narrow it down.' });
  };
}

function textOf(cell: Cell): string | null {
  return typeof cell === 'object' && cell !== null ? cell.text : cell;
}
