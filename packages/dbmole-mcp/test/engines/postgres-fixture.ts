import { connect, createServer, type Socket } from 'node:net';
import type { EngineAddress, RunningEngine } from '@dbmole/engines';
import { Client } from 'pg';
import type { ServerConnection } from '../../src/connection/schema.ts';
import type { Cell, Column, Param, ReadEnd, Session, SessionTarget, WriteEnd } from '../../src/engine.ts';
import { engine } from '../../src/engines/postgres/engine.ts';
import { accept } from '../../src/guard/read-statement.ts';
import { parseServerConnection } from '../server-connection.ts';

/** A signal that is never aborted. */
export const forever = new AbortController().signal;

export function targetOf(address: EngineAddress, changes: Partial<ServerConnection> = {}): SessionTarget {
  const { host, port, user, password } = address;
  const config = parseServerConnection({ name: 'main', type: 'postgres', host, port, user, password, ...changes });
  return { config, connectHost: host, connectPort: port, serverName: config.host, database: address.database };
}

/** A stream as a tunnel gives it: on its way already, so `connect` has nothing to do. */
export function dialDirectly({ port, host }: EngineAddress) {
  return Object.assign(connect(port, host), { connect: () => undefined });
}

/** One session for one test. */
export async function withSession<T>(
  address: EngineAddress,
  use: (session: Session) => Promise<T>,
  changes?: Partial<ServerConnection>,
): Promise<T> {
  const session = await engine.openSession(targetOf(address, changes), forever);
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

interface Asked {
  params?: readonly Param[];
  timeoutMs?: number;
  keepPerCell?: number;
  maxRows?: number | undefined;
  signal?: AbortSignal;
  /** The sink takes so many rows and then has enough. */
  takes?: number;
}

interface Answer<End> {
  columns: readonly Column[] | undefined;
  rows: (readonly Cell[])[];
  end: End;
}

function collector({ takes = Number.POSITIVE_INFINITY }: Asked) {
  const got: { columns: readonly Column[] | undefined; rows: (readonly Cell[])[] } = { columns: undefined, rows: [] };
  const sink = {
    columns: (columns: readonly Column[]) => {
      got.columns = columns;
    },
    row: (cells: readonly Cell[]) => got.rows.push(cells) < takes,
  };
  return { got, sink };
}

export async function read(session: Session, sql: string, asked: Asked = {}): Promise<Answer<ReadEnd>> {
  const { params = [], timeoutMs = 30_000, keepPerCell = 1_000, signal = forever } = asked;
  const maxRows = 'maxRows' in asked ? asked.maxRows : 100;
  const { got, sink } = collector(asked);
  const end = await session.read({ statement: accept(sql, ''), params, timeoutMs, keepPerCell, maxRows }, sink, signal);
  return { ...got, end };
}

export async function write(session: Session, sql: string, asked: Asked & { dryRun?: boolean } = {}): Promise<Answer<WriteEnd>> {
  const { params = [], timeoutMs = 30_000, keepPerCell = 1_000, signal = forever, dryRun = false } = asked;
  const { got, sink } = collector(asked);
  const end = await session.write({ sql, params, timeoutMs, keepPerCell, dryRun }, sink, signal);
  return { ...got, end };
}

/** The first cell of the first row. */
export async function value(session: Session, sql: string, asked?: Asked): Promise<Cell | undefined> {
  return (await read(session, sql, asked)).rows[0]?.[0];
}

export function pidOf(session: Session): Promise<Cell | undefined> {
  return value(session, 'select pg_backend_pid()');
}

/** Past our own code, by the plain driver: what a test prepares, and what it finds out behind our back. */
export async function direct(address: EngineAddress, sql: string, params: unknown[] = []): Promise<Record<string, unknown>[]> {
  const { host, port, user, password, database } = address;
  const client = new Client({ host, port, user, password, ...(database === undefined ? {} : { database }) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, params)).rows;
  } finally {
    await client.end();
  }
}

/** A database that no other test file sees. */
export async function createDatabase(server: RunningEngine, name: string): Promise<EngineAddress> {
  await direct(server, `drop database if exists ${name} with (force)`);
  await direct(server, `create database ${name}`);
  return { ...server, database: name };
}

export async function until(what: () => Promise<boolean>, withinMs = 5_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await what())) {
    if (Date.now() > deadline) throw new Error('it did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Statements that run in the server and have this text in them. */
export async function countRunning(address: EngineAddress, text: string): Promise<number> {
  const sql =
    "select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like $1";
  return Number((await direct(address, sql, [`%${text}%`]))[0]?.n);
}

/** A server of bytes; closes with everything that is connected to it. */
export async function withServer(
  answer: (socket: Socket) => void,
  use: (address: EngineAddress) => Promise<void>,
): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const listening = server.address();
  const port = typeof listening === 'object' && listening !== null ? listening.port : 0;
  try {
    await use({ scheme: 'postgres', host: '127.0.0.1', port, user: 'someone', password: 'x', database: undefined });
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
