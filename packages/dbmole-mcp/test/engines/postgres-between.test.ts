import { connect, type Socket } from 'node:net';
import { type EngineAddress, useEngine } from '@dbmole/engines';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cell, Session } from '../../src/engine.ts';
import { accept, premiseCode } from '../../src/guard/read-statement.ts';
import { createDatabase, direct, forever, read, withServer, withSession } from './postgres-fixture.ts';

interface Pooler {
  /** Says whose process serves us as a pooler would: with a number of its own. */
  ownPid?: boolean;
  /** What becomes of what we say. */
  change?: (chunk: Buffer) => Buffer;
}

/** Hands everything on, and keeps what we say. */
async function withPooler(
  target: EngineAddress,
  { ownPid = false, change = (chunk) => chunk }: Pooler,
  use: (address: EngineAddress) => Promise<void>,
): Promise<string> {
  const said: Buffer[] = [];
  const pass = (near: Socket) => {
    const far = connect(target.port, target.host);
    near.on('data', (chunk: Buffer) => {
      said.push(chunk);
      far.write(change(chunk));
    });
    near.on('close', () => far.destroy());
    far.on('data', (chunk: Buffer) => near.write(ownPid ? withPid(chunk) : chunk));
    far.on('error', () => near.destroy());
  };
  await withServer(pass, ({ host, port }) => use({ ...target, host, port }));
  return Buffer.concat(said).toString('latin1');
}

/** The message with the key begins with its type and its length, and the number comes next. */
function withPid(chunk: Buffer): Buffer {
  const changed = Buffer.from(chunk);
  const at = Math.max(
    changed.indexOf(Buffer.from('K\0\0\0\x0c', 'latin1')),
    changed.indexOf(Buffer.from('K\0\0\0\x28', 'latin1')),
  );
  if (at >= 0) changed.writeInt32BE(1, at + 5);
  return changed;
}

describe.each(['postgres14', 'postgres18'] as const)('between two calls, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  const odd = [
    "IntervalStyle = 'sql_standard'",
    "bytea_output = 'escape'",
    'extra_float_digits = -5',
    "DateStyle = 'German'",
    'standard_conforming_strings = off',
    'search_path = "$user", "it\'s\\so", public',
  ];
  let address: EngineAddress;

  beforeAll(async () => {
    const database = await createDatabase(server(), 'between');
    await direct(server(), "create role between_odd login password 'word'");
    for (const setting of odd) await direct(server(), `alter role between_odd set ${setting}`);
    address = { ...database, user: 'between_odd', password: 'word' };
  });
  afterAll(async () => {
    await direct(server(), 'drop database between with (force)');
    await direct(server(), 'drop role between_odd');
  });

  it.each([
    ['are set for the next one', false, 1],
    ['are left to each call where the process may be shared', true, 0],
  ])('the settings %s', async (_, ownPid, between) => {
    const sql = "select interval '1 day 2 hours', '\\xff'::bytea, 0.1::float8 + 0.2::float8, date '2024-01-31'";
    const said = await withPooler(address, { ownPid }, async (pooler) => {
      await withSession(pooler, async (session) => {
        for (let call = 0; call < 4; call++)
          expect((await read(session, sql)).rows).toEqual([['1 day 02:00:00', '\\xff', '0.30000000000000004', '2024-01-31']]);
      });
    });
    const rests = said.split('discard all').slice(-3, -1);
    expect(rests).toHaveLength(2);
    for (const rest of rests) {
      const [cleaning = '', call = ''] = rest.split('repeatable read read only');
      expect(cleaning.split('bytea_output').length - 1).toBe(between);
      expect(call.split('bytea_output').length - 1).toBe(1 - between);
      expect(call).toContain('standard_conforming_strings');
    }
  });
});

/** A separate, quiet server: writes elsewhere on a shared one would count as a change. */
function useQuietServer(id: 'postgres14' | 'postgres18') {
  const server = useEngine(id);
  beforeAll(async () => {
    await direct(server(), 'alter system set autovacuum = off');
    await direct(server(), 'select pg_reload_conf()');
  });
  return server;
}

describe.each(['postgres14', 'postgres18'] as const)('on a quiet %s', (id) => {
  const server = useQuietServer(id);
  const quiet = { params: [], keepPerCell: 100, maxRows: 10 };
  const ask = async (session: Session, sql: string, timeoutMs = 7_000) => {
    const rows: Cell[][] = [];
    const sink = {
      columns: () => undefined,
      row: (cells: readonly Cell[]) => rows.push([...cells]) > 0,
    };
    await session.read({ ...quiet, statement: accept(sql, 'true'), timeoutMs }, sink, forever);
    return rows;
  };
  const seen = `select '\\', interval '1 day 2 hours', current_setting('statement_timeout'), (select count(*) from pg_prepared_statements)`;
  const expected = (time: string) => [['\\', '1 day 02:00:00', time, '0']];

  it('the look at a quiet server is made ready, and the statement sees nothing of it', async () => {
    const said = await withPooler(server(), {}, async (pooler) => {
      await withSession(pooler, async (session) => {
        for (let call = 0; call < 5; call++) expect(await ask(session, seen)).toEqual(expected('7s'));
        expect(await ask(session, seen, 9_000)).toEqual(expected('9s'));
        await expect(ask(session, 'select 1/0')).rejects.toMatchObject({ engineCode: '22012' });
        for (let call = 0; call < 3; call++) expect(await ask(session, seen)).toEqual(expected('7s'));
        expect(await ask(session, seen, 400)).toEqual(expected('400ms'));
        expect(await ask(session, seen)).toEqual(expected('7s'));
      });
    });
    const beginnings = said.split('repeatable read read only').map((call) => call.slice(0, call.indexOf("select '")));
    expect(beginnings.filter((text) => text.includes('dbmole_look') && !text.includes('txid_current')).length).toBeGreaterThan(2);
  });

  it('a look that is not where it was left is taken along from then on', async () => {
    let lost = 0;
    const loseLook = (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      const beginning = text.slice(0, text.indexOf("select '"));
      // One that brings its settings along only takes away what was made ready.
      if (!beginning.includes('dbmole_look') || beginning.includes('set_config')) return chunk;
      lost += 1;
      return Buffer.from(text.replace('dbmole_look', 'dbmole_lost'), 'latin1');
    };
    await withPooler(server(), { change: loseLook }, async (pooler) => {
      await withSession(pooler, async (session) => {
        for (let call = 0; call < 8; call++) expect(await ask(session, seen)).toEqual(expected('7s'));
      });
    });
    expect(lost).toBe(1);
  });
});

describe('a premise that was seen to be true', () => {
  const server = useQuietServer('postgres18');
  const premise = "(select pg_catalog.count(*) from pg_catalog.pg_locks where locktype = 'advisory' and objid = 99) = 1";
  const request = { statement: accept('select 1', premise), params: [], timeoutMs: 5_000, keepPerCell: 100, maxRows: 10 };
  const sink = { columns: () => undefined, row: () => true };
  const makeTrue = async () => {
    const { host, port, user, password } = server();
    const holder = new Client({ host, port, user, password });
    await holder.connect();
    await holder.query('select pg_advisory_lock(99)');
    return holder;
  };

  beforeAll(async () => {
    await direct(server(), 'create table marks (x int)');
  });

  it('is believed while nothing changes, and looked at again when something did', async () => {
    await withSession(server(), async (session) => {
      const holder = await makeTrue();
      for (let call = 0; call < 3; call++) await session.read(request, sink, forever);
      // This is no transaction that writes.
      await holder.end();
      await session.read(request, sink, forever);
      await direct(server(), 'insert into marks values (1)');
      await expect(session.read(request, sink, forever)).rejects.toMatchObject({ code: premiseCode });
    });
  });

  it('goes on after a change that leaves it true', async () => {
    await withSession(server(), async (session) => {
      const holder = await makeTrue();
      for (let call = 0; call < 12; call++) {
        if (call % 4 === 3) await direct(server(), 'insert into marks values (1)');
        expect(await session.read(request, sink, forever)).toEqual({ timeZone: undefined });
      }
      await holder.end();
    });
  });
});
