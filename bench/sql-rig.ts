import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openNode, type RunningEngine, startEngine } from '@dbmole/engines';
import pg from 'pg';
import { ServerProcess, textOf } from '../packages/core/src/testing/server-process.ts';
import { shopPostgres } from '../packages/dbmole-mcp/test/fixtures/shop-postgres.ts';

const program = fileURLToPath(new URL('../packages/dbmole-mcp/dist/main.js', import.meta.url));
const peerRelease = '@bytebase/dbhub@1.4.0';

/** A server that takes a statement and gives a text, whichever it is. */
export interface Peer {
  name: string;
  server: ServerProcess;
  query(sql: string): Promise<string>;
}

/** One PostgreSQL, the raw driver, our server and another one, all ready to be asked in turns. */
export interface SqlRig {
  raw: pg.Client;
  ours: Peer;
  /** Undefined where it could not be installed; the lines say so. */
  other: Peer | undefined;
  close(): Promise<void>;
}

const seed = [
  'create table ten as select i as id, md5(i::text) as name, i * 1.5 as price, i % 2 = 0 as active, now() as at from generate_series(1, 10) i',
  "create table hundred as select i as id, md5(i::text) as name, i * 1.5 as price, date '2024-01-01' + i as day, i * 1000 as amount from generate_series(1, 100) i",
  `create table wide as select i as id, ${Array.from({ length: 12 }, (_, n) => `md5((i + ${n})::text) as c${n}`).join(', ')} from generate_series(1, 300000) i`,
  "create table big as select 1 as id, repeat('x', 5000000) as cell",
];

let rig: Promise<SqlRig> | undefined;

/** Opened once for all lines that need it. */
export function sqlRig(node: string): Promise<SqlRig> {
  rig ??= openRig(node);
  return rig;
}

export async function closeSqlRig(): Promise<void> {
  await (await rig)?.close();
}

async function openRig(node: string): Promise<SqlRig> {
  const engine = await startEngine('postgres18');
  const { host, port, user, password } = engine;
  const raw = new pg.Client({ host, port, user, password, database: 'postgres' });
  await raw.connect();
  for (const statement of seed) await raw.query(statement);
  await raw.query(shopPostgres);
  await raw.query('analyze');
  const ours = await openOurs(engine, node);
  const other = await openOther(engine).catch((error: unknown) => {
    console.error(`without ${peerRelease}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
  return {
    raw,
    ours,
    other,
    async close() {
      await Promise.all([ours.server.stop(), other?.server.stop(), raw.end()]);
      await engine.stop();
    },
  };
}

async function openOurs({ host, port, user, password }: RunningEngine, node: string): Promise<Peer> {
  const connection = { name: 'bench', type: 'postgres', host, port, user, password, database: 'postgres' };
  const server = new ServerProcess({ file: program, node, env: { DBMOLE_CONNECTIONS: JSON.stringify([connection]) } });
  await server.initialize();
  return { name: 'dbmole-mcp', server, query: async (sql) => textOf(await server.callTool('query', { sql })) };
}

async function openOther({ host, port, user, password }: RunningEngine): Promise<Peer> {
  const folder = join(tmpdir(), 'mole-bench-peer');
  const file = join(folder, 'node_modules', '@bytebase', 'dbhub', 'dist', 'index.js');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    execFileSync(
      'npm',
      ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', peerRelease, 'pg@8.23.1'],
      { stdio: 'inherit' },
    );
  }
  const dsn = `postgres://${user}:${password}@${host}:${port}/postgres?sslmode=disable`;
  const server = new ServerProcess({ file, node: await openNode(22), args: ['--transport', 'stdio', '--dsn', dsn] });
  await server.initialize();
  return { name: 'dbhub', server, query: async (sql) => textOf(await server.callTool('execute_sql', { sql })) };
}
