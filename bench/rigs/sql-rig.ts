import { fileURLToPath } from 'node:url';
import { type RunningEngine, type ServerId, startEngine } from '@dbmole/engines';
import { type Floor, openFloor } from '../open-floor.ts';
import { StdioServer } from '../stdio-server.ts';
import { openDbhub, type Peer } from './sql-peer.ts';
import { openRawMysql, openRawPostgres, type RawDriver } from './sql-raw.ts';
import { seedMysql, seedPostgres } from './sql-seed.ts';

const program = fileURLToPath(new URL('../../packages/dbmole-mcp/dist/main.js', import.meta.url));

/** One engine, the raw driver, our server and perhaps another one, all ready to be asked in turns. */
export interface SqlRig {
  raw: RawDriver;
  ours: Peer;
  /** Another of our servers, which the caller stops. */
  open(database?: string): Promise<Peer>;
  /** Another connection of the driver, which the caller closes; PostgreSQL only. */
  openRaw(database: string): Promise<RawDriver>;
  /** PostgreSQL only. */
  other: Peer | undefined;
  /** PostgreSQL only. */
  floor: Floor | undefined;
  close(): Promise<void>;
}

let current: { id: ServerId; rig: Promise<SqlRig> } | undefined;

/** Opened once for all lines of an engine, which are next to one another; the engine before it is stopped. */
export async function sqlRig(id: ServerId, node: string): Promise<SqlRig> {
  if (current?.id !== id) {
    await closeSqlRig();
    current = { id, rig: openRig(id, node) };
  }
  return await current.rig;
}

export async function closeSqlRig(): Promise<void> {
  const last = current;
  current = undefined;
  // Why it could not be opened was said to the line that wanted it.
  await (await last?.rig.catch(() => undefined))?.close();
}

async function openRig(id: ServerId, node: string): Promise<SqlRig> {
  const engine = await startEngine(id);
  try {
    return await openPeers(engine, { isPostgres: id.startsWith('postgres'), node });
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function openPeers(engine: RunningEngine, { isPostgres, node }: { isPostgres: boolean; node: string }): Promise<SqlRig> {
  const raw = await (isPostgres ? openRawPostgres(engine) : openRawMysql(engine));
  for (const statement of isPostgres ? seedPostgres : seedMysql) await raw.query(statement);
  const open = (database?: string) => openOurs({ engine, node, type: isPostgres ? 'postgres' : 'mysql', database });
  const ours = await open();
  const other = isPostgres ? await openDbhub(engine) : undefined;
  const floor = isPostgres ? openFloor(engine, node) : undefined;
  return {
    raw,
    ours,
    open,
    openRaw: (database) => openRawPostgres(engine, database),
    other,
    floor,
    async close() {
      await Promise.all([ours.server.stop(), other?.server.stop(), floor?.close(), raw.close()]);
      await engine.stop();
    },
  };
}

interface OwnServer {
  engine: RunningEngine;
  node: string;
  type: 'postgres' | 'mysql';
  /** Undefined: the usual one. */
  database?: string | undefined;
}

async function openOurs({ engine, node, type, database }: OwnServer): Promise<Peer> {
  const { host, port, user, password } = engine;
  const usual = type === 'postgres' ? 'postgres' : engine.database;
  const connection = { name: 'bench', type, host, port, user, password, database: database ?? usual };
  const server = new StdioServer({ file: program, node, env: { DBMOLE_CONNECTIONS: JSON.stringify([connection]) } });
  await server.initialize();
  return { server, query: (sql) => server.callTool('query', { sql }) };
}
