import type { RunningEngine } from '@dbmole/engines';
import mysql from 'mysql2/promise';
import pg from 'pg';

export interface Account {
  type: 'postgres' | 'mysql';
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** Straight to the engine with its own driver: what the tests compare with, and how they look behind the server's back. */
export async function runDirect(engine: RunningEngine, statements: readonly string[], database?: string): Promise<unknown[][]> {
  return engine.scheme === 'postgres' ? runPostgres(engine, statements, database) : runMysql(engine, statements, database);
}

/** A plain account with a database of its own. */
export async function createAccount(engine: RunningEngine, name: string): Promise<Account> {
  const password = `pw-of-${name}`;
  const postgres = engine.scheme === 'postgres';
  await runDirect(
    engine,
    postgres
      ? [`create role ${name} login password '${password}'`, `create database ${name} owner ${name}`]
      : [
          `create user '${name}'@'%' identified by '${password}'`,
          `create database ${name}`,
          `grant all on ${name}.* to '${name}'@'%'`,
        ],
  );
  const { host, port } = engine;
  return { type: postgres ? 'postgres' : 'mysql', host, port, user: name, password, database: name };
}

export async function countSessions(engine: RunningEngine, user: string): Promise<number> {
  const from = engine.scheme === 'postgres' ? 'pg_stat_activity where usename' : 'information_schema.processlist where user';
  const [row] = await runDirect(engine, [`select count(*) from ${from} = '${user}'`]);
  return Number(row?.[0]);
}

async function runPostgres(
  { host, port, user, password }: RunningEngine,
  statements: readonly string[],
  database = 'postgres',
): Promise<unknown[][]> {
  const client = new pg.Client({ host, port, user, password, database });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: unknown[][] = [];
    for (const text of statements) ({ rows } = await client.query<unknown[]>({ text, rowMode: 'array' }));
    return rows;
  } finally {
    await client.end();
  }
}

async function runMysql(
  { host, port, user, password }: RunningEngine,
  statements: readonly string[],
  database?: string,
): Promise<unknown[][]> {
  const connection = await mysql.createConnection({
    host,
    port,
    user,
    password,
    ...(database === undefined ? {} : { database }),
  });
  try {
    let rows: unknown = [];
    for (const sql of statements) [rows] = await connection.query({ sql, rowsAsArray: true });
    return Array.isArray(rows) ? rows : [];
  } finally {
    await connection.end();
  }
}
