import { fileURLToPath } from 'node:url';
import { type RunningEngine, type ServerId, startEngine } from '@dbmole/engines';
import { openDbhub, type Peer } from './sql-peer.ts';
import { openRawMysql, openRawPostgres, type RawDriver } from './sql-raw.ts';
import { seedMysql, seedPostgres } from './sql-seed.ts';
import { StdioServer } from './stdio-server.ts';

const program = fileURLToPath(new URL('../packages/dbmole-mcp/dist/main.js', import.meta.url));

/** One engine, the raw driver, our server and perhaps another one, all ready to be asked in turns. */
export interface SqlRig {
  raw: RawDriver;
  ours: Peer;
  /** Another one of ours, which the caller stops. */
  open(): Promise<Peer>;
  /** On PostgreSQL, if it could be installed. */
  other: Peer | undefined;
  close(): Promise<void>;
}

let current: { id: ServerId; rig: Promise<SqlRig> } | undefined;

/** Opened once for all lines of an engine, which stand together; the engine before it is stopped. */
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
  const open = () => openOurs(engine, node, isPostgres ? 'postgres' : 'mysql');
  const ours = await open();
  const other = isPostgres ? await openDbhub(engine) : undefined;
  return {
    raw,
    ours,
    open,
    other,
    async close() {
      await Promise.all([ours.server.stop(), other?.server.stop(), raw.close()]);
      await engine.stop();
    },
  };
}

async function openOurs(engine: RunningEngine, node: string, type: 'postgres' | 'mysql'): Promise<Peer> {
  const { host, port, user, password } = engine;
  const database = type === 'postgres' ? 'postgres' : engine.database;
  const connection = { name: 'bench', type, host, port, user, password, database };
  const server = new StdioServer({ file: program, node, env: { DBMOLE_CONNECTIONS: JSON.stringify([connection]) } });
  await server.initialize();
  return { server, query: (sql) => server.callTool('query', { sql }) };
}
