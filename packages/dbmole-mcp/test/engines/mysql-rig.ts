import type { RunningEngine, ServerId } from '@dbmole/engines';
import type { ServerConnection } from '../../src/connection/schema.ts';
import type { Cell, Column, Param, Session, SessionTarget, WriteRequest } from '../../src/engine.ts';
import { ownStatement } from '../../src/guard/read-statement.ts';
import { parseServerConnection } from '../server-connection.ts';

export const mysqlEngines: readonly ServerId[] = ['mysql80', 'mysql97', 'mariadb1011'];

export interface TargetChanges {
  config?: Partial<ServerConnection>;
  target?: Partial<SessionTarget>;
}

export function targetOf(
  server: Pick<RunningEngine, 'host' | 'port' | 'user' | 'password' | 'database'>,
  { config, target }: TargetChanges = {},
): SessionTarget {
  const { host, port, user, password, database } = server;
  const connection = parseServerConnection({ name: 'main', type: 'mysql', host, port, user, password, ...config });
  return { config: connection, connectHost: host, connectPort: port, serverName: connection.host, database, ...target };
}

export const never = new AbortController().signal;

interface ReadOptions {
  params?: readonly Param[];
  maxRows?: number | undefined;
  timeoutMs?: number;
  keepPerCell?: number;
  signal?: AbortSignal;
  /** The sink has enough after so many rows. */
  enoughAfter?: number;
  isBounded?: boolean;
}

interface ReadResult {
  columns: readonly Column[] | undefined;
  rows: (readonly Cell[])[];
  timeZone: string | undefined;
}

export async function read(session: Session, sql: string, options: ReadOptions = {}): Promise<ReadResult> {
  const { signal = never, enoughAfter = Number.POSITIVE_INFINITY, ...limits } = options;
  let columns: readonly Column[] | undefined;
  const rows: (readonly Cell[])[] = [];
  const sink = {
    columns: (found: readonly Column[]) => {
      if (columns !== undefined) throw new Error('columns were given twice');
      columns = found;
    },
    row: (cells: readonly Cell[]) => {
      rows.push(cells);
      return rows.length < enoughAfter;
    },
  };
  const request = { statement: ownStatement(sql), params: [], maxRows: 1_000, timeoutMs: 20_000, keepPerCell: 10_000, ...limits };
  const { timeZone } = await session.read(request, sink, signal);
  return { columns, rows, timeZone };
}

export async function readValue(session: Session, sql: string, options: ReadOptions = {}): Promise<Cell | undefined> {
  return (await read(session, sql, options)).rows[0]?.[0];
}

interface Written {
  changed: number | undefined;
  command: string;
  rows: (readonly Cell[])[];
}

export async function write(
  session: Session,
  sql: string,
  { signal = never, ...options }: Partial<WriteRequest> & { signal?: AbortSignal } = {},
): Promise<Written> {
  const rows: (readonly Cell[])[] = [];
  const sink = { columns: () => undefined, row: (cells: readonly Cell[]) => rows.push(cells) > 0 };
  const request = { sql, params: [], dryRun: false, timeoutMs: 20_000, keepPerCell: 10_000, ...options };
  return { ...(await session.write(request, sink, signal)), rows };
}

/** The failure of a promise that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );
}
