import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { createAuthority, type RunningEngine, startEngine, useEngine } from '../src/index.ts';
import { findTraces } from './traces.ts';

type Row = Record<string, unknown>;

async function query(engine: RunningEngine, sql: string, ssl?: object): Promise<Row[]> {
  const { host, port, user, password, database } = engine;
  const client = new Client({ host, port, user, password, database, ...(ssl && { ssl }) });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { restartable: true, settings: { work_mem: '5MB' } });

    it('answers in the version that was promised', async () => {
      const [row] = await query(engine(), 'select version() as v, current_database() as d');
      expect(row?.v).toContain(`PostgreSQL ${engine().version} `);
      expect(row?.d).toBe('test');
      expect(engine()).toMatchObject({ id, kind: 'postgres', source: 'binary', host: '127.0.0.1' });
    });

    it('is set as wished, and can count statements', async () => {
      expect(await query(engine(), 'show work_mem')).toEqual([{ work_mem: '5MB' }]);
      await query(engine(), 'create extension pg_stat_statements');
      expect((await query(engine(), 'select count(*) > 0 as some from pg_stat_statements'))[0]?.some).toBe(true);
    });

    it('wants the password', async () => {
      await expect(query({ ...engine(), password: 'wrong' }, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    });

    it('comes back on the same port with its data, after a kill and after an orderly end', async () => {
      await query(engine(), 'create table kept (x int)');
      const { control } = engine();
      for (const end of ['kill', 'shutDown'] as const) {
        await control?.[end]();
        expect(control?.pid).toBeUndefined();
        await expect(query(engine(), 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
        await control?.start();
        expect(await query(engine(), 'select count(*)::int as n from kept')).toEqual([{ n: 0 }]);
      }
    });

    it('is another one for every caller, and leaves nothing', async () => {
      const other = await startEngine(id, { restartable: true });
      expect(other.port).not.toBe(engine().port);
      expect(await query(other, "select to_regclass('kept') as t")).toEqual([{ t: null }]);
      await other.stop();
      expect(findTraces(other.directory ?? '?')).toEqual([]);
    });
  });
}

describe('TLS', () => {
  it('is served with the certificate given', async () => {
    const authority = await createAuthority();
    const engine = await startEngine('postgres18', { tls: await authority.issueServer() });
    const [row] = await query(engine, 'select ssl, version from pg_stat_ssl where pid = pg_backend_pid()', { ca: authority.ca });
    expect(row).toEqual({ ssl: true, version: 'TLSv1.3' });
    await expect(query(engine, 'select 1', {})).rejects.toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    expect(readFileSync(join(engine.directory ?? '', 'server.crt'), 'utf8')).toContain('BEGIN CERTIFICATE');
    await engine.stop();
  });
});
