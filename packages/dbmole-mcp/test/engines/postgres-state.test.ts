import { type EngineAddress, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/engine.ts';
import { accept, type ReadStatement } from '../../src/guard/read-statement.ts';
import { createDatabase, direct, forever, pidOf, until, withSession } from './postgres-fixture.ts';

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(`what a read leaves in a session of ${id}`, () => {
    const server = useEngine(id, { shared: true });
    let address: EngineAddress;

    beforeAll(async () => {
      address = await createDatabase(server(), 'state_test');
      await direct(address, 'create extension postgres_fdw; create table near as select 1 as id');
    });

    const read = async (session: Session, statement: ReadStatement) => {
      const sink = { columns: () => undefined, row: () => true };
      await session.read({ statement, params: [], timeoutMs: 30_000, keepPerCell: 100, maxRows: 10 }, sink, forever);
    };
    const countRemote = async () => {
      const [row] = await direct(
        address,
        "select count(*)::int as n from pg_stat_activity where application_name = 'postgres_fdw'",
      );
      return Number(row?.n);
    };
    const createForeign = async () => {
      const { host, port, user, password } = address;
      await direct(
        address,
        `create server away foreign data wrapper postgres_fdw options (host '${host}', port '${port}', dbname 'state_test')`,
      );
      await direct(address, `create user mapping for current_user server away options (user '${user}', password '${password}')`);
      await direct(address, "create foreign table far (id int) server away options (table_name 'near')");
      await direct(
        address,
        "create view further as select * from far; create function furthest() returns setof far language sql as 'select * from far'",
      );
    };
    const dropForeign = () => direct(address, 'drop server if exists away cascade');

    it('ends the session after a read of a foreign table, however it got there', async () => {
      await createForeign();
      for (const sql of ['select * from far', 'select * from further', 'select furthest()'])
        await withSession(address, async (session) => {
          await read(session, accept('select * from near', ''));
          const pid = await pidOf(session);
          expect(await pidOf(session)).toBe(pid);
          await read(session, accept(sql, ''));
          await until(async () => !session.alive && (await countRemote()) === 0);
        });
      await dropForeign();
    });

    it('ends the session after several reads, one of them of a foreign table', async () => {
      await createForeign();
      const sink = { columns: () => undefined, row: () => true };
      const requestOf = (sql: string) => ({
        request: { statement: accept(sql, 'true'), params: [], timeoutMs: 30_000, keepPerCell: 100, maxRows: 10 },
        sink,
      });
      for (const first of ['select * from far', 'select id / 0 from far'])
        await withSession(address, async (session) => {
          await read(session, accept('select * from near', ''));
          await session.readAll([first, 'select * from near'].map(requestOf), forever);
          await until(async () => !session.alive && (await countRemote()) === 0);
        });
      await dropForeign();
    });

    it('ends the session after a failure that may have come from a foreign table', async () => {
      await createForeign();
      await withSession(address, async (session) => {
        await expect(read(session, accept('select id / 0 from far', ''))).rejects.toMatchObject({ engineCode: '22012' });
        await until(async () => !session.alive && (await countRemote()) === 0);
      });
      await dropForeign();
    });

    it('notices foreign tables that were made after the session was opened', async () => {
      await withSession(address, async (session) => {
        await read(session, accept('select * from near', 'true'));
        await createForeign();
        await read(session, accept('select * from far', 'true'));
        await until(async () => !session.alive && (await countRemote()) === 0);
      });
      await dropForeign();
    });

    it('ends the session after a call of a language that keeps variables', async () => {
      const body = 'if {![info exists ::calls]} {set ::calls 0}; return [incr ::calls]';
      await direct(address, `create extension pltcl; create function count_calls() returns text language pltcl as '${body}'`);
      await withSession(address, async (session) => {
        await read(session, accept('select * from near', ''));
        expect(session.alive).toBe(true);
        await read(session, accept('select count_calls()', ''));
        await until(async () => !session.alive);
      });
      await direct(address, 'drop extension pltcl cascade');
    });

    it('ends the session when the guard says that the statement leaves something there', async () => {
      await withSession(address, async (session) => {
        await read(session, accept('select 1', ''));
        expect(session.alive).toBe(true);
        await read(session, accept('select 1', '', { leavesState: true }));
        expect(session.alive).toBe(false);
      });
    });
  });
}
