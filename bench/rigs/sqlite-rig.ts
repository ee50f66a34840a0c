import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openNode } from '@dbmole/engines';
import { installPeer } from '../peers/open-peer.ts';
import { dbhub } from '../peers/programs.ts';
import { StdioServer } from '../stdio-server.ts';
import type { Peer } from './sql-peer.ts';

const program = fileURLToPath(new URL('../../packages/dbmole-mcp/dist/main.js', import.meta.url));
const better = { name: 'better-sqlite3', version: '12.4.1' };
const bigRows = 5_000_000;

/** One file, our server over it, and others for comparison where they can be installed. */
export interface SqliteRig {
  file: string;
  folder: string;
  node: string;
  ours: Peer;
  /** Another of our servers, which the caller stops. */
  open(): Promise<Peer>;
  /** Undefined where it could not be installed. */
  other: Peer | undefined;
  /** The median of a read by better-sqlite3 within its process, in milliseconds. */
  timeInProcess(sql: string): number | undefined;
}

const seed = `process.removeAllListeners('warning');
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const db = new DatabaseSync(process.argv[1]);
const numbers = (n) => 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ' + n + ')';
db.exec("create table ten (id integer primary key, name text, price real, active int, at text);" +
  numbers(10) + " insert into ten select i, 'name ' || i, i * 1.5, i % 2, '2024-01-01 00:00:00' from n;" +
  "create table wide (id integer primary key, " + Array.from({ length: 12 }, (_, i) => 'c' + i).join(', ') + ");" +
  numbers(300000) + " insert into wide select i, " + Array.from({ length: 12 }, (_, i) => "'value ' || (i * " + (i + 7) + ")").join(', ') + " from n;" +
  "create table big (id integer primary key, body text); insert into big values (1, replace(hex(zeroblob(2500000)), '00', 'xy'));" +
  "create table many (id integer primary key, name text, amount real);" +
  numbers(${bigRows}) + " insert into many select i, 'name ' || i, i * 0.25 from n");
db.close();`;

const inProcess = `const Database = require(process.argv[1]);
const db = new Database(process.argv[2], { readonly: true });
const times = [];
for (let i = 0; i < 2000; i += 1) {
  const started = performance.now();
  db.prepare(process.argv[3]).all();
  times.push(performance.now() - started);
}
console.log(times.sort((a, b) => a - b)[1000]);`;

let current: Promise<SqliteRig> | undefined;

/** Opened once for all lines. */
export async function sqliteRig(): Promise<SqliteRig> {
  current ??= openRig();
  return await current;
}

export async function closeSqliteRig(): Promise<void> {
  const rig = await current?.catch(() => undefined);
  current = undefined;
  await Promise.all([rig?.ours.server.stop(), rig?.other?.server.stop()]);
  if (rig !== undefined) rmSync(rig.folder, { recursive: true, force: true });
}

/** Node 24, because Node 20 has no SQLite. */
async function openRig(): Promise<SqliteRig> {
  const node = await openNode(24);
  const folder = mkdtempSync(join(tmpdir(), 'mole-bench-sqlite-'));
  const file = join(folder, 'bench.db');
  execFileSync(node, ['-e', seed, file]);
  const open = async () => await openOurs(node, file, folder);
  return {
    file,
    folder,
    node,
    open,
    ours: await open(),
    other: await openOther(node, file),
    timeInProcess: (sql) => timeBetter(file, sql),
  };
}

async function openOurs(node: string, file: string, folder: string): Promise<Peer> {
  const env = { DBMOLE_CONNECTIONS: JSON.stringify([{ name: 'bench', type: 'sqlite', file }]), DBMOLE_EXPORT_DIR: folder };
  const server = new StdioServer({ file: program, node, env });
  await server.initialize();
  return { server, query: (sql) => server.callTool('query', { sql }) };
}

async function openOther(node: string, file: string): Promise<Peer | undefined> {
  try {
    const { package: own = { name: '', version: '' } } = dbhub;
    const server = new StdioServer({
      file: join(installPeer(own), dbhub.file),
      node,
      args: ['--transport', 'stdio', '--dsn', `sqlite://${file}`],
    });
    await server.initialize();
    return { server, query: (sql) => server.callTool(dbhub.tool, dbhub.arguments(sql)) };
  } catch (error) {
    console.error(`without ${dbhub.name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Its binary is that of the Node that runs the bench, for which npm compiles or fetches it. */
function timeBetter(file: string, sql: string): number | undefined {
  try {
    const found = installPeer(better);
    if (!existsSync(found)) return undefined;
    return Number(execFileSync(process.execPath, ['-e', inProcess, found, file, sql], { encoding: 'utf8' }));
  } catch (error) {
    console.error(`without ${better.name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
