import type { RunningEngine } from '@dbmole/engines';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';

/** What people would use without us: the driver alone, on one connection. */
export interface RawDriver {
  query(sql: string): Promise<unknown>;
  /** The rows as the server writes them. */
  texts(sql: string): Promise<readonly (readonly string[])[]>;
  close(): Promise<void>;
}

export async function openRawPostgres({ host, port, user, password }: RunningEngine, database = 'postgres'): Promise<RawDriver> {
  const client = new pg.Client({ host, port, user, password, database });
  await client.connect();
  return {
    query: (sql) => client.query({ text: sql, rowMode: 'array' }),
    async texts(sql) {
      const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array', types: { getTypeParser: () => String } });
      return rows;
    },
    close: () => client.end(),
  };
}

export async function openRawMysql({ host, port, user, password, database }: RunningEngine): Promise<RawDriver> {
  const client = await createConnection({ host, port, user, password, database: database ?? 'mysql' });
  return {
    query: (sql) => client.query({ sql, rowsAsArray: true }),
    async texts(sql) {
      const [rows] = await client.query<RowDataPacket[][]>({ sql, rowsAsArray: true, typeCast: (field) => field.string() });
      return rows.map((row) => row.map(String));
    },
    close: () => client.end(),
  };
}
