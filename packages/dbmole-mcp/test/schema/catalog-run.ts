import type { RunningEngine } from '@dbmole/engines';
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { CatalogRun } from '../../src/engine.ts';

/** A session of a test: what it asks of the catalog, and what it does beside it. */
export interface TestSession {
  run: CatalogRun;
  /** Statements of the test itself; several in one text where the driver can. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

interface Login {
  user?: string;
  password?: string;
  database?: string;
}

export async function openPostgres(engine: RunningEngine, login: Login = {}): Promise<TestSession> {
  const { host, port, user, password, database } = engine;
  const client = new pg.Client({ host, port, user, password, database: database ?? 'postgres', ...login });
  await client.connect();
  // Every value is the text that the engine sent, whatever the type.
  const types = { getTypeParser: () => (value: string) => value };
  return {
    async run(text, params = []) {
      const { rows } = await client.query<(string | null)[]>({ text, values: [...params], rowMode: 'array', types });
      return rows;
    },
    async exec(sql) {
      await client.query(sql);
    },
    close: () => client.end(),
  };
}

export async function openMysql(engine: RunningEngine, login: Login = {}): Promise<TestSession> {
  const { host, port, user, password } = engine;
  const connection = await mysql.createConnection({ host, port, user, password, ...login, multipleStatements: true });
  const typeCast = (field: { string(): string | null }) => field.string();
  return {
    async run(sql, params = []) {
      const [rows] = await connection.query<mysql.RowDataPacket[]>({ sql, values: [...params], rowsAsArray: true, typeCast });
      // With rowsAsArray every row is a list, which the driver's types do not say.
      return rows as unknown as (string | null)[][];
    },
    async exec(sql) {
      await connection.query(sql);
    },
    close: () => connection.end(),
  };
}
