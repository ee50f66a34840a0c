import { type BackendTarget, type ColumnRules, Failure, failureWith, listColumnLayers, type ProtectValue } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import { openGate, withGate } from '../cost/open-gate.ts';
import type {
  CatalogRun,
  ReadEnd,
  RowSink,
  Session,
  SessionRead,
  SessionStep,
  SnapshotRead,
  SqlEngine,
  TextRows,
} from '../engine.ts';
import { staleFailure } from '../failure.ts';
import { ownStatement } from '../guard/read-statement.ts';
import { createTrust, type Trust } from '../guard/trust.ts';
import { openProtectValue } from '../policy/protect-value.ts';
import type { Scope } from '../policy/scope.ts';
import { scopeCatalog } from '../policy/scoped-catalog.ts';
import { readText } from '../read-cell.ts';
import type { CallOptions, EngineModules, SqlBackend, SqlBackendOptions } from './backend.ts';
import { bindRead } from './bind-params.ts';
import { openCallerWrites } from './caller-writes.ts';
import { listScopes, openScope, refuseDatabase, refuseOwnPlan } from './connection-scope.ts';
import { checkOnly, type DatabaseEntry, type GuardedCall, readAllGuarded, readGuarded } from './guarded-read.ts';
import { SessionPool } from './session-pool.ts';
import { adviseWrite } from './write-advice.ts';

const maxDatabases = 8;

/** Catalog statements have their own limits; these apply if one of them does not. */
const catalogBounds = { rows: 20_000, cell: 1_000_000, characters: 100_000_000, timeoutMs: 600_000 };

/** Opens one session immediately, so that an invalid connection fails when it is opened. */
export async function openSqlBackend(
  modules: EngineModules,
  target: BackendTarget<Connection>,
  signal: AbortSignal,
  options: SqlBackendOptions = {},
): Promise<SqlBackend> {
  const { engine, plan } = modules;
  const scope = openScope(target.config, engine);
  const catalog = scope === undefined ? modules.catalog : scopeCatalog(modules.catalog, scope);
  const { pools, revealing } = await openPools(modules, target, options);
  await pools.warm(signal);
  const of = (call: CallOptions) =>
    (call.reveals === true ? revealing : pools).of(chooseDatabase(call, target.config, { engine, scope }));
  const place = { config: target.config, grammar: engine.grammar };
  const hint = <E>(error: E, sql: string) => adviseWrite(hinted(engine, error, sql), sql, place);
  const hinting = <T>(sql: string, work: Promise<T>) => work.catch((error: unknown) => Promise.reject(hint(error, sql)));
  const gate = openGate(target.config, { plan, catalog, scope });
  const guarded = (call: CallOptions) => openCall({ engine, scope, hint }, backend.catalogRun(call), call);
  const limited = (call: CallOptions) => withGate(gate, guarded(call));
  const find = (call: CallOptions) => ({ entry: of(call), run: guarded(call).run });
  const writes = openCallerWrites({ engine, scope, config: target.config }, { hint, find, onWritten: () => gate?.forget() });
  const backend: SqlBackend = {
    catalog,
    scope,
    protectsColumns: pools.protectsColumns,
    plan,
    grammar: engine.grammar,
    place: { type: target.config.type, database: target.config.database },
    remarks: formatTrusted(target.config),
    identify: (call) => engine.identify(backend.catalogRun(call)),
    check: (sql, call) => hinting(sql, checkOnly(of(call), guarded(call), sql)).then(({ columns }) => columns),
    read: (request, sink, call) =>
      hinting(request.sql, readGuarded(of(call), limited(call), bindRead(engine, { request, sink }))),
    readAll: (openReads, call) =>
      readAllGuarded(of(call), limited(call), () => openReads().map((read) => bindRead(engine, read))),
    readSteps: (steps, call) => readSteps(of(call), guarded(call), steps),
    ...writes,
    catalogRun: (call) => createPooledRun(() => of(call), engine, call.signal),
    guardedRun: (call) =>
      createCatalogRun(({ statement: { sql }, ...rest }, sink) =>
        readGuarded(of(call), guarded(call), { request: { ...rest, sql }, sink }),
      ),
    unconfirmed: () => pools.unconfirmed,
    pool: () => pools.status,
    dispose: async () => void (await Promise.all([pools.dispose(), revealing.dispose()])),
  };
  return backend;
}

/** A person who wants to see protected columns as they are gets sessions of their own, whose guard knows no rules for columns. */
async function openPools(modules: EngineModules, target: BackendTarget<Connection>, options: SqlBackendOptions) {
  const protect = await openProtectValue(target.config, options.keyFolder);
  const columns = listColumnLayers(target.config);
  return {
    pools: new DatabasePools(modules, target, { ...options, protect, columns }),
    revealing: new DatabasePools(modules, target, { ...options, protect: undefined, columns: undefined }),
  };
}

function chooseDatabase({ database: given }: CallOptions, { database: own, user }: Connection, { engine, scope }: Scoped) {
  const database = given ?? own;
  refuseDatabase(scope, database, { scopeDialect: engine.scopeDialect, user });
  return database;
}

interface Scoped {
  engine: SqlEngine;
  scope: Scope | undefined;
}

type Hinting = Scoped & Pick<GuardedCall, 'hint'>;

function openCall({ engine, scope, hint }: Hinting, run: CatalogRun, options: CallOptions): GuardedCall {
  return {
    refuse: (sql) => refuseOwnPlan(sql, { call: options, scope, grammar: engine.grammar }),
    options,
    run,
    runOver: (read) => createCatalogRun(read, engine),
    hint,
  };
}

function hinted<E>(engine: SqlEngine, error: E, sql: string): E | Failure {
  if (!(error instanceof Failure)) return error;
  const hint = engine.hintFor(error, sql);
  return hint === undefined ? error : failureWith(error, { hint });
}

interface PoolsOptions extends SqlBackendOptions {
  protect: ProtectValue | undefined;
  columns: readonly ColumnRules[] | undefined;
}

/** A pool for each requested database; the least recently used are closed when there are too many. */
class DatabasePools {
  readonly #modules: EngineModules;
  readonly #target: BackendTarget<Connection>;
  readonly #options: PoolsOptions;
  /** Ordered by last use. */
  readonly #pools = new Map<string | undefined, DatabaseEntry>();
  readonly #leaving = new Set<Promise<void>>();
  #warm = false;

  constructor(modules: EngineModules, target: BackendTarget<Connection>, options: PoolsOptions) {
    this.#modules = modules;
    this.#target = target;
    this.#options = options;
  }

  get protectsColumns(): boolean {
    return this.#options.protect !== undefined;
  }

  get unconfirmed(): number {
    return [...this.#pools.values()].reduce((sum, { pool }) => sum + pool.unconfirmed, 0);
  }

  /** The sum over the pools of all databases. */
  get status(): { sessions: number; waiting: number } {
    const each = [...this.#pools.values()].map(({ pool }) => pool.status);
    const sum = (key: 'sessions' | 'waiting') => each.reduce((total, one) => total + one[key], 0);
    return { sessions: sum('sessions'), waiting: sum('waiting') };
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
    return {
      pool: new SessionPool({ ...this.#options.pool, open }),
      guard: createGuard({
        trust: this.#openTrust(database),
        scope: listScopes(this.#target.config),
        columns: this.#options.columns,
      }),
      protect: this.#options.protect,
      scope: openScope(this.#target.config, this.#modules.engine),
      unstableUntil: 0,
    };
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
      // The password was good when the connection was opened. It may have been changed, and reopening reads it again.
      throw this.#warm && isRefusal(error) && (await this.#isRefusedAnywhere(database, signal)) ? staleFailure() : error;
    }
  }

  /** Whether the login fails everywhere, or only at this database, which the user may have no right to enter. */
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
    const maxEntries = this.#options.databases ?? maxDatabases;
    if (this.#pools.size < maxEntries) return;
    const found = [...this.#pools].find(([, { pool }]) => !pool.inUse);
    if (found === undefined) {
      throw new Failure('limit', `all ${maxEntries} databases that this connection may use at once are busy; nothing was run`, {
        code: 'E_POOL_BUSY',
        hint: 'Retry when a call has ended.',
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

interface Question extends SessionRead {
  resolve(end: ReadEnd): void;
  reject(error: unknown): void;
}

/** Questions that are asked together, with nothing awaited in between, are sent together. */
function createPooledRun(find: () => DatabaseEntry, engine: SqlEngine, signal: AbortSignal): CatalogRun {
  const waiting: Question[] = [];
  const read: SnapshotRead = (request, sink) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ request, sink, resolve, reject }) > 1) return;
      queueMicrotask(() => void askAll(waiting.splice(0), () => find().pool, signal));
    });
  return Object.defineProperty(createCatalogRun(read, engine), 'database', { get: find });
}

async function askAll(questions: readonly Question[], findPool: () => SessionPool, signal: AbortSignal): Promise<void> {
  const ask = async (session: Session): Promise<readonly (ReadEnd | Failure)[]> => {
    const [first, second] = questions;
    if (first === undefined || second !== undefined) return await session.readAll(questions, signal);
    return [await session.read(first.request, first.sink, signal)];
  };
  try {
    const ends = await findPool().use(signal, ask);
    for (const [i, { resolve, reject }] of questions.entries()) {
      const end = ends[i];
      if (end === undefined || end instanceof Failure) reject(end);
      else resolve(end);
    }
  } catch (error) {
    for (const { reject } of questions) reject(error);
  }
}

async function readSteps(
  entry: DatabaseEntry,
  call: GuardedCall,
  steps: readonly SessionStep[],
): Promise<readonly (TextRows | Failure)[]> {
  let results: (string | null)[][][] = [];
  const ends = await readAllGuarded(entry, call, () => {
    results = steps.map(() => []);
    return steps.map((step, i) => ({ request: toRequest(step), sink: collectTexts(results[i] ?? []) }));
  });
  return results.map((rows, i) => {
    const end = ends[i];
    return end === undefined || end instanceof Failure ? (end ?? staleFailure()) : rows;
  });
}

function toRequest(step: SessionStep) {
  const { params, timeoutMs } = step;
  const request = { params, timeoutMs, keepPerCell: catalogBounds.cell, maxRows: undefined };
  return 'sql' in step ? { sql: step.sql, ...request } : { sql: step.own, statement: ownStatement(step.own, true), ...request };
}

function collectTexts(rows: (string | null)[][]): RowSink {
  return {
    columns: () => undefined,
    row: (cells) => rows.push(cells.map(readText)) <= catalogBounds.rows,
  };
}

function createCatalogRun(read: SnapshotRead, { formatQuestion }: Pick<SqlEngine, 'formatQuestion'> = {}): CatalogRun {
  return async (sql, params = []) => {
    const rows: (string | null)[][] = [];
    let size = 0;
    const isFull = () => rows.length > catalogBounds.rows || size > catalogBounds.characters;
    const sink: RowSink = {
      columns: () => undefined,
      row(cells) {
        const texts = cells.map(readText);
        rows.push(texts);
        for (const text of texts) size += 1 + (text?.length ?? 0);
        return !isFull();
      },
    };
    const maxRows = catalogBounds.rows + 1;
    const request = {
      statement: ownStatement(formatQuestion?.(sql, params, maxRows) ?? sql),
      params: formatQuestion === undefined ? params : [],
      timeoutMs: catalogBounds.timeoutMs,
      keepPerCell: catalogBounds.cell,
      maxRows,
      isBounded: formatQuestion !== undefined,
    };
    await read(request, sink);
    if (!isFull()) return rows;
    const { rows: maxEntries, characters } = catalogBounds;
    const message = `the catalog has more than ${maxEntries} rows or ${characters} characters of this`;
    throw new Failure('limit', message, { hint: 'Narrow the question with a schema or a pattern.' });
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'auth';
}
