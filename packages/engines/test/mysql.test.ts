import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { createAuthority, type RunningEngine, startEngine, useEngine } from '../src/index.ts';
import { findTraces } from './traces.ts';

async function query(engine: RunningEngine, sql: string, ssl?: object): Promise<RowDataPacket[]> {
  const { host, port, user, password, database = 'test' } = engine;
  const connection = await createConnection({ host, port, user, password, database, ...(ssl && { ssl }) });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows;
  } finally {
    await connection.end();
  }
}

for (const id of ['mariadb1011', 'mariadb118', 'mysql80', 'mysql97'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { restartable: true, settings: { 'sort-buffer-size': '300000' } });

    it('answers in the version that was promised', async () => {
      const [row] = await query(engine(), 'select version() as v, database() as d, @@sort_buffer_size as s');
      expect(String(row?.v).startsWith(engine().version)).toBe(true);
      expect(row).toMatchObject({ d: 'test', s: 300_000 });
      expect(engine().kind).toBe(id.replace(/\d+/, ''));
    });

    it('lets root in with the password only', async () => {
      await expect(query({ ...engine(), password: '' }, 'select 1')).rejects.toMatchObject({ errno: 1045 });
      const users = await query(engine(), "select user, host from mysql.user where user = 'root' order by host");
      expect(users.map((row) => row.Host ?? row.host)).toEqual(['%', 'localhost']);
    });

    it('comes back on the same port with its data, after a kill and after an orderly end', async () => {
      await query(engine(), 'create table kept (x int)');
      const { control } = engine();
      for (const end of ['kill', 'shutDown'] as const) {
        await control?.[end]();
        await expect(query(engine(), 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
        await control?.start();
        expect(await query(engine(), 'select count(*) as n from kept')).toEqual([{ n: 0 }]);
      }
    });

    it('serves TLS with the certificate given, and leaves nothing', async () => {
      const authority = await createAuthority();
      const secure = await startEngine(id, { tls: await authority.issueServer() });
      const [row] = await query(secure, "show status like 'Ssl_version'", { ca: authority.ca });
      expect(row?.Value).toBe('TLSv1.3');
      await expect(query(secure, 'select 1', {})).rejects.toThrow();
      await secure.stop();
      expect(findTraces(secure.directory ?? '?')).toEqual([]);
    });
  });
}
