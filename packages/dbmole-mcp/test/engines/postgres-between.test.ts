import { connect, type Socket } from 'node:net';
import { type EngineAddress, useEngine } from '@dbmole/engines';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accept, premiseCode } from '../../src/guard/read-statement.ts';
import { createDatabase, direct, forever, read, withServer, withSession } from './postgres-fixture.ts';

/** Hands everything on, keeps what we say, and perhaps says whose process serves us as a pooler would: with a number of its own. */
async function withPooler(
  target: EngineAddress,
  ownPid: boolean,
  use: (address: EngineAddress) => Promise<void>,
): Promise<string> {
  const said: Buffer[] = [];
  const pass = (near: Socket) => {
    const far = connect(target.port, target.host);
    near.on('data', (chunk: Buffer) => said.push(chunk));
    near.on('close', () => far.destroy());
    far.on('data', (chunk: Buffer) => near.write(ownPid ? withPid(chunk) : chunk));
    far.on('error', () => near.destroy());
    near.pipe(far);
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
  const odd = ["IntervalStyle = 'sql_standard'", "bytea_output = 'escape'", 'extra_float_digits = -5', "DateStyle = 'German'"];
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
    ['are left to each call where somebody else may use the process', true, 0],
  ])('the settings %s', async (_, ownPid, between) => {
    const sql = "select interval '1 day 2 hours', '\\xff'::bytea, 0.1::float8 + 0.2::float8, date '2024-01-31'";
    const said = await withPooler(address, ownPid, async (pooler) => {
      await withSession(pooler, async (session) => {
        for (let call = 0; call < 4; call++)
          expect((await read(session, sql)).rows).toEqual([['1 day 02:00:00', '\\xff', '0.30000000000000004', '2024-01-31']]);
      });
    });
    const rests = said.split('discard all').slice(-3, -1);
    expect(rests).toHaveLength(2);
    for (const rest of rests) {
      const [cleaning = '', call = ''] = rest.split('begin read only');
      expect(cleaning.split('bytea_output').length - 1).toBe(between);
      expect(call.split('bytea_output').length - 1).toBe(1 - between);
      expect(call).toContain('standard_conforming_strings');
    }
  });
});

describe('a premise that was seen to be true', () => {
  // Of its own: who writes elsewhere on the server would be a change.
  const server = useEngine('postgres18');
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
    await direct(server(), 'alter system set autovacuum = off');
    await direct(server(), 'select pg_reload_conf()');
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
