import { type BackendTarget, Failure, failureWith, untilAborted } from '@dbmole/core';
import type { CallerRead, CallOptions, EngineModules, SqlBackend } from './backend.ts';
import type { CatalogRun, Cell, ReadEnd, RowSink, Session, SqlEngine } from './engine.ts';
import { staleFailure } from './failure.ts';
import { checkText, ownStatement, premiseCode, type ReadGuard } from './guard/read-statement.ts';
import { createTrust, type Trust } from './guard/trust.ts';
import type { Connection } from './schema.ts';
import { SessionPool, type SessionPoolOptions } from './session-pool.ts';

export interface SqlBackendOptions {
  /** Databases at most that have sessions at the same time. */
  databases?: number;
  pool?: Omit<SessionPoolOptions, 'open'>;
  /** Instead of the guard of the engine. */
  createGuard?: (trust?: Trust) => ReadGuard;
  /** Where definitions are remembered that a person trusts. */
  trustPath?: string;
}

const mostDatabases = 8;

/** Statements over the catalog bound themselves; these are for the day when one of them does not. */
const catalogBounds = { rows: 20_000, cell: 1_000_000, characters: 100_000_000, timeoutMs: 600_000 };

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
  const of = ({ database }: CallOptions) => pools.of(database ?? target.config.database);
  const use = <T>(call: CallOptions, work: (session: Session) => Promise<T>) => of(call).pool.use(call.signal, work);
  const hinting = <T>(sql: string, work: Promise<T>) =>
    work.catch((error: unknown) => Promise.reject(hinted(engine, error, sql)));
  const backend: SqlBackend = {
    catalog,
    plan,
    trusted: formatTrusted(target.config),
    identify: (call) => engine.identify(backend.catalogRun(call)),
    check: async (sql, call) =>
      void (await hinting(sql, untilAborted(of(call).guard.check(sql, backend.catalogRun(call)), call.signal))),
    read: (request, sink, call) =>
      hinting(request.sql, readGuarded(of(call), { request, sink, call, run: backend.catalogRun(call) })),
    async write(request, sink, call) {
      checkText(request.sql);
      return await hinting(
        request.sql,
        use(call, (session) => session.write(request, sink, call.signal)),
      );
    },
    catalogRun: (call) => createCatalogRun((work) => use(call, work), call.signal),
    unconfirmed: () => pools.unconfirmed,
    dispose: () => pools.dispose(),
  };
  return backend;
}

function hinted(engine: SqlEngine, error: unknown, sql: string): unknown {
  if (!(error instanceof Failure)) return error;
  const hint = engine.hintFor(error, sql);
  return hint === undefined ? error : failureWith(error, { hint });
}

/** What there is of each database. */
interface DatabaseEntry {
  readonly pool: SessionPool;
  readonly guard: ReadGuard;
}

interface GuardedRead {
  request: CallerRead;
  sink: RowSink;
  call: CallOptions;
  run: CatalogRun;
}

/** When the server is no longer what the guard knows, the statement did not run, and the guard looks again: once. */
async function readGuarded(entry: DatabaseEntry, read: GuardedRead): Promise<ReadEnd> {
  try {
    return await readOnce(entry, read);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== premiseCode) throw error;
    entry.guard.forget();
    return await readOnce(entry, read);
  }
}

async function readOnce({ pool, guard }: DatabaseEntry, { request: { sql, ...rest }, sink, call, run }: GuardedRead) {
  const statement = await untilAborted(guard.check(sql, run), call.signal);
  return await pool.use(call.signal, (session) => session.read({ statement, ...rest }, sink, call.signal));
}

/** A pool for each database that was asked for; those that were not used for longest go when there are too many. */
class DatabasePools {
  readonly #modules: EngineModules;
  readonly #target: BackendTarget<Connection>;
  readonly #options: SqlBackendOptions;
  /** In the order of their last use. */
  readonly #pools = new Map<string | undefined, DatabaseEntry>();
  readonly #leaving = new Set<Promise<void>>();
  #warm = false;

  constructor(modules: EngineModules, target: BackendTarget<Connection>, options: SqlBackendOptions) {
    this.#modules = modules;
    this.#target = target;
    this.#options = options;
  }

  get unconfirmed(): number {
    return [...this.#pools.values()].reduce((sum, { pool }) => sum + pool.unconfirmed, 0);
  }

  async warm(signal: AbortSignal): Promise<void> {
    await this.of(this.#target.config.database).pool.warm(signal);
    this.#warm = true;
  }

  of(database: string | undefined): DatabaseEntry {
    const known = this.#pools.get(database);
    this.#pools.delete(database);
    const entry = known ?? this.#create(database);
    this.#pools.set(database, entry);
    return entry;
  }

  async dispose(): Promise<void> {
    for (const { pool } of this.#pools.values()) this.#drop(pool);
    await Promise.all(this.#leaving);
  }

  #create(database: string | undefined): DatabaseEntry {
    this.#makeRoom();
    const open = (signal: AbortSignal) => this.#openSession(database, signal);
    const createGuard = this.#options.createGuard ?? this.#modules.engine.createGuard;
    return { pool: new SessionPool({ ...this.#options.pool, open }), guard: createGuard(this.#openTrust(database)) };
  }

  #openTrust(database: string | undefined): Trust | undefined {
    const { type, host, port, user, trust } = this.#target.config;
    const place = `${type}://${user}@${host}:${port ?? ''}/${database ?? ''}`;
    return createTrust({ ...trust, path: this.#options.trustPath, place });
  }

  async #openSession(database: string | undefined, signal: AbortSignal): Promise<Session> {
    try {
      return await this.#modules.engine.openSession({ ...this.#target, database }, signal);
    } catch (error) {
      // The password was good when the connection was opened. It may have been changed, and a new opening reads it anew.
      throw this.#warm && isRefusal(error) && (await this.#isRefusedAnywhere(database, signal)) ? staleFailure() : error;
    }
  }

  /** Or only at this database, which the user perhaps may not enter. */
  async #isRefusedAnywhere(database: string | undefined, signal: AbortSignal): Promise<boolean> {
    if (database === this.#target.config.database) return true;
    try {
      const session = await this.#modules.engine.openSession({ ...this.#target, database: this.#target.config.database }, signal);
      await session.close();
      return false;
    } catch (error) {
      return isRefusal(error);
    }
  }

  #makeRoom(): void {
    const most = this.#options.databases ?? mostDatabases;
    if (this.#pools.size < most) return;
    const found = [...this.#pools].find(([, { pool }]) => !pool.inUse);
    if (found === undefined) {
      throw new Failure('limit', `calls run on ${most} databases of this connection, the most it takes at once`, {
        code: 'E_POOL_BUSY',
        hint: 'Call again when one of them has ended.',
      });
    }
    const [database, { pool }] = found;
    this.#pools.delete(database);
    this.#drop(pool);
  }

  #drop(pool: SessionPool): void {
    const leaving = pool.dispose().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}

function formatTrusted({ trust }: Connection): readonly string[] {
  const { functions = [], extensions = [] } = trust ?? {};
  const names = [...functions, ...extensions.map((name) => `extension ${name}`)];
  return names.length === 0 ? [] : [`trusted without a check: ${names.join(', ')}`];
}

type UseSession = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

function createCatalogRun(use: UseSession, signal: AbortSignal): CatalogRun {
  return async (sql, params = []) => {
    const rows: (string | null)[][] = [];
    let size = 0;
    const isFull = () => rows.length > catalogBounds.rows || size > catalogBounds.characters;
    const sink: RowSink = {
      columns: () => undefined,
      row(cells) {
        const texts = cells.map(textOf);
        rows.push(texts);
        for (const text of texts) size += 1 + (text?.length ?? 0);
        return !isFull();
      },
    };
    const request = {
      statement: ownStatement(sql),
      params,
      timeoutMs: catalogBounds.timeoutMs,
      keepPerCell: catalogBounds.cell,
      maxRows: catalogBounds.rows + 1,
    };
    await use((session) => session.read(request, sink, signal));
    if (!isFull()) return rows;
    const { rows: most, characters } = catalogBounds;
    const message = `the catalog has more than ${most} rows or ${characters} characters for this`;
    throw new Failure('limit', message, { hint: 'Narrow it down.' });
  };
}

function textOf(cell: Cell): string | null {
  return typeof cell === 'object' && cell !== null ? cell.text : cell;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'auth';
}
