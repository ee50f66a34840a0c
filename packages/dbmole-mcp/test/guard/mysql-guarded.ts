import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningEngine, useEngine } from '@dbmole/engines';
import mysql, { type Connection } from 'mysql2/promise';
import { afterAll, beforeAll } from 'vitest';
import { createBackend, type SqlBackend } from '../../src/backend/backend.ts';
import type { Cell, Column, Param } from '../../src/engine.ts';
import { parseServerConnection } from '../server-connection.ts';
import type { CaseServer } from './case-file.ts';
import { accountPassword, accounts, buildFixture, type Flavour, guardDatabase, undoCases } from './mysql-fixture.ts';
import { prepareObserver, readServerState, type ServerState } from './mysql-server-state.ts';
import { clearFiles, type Site } from './mysql-site.ts';

export const guardEngines = ['mysql80', 'mysql97', 'mariadb1011'] as const;
type GuardEngine = (typeof guardEngines)[number];

const servers: Readonly<Record<GuardEngine, CaseServer & { flavour: Flavour }>> = {
  mysql80: { flavour: 'mysql', version: '8.0' },
  mysql97: { flavour: 'mysql', version: '9.7' },
  mariadb1011: { flavour: 'mariadb', version: '10.11' },
};

/** Needed when the cases are chosen, before any server runs. */
export function serverOf(id: GuardEngine): CaseServer & { flavour: Flavour } {
  return servers[id];
}

/** The superuser owns the server, the owner one database, and the reader may only read it. */
export type Role = 'superuser' | 'owner' | 'reader';

export interface GuardServer {
  readonly engine: RunningEngine;
  readonly flavour: Flavour;
  readonly site: Site;
  /** A superuser's, to look at what happened. */
  readonly observer: Connection;
  /** What the placeholders of the cases stand for; one is a session that statements might end. */
  values(role: Role): Readonly<Record<string, string | number>>;
  readState(): Promise<ServerState>;
  /** Recreates the fixture; everything that statements may have left is removed, as far as known. */
  rebuild(): Promise<void>;
  /** All that the server was asked to run as a text, one after another. */
  readLog(): string;
}

export const never = new AbortController().signal;

/** Starts a private server with the fixture; call it inside a describe. Settings make it an owned process that no other test sees. */
export function useGuardServer(id: GuardEngine, site: Site): () => GuardServer {
  const log = join(site.logs, id);
  const engine = useEngine(id, { settings: { ...site.settings, 'general-log': 'ON', 'general-log-file': log } });
  let server: OpenServer | undefined;
  beforeAll(async () => {
    server = await openGuardServer({ engine: engine(), flavour: serverOf(id).flavour, site, log });
    await server.rebuild();
  });
  afterAll(() => server?.close());
  return () => {
    if (server !== undefined) return server;
    throw new Error(`${id} is asked for before it runs`);
  };
}

interface Parts {
  engine: RunningEngine;
  flavour: Flavour;
  site: Site;
  log: string;
}

interface OpenServer extends GuardServer {
  close(): Promise<void>;
}

async function openGuardServer({ engine, flavour, site, log }: Parts): Promise<OpenServer> {
  const observer = await connectDirectly(engine);
  await prepareObserver(observer, flavour);
  let victim = await connectDirectly(engine);
  return {
    engine,
    flavour,
    site,
    observer,
    values: (role) => ({ OUT: site.out, VICTIM: victim.threadId, PASSWORD: login(engine, role).password }),
    readState: () => readServerState(observer, { flavour, site, victim: victim.threadId }),
    readLog: () => readFileSync(log, 'latin1'),
    async rebuild() {
      await undoCases(observer, flavour);
      await buildFixture(observer, { flavour, site });
      clearFiles(site);
      victim.destroy();
      victim = await connectDirectly(engine);
    },
    async close() {
      victim.destroy();
      await observer.end();
    },
  };
}

/** A session without a guard. */
export async function connectDirectly(engine: RunningEngine, role: Role = 'superuser', database?: string): Promise<Connection> {
  const { host, port } = engine;
  const connection = await mysql.createConnection({
    host,
    port,
    ...login(engine, role),
    charset: 'utf8mb4',
    // Else the driver adds this mode, and ours does not.
    flags: ['-IGNORE_SPACE'],
    ...(database === undefined ? {} : { database }),
  });
  // A test may have it killed.
  connection.on('error', () => undefined);
  return connection;
}

/** A backend of one session, so that what one call leaves the next one finds. */
export async function openGuarded(engine: RunningEngine, role: Role): Promise<SqlBackend> {
  const { host, port } = engine;
  const account = { ...login(engine, role), database: guardDatabase };
  const config = parseServerConnection({ name: 'guarded', type: 'mysql', host, port, ...account });
  const target = { config, connectHost: host, connectPort: port, serverName: host };
  return await createBackend(target, never, { pool: { size: 1 } });
}

function login(engine: RunningEngine, role: Role): { user: string; password: string } {
  if (role !== 'superuser') return { user: accounts[role], password: accountPassword };
  return { user: engine.user, password: engine.password };
}

interface Answer {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

export async function readGuarded(backend: SqlBackend, sql: string, params: readonly Param[] = []): Promise<Answer> {
  let columns: readonly Column[] = [];
  const rows: (readonly Cell[])[] = [];
  const sink = {
    columns: (found: readonly Column[]) => {
      columns = found;
    },
    row: (cells: readonly Cell[]) => rows.push(cells) < 1_000,
  };
  const request = { sql, params, timeoutMs: 2_000, keepPerCell: 1_000, maxRows: 1_000 };
  await backend.read(request, sink, { signal: never });
  return { columns, rows };
}
