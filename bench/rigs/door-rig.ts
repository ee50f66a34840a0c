import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openNode, type RunningEngine, startEngine } from '@dbmole/engines';
import { HttpProcess } from '../../packages/core/src/testing/http/http-process.ts';
import { findUnusedPort } from '../../packages/core/src/testing/loopback.ts';
import { installPeer } from '../peers/open-peer.ts';
import { dbhub } from '../peers/programs.ts';
import { StdioServer } from '../stdio-server.ts';
import { openRawPostgres } from './sql-raw.ts';
import { seedPostgres } from './sql-seed.ts';

const packageFolder = new URL('../../packages/dbmole-mcp/', import.meta.url);
const program = fileURLToPath(new URL('dist/main.js', packageFolder));
const library = new URL('dist/library.js', packageFolder).href;
const caller = fileURLToPath(new URL('library-caller.mjs', import.meta.url));
const sharedArgs = ['--shared', '--idle', '3s'];

/** One statement through one door; answers the milliseconds that its caller waited. */
type DoorRead = (sql: string) => Promise<number>;

export const doorNames = ['stdio', 'shared', 'http', 'library'] as const;
export type DoorName = (typeof doorNames)[number];

/** One engine and one server behind each door. */
export interface DoorRig {
  reads: Record<DoorName, DoorRead>;
  /** Another server over HTTP; undefined where it could not be installed. */
  dbhub: DoorRead | undefined;
  /** A session of its own, and one of a shared process; the caller stops them. */
  openAlone(): Promise<StdioServer>;
  openShared(home: string): Promise<StdioServer>;
  /** A session of the shared process that serves `reads`, not yet asked. */
  startFront(): StdioServer;
  close(): Promise<void>;
}

type Closers = (() => Promise<unknown>)[];

let current: Promise<DoorRig> | undefined;

export async function doorRig(node: string): Promise<DoorRig> {
  current ??= openRig(node);
  return await current;
}

export async function closeDoorRig(): Promise<void> {
  const last = current;
  current = undefined;
  // Why it could not be opened was said to the line that wanted it.
  await (await last?.catch(() => undefined))?.close();
}

async function openRig(node: string): Promise<DoorRig> {
  const closers: Closers = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const engine = await startEngine('postgres18');
    closers.push(() => engine.stop());
    await seed(engine);
    const dbhub = await openDbhub(engine, closers).catch(() => undefined);
    return { ...(await openDoors(connectionsTo(engine), node, closers)), dbhub, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function seed(engine: RunningEngine): Promise<void> {
  const raw = await openRawPostgres(engine);
  for (const statement of seedPostgres.filter((one) => /^create table ten|^analyze/.test(one))) await raw.query(statement);
  await raw.close();
}

function connectionsTo({ host, port, user, password }: RunningEngine): string {
  return JSON.stringify([{ name: 'bench', type: 'postgres', host, port, user, password, database: 'postgres' }]);
}

async function openDoors(connections: string, node: string, closers: Closers): Promise<Omit<DoorRig, 'close' | 'dbhub'>> {
  const env = { DBMOLE_CONNECTIONS: connections };
  const home = mkdtempSync(join(tmpdir(), 'mole-bench-doors-'));
  closers.push(async () => rmSync(home, { recursive: true, force: true }));
  const start = (shared?: string) =>
    new StdioServer({ file: program, node, env, ...(shared !== undefined && { args: sharedArgs, home: shared }) });
  const open = async (shared?: string) => {
    const server = start(shared);
    await server.initialize();
    return server;
  };
  const [stdio, shared] = [await open(), await open(home)];
  closers.push(() => stdio.stop());
  closers.push(() => shared.stop());
  const reads = {
    stdio: timedRead((sql) => stdio.callTool('query', { sql })),
    shared: timedRead((sql) => shared.callTool('query', { sql })),
    http: await openHttp({ node, env }, closers),
    library: openLibrary({ node, connections }, closers),
  };
  return { reads, openAlone: () => open(), openShared: (folder) => open(folder), startFront: () => start(home) };
}

function timedRead(ask: (sql: string) => Promise<string>): DoorRead {
  return async (sql) => {
    const started = performance.now();
    const text = await ask(sql);
    const ms = performance.now() - started;
    refuseFailure(text);
    return ms;
  };
}

function refuseFailure(text: string): void {
  if (!/10 rows\.|"count\\*": 10\b/.test(text)) throw new Error(`no rows: ${text.slice(0, 300)}`);
}

async function openHttp(options: { node: string; env: Record<string, string> }, closers: Closers): Promise<DoorRead> {
  const server = await new HttpProcess({ file: program, args: ['--calls-per-minute', '1000000'], ...options }).listening();
  closers.push(() => server.stop());
  const authorization = `Bearer ${server.token}`;
  return readOverHttp(
    { url: server.url, tool: 'query', headers: { authorization, 'mcp-protocol-version': '2025-11-25' } },
    closers,
  );
}

async function openDbhub({ host, port, user, password }: RunningEngine, closers: Closers): Promise<DoorRead> {
  if (dbhub.package === undefined) throw new Error('it has no package');
  const file = join(installPeer(dbhub.package), dbhub.file);
  const own = await findUnusedPort();
  const dsn = `postgres://${user}:${password}@${host}:${port}/postgres?sslmode=disable`;
  const args = ['--transport', 'http', '--host', '127.0.0.1', '--port', String(own), '--dsn', dsn];
  const child = spawn(await openNode(22), [file, ...args], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  closers.push(async () => {
    child.kill();
    await exited;
  });
  const read = readOverHttp({ url: `http://127.0.0.1:${own}/mcp`, tool: dbhub.tool, headers: {} }, closers);
  for (const end = Date.now() + 30_000; ; await delay(200)) {
    const failure = await read('select i from generate_series(1, 10) i').then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return read;
    if (Date.now() > end) throw failure;
  }
}

interface HttpTool {
  url: string;
  tool: string;
  headers: Record<string, string>;
}

/** One connection that is kept, as clients do. */
function readOverHttp({ url, tool, headers }: HttpTool, closers: Closers): DoorRead {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  closers.push(async () => agent.destroy());
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  let id = 0;
  return timedRead(async (sql) => {
    id += 1;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: { sql } } });
    const asked = request(url, { method: 'POST', agent, headers: { ...all, 'content-length': Buffer.byteLength(body) } });
    asked.end(body);
    const [response] = await once(asked, 'response');
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return text;
  });
}

/** The time is taken inside of the program: there is no way between it and the tools. */
function openLibrary({ node, connections }: { node: string; connections: string }, closers: Closers): DoorRead {
  const env = { PATH: process.env.PATH ?? '', LIBRARY: library, CONNECTIONS: connections };
  const child = spawn(node, [caller], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  closers.push(async () => {
    child.stdin.end();
    await exited;
  });
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));
  return async (sql) => {
    const line = await new Promise<string>((resolve, reject) => {
      waiting.push(resolve);
      void exited.then(() => reject(new Error('the program with the library ended')));
      child.stdin.write(`${sql}\n`);
    });
    // The line is written by the caller, in this form.
    const { ms, text } = JSON.parse(line) as { ms: number; text: string };
    refuseFailure(text);
    return ms;
  };
}
