import { type EngineAddress, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/engine.ts';
import { engine } from '../../src/engines/postgres/engine.ts';
import { accept } from '../../src/guard/read-statement.ts';
import {
  createDatabase,
  dialDirectly,
  direct,
  forever,
  pidOf,
  read,
  targetOf,
  value,
  withSession,
  write,
} from './postgres-fixture.ts';

/** What a read does to its session, and how one sees whether it is still there: the question and the untouched answer. */
const leaks: readonly (readonly [string, string, string | null])[] = [
  ["select set_config('my.x', 'left', false)", "select current_setting('my.x', true)", ''],
  ["select set_config('search_path', 'evil', false)", 'show search_path', '"$user", public'],
  [
    "select set_config('statement_timeout', '1', false)",
    "select reset_val from pg_settings where name = 'statement_timeout'",
    '0',
  ],
  ["select set_config('TimeZone', 'Asia/Tokyo', false)", 'show timezone', 'UTC'],
  ["select set_config('role', 'pg_monitor', false)", 'select current_user', 'postgres'],
  ['set datestyle = german', "select current_setting('DateStyle')", 'ISO, MDY'],
  ['prepare left_over as select 1', 'select count(*) from pg_prepared_statements', '0'],
  ['select pg_advisory_lock(4711)', "select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()", '0'],
  ['listen left_over', 'select count(*) from pg_listening_channels()', '0'],
  ['declare left_over cursor with hold for select 1', "select count(*) from pg_cursors where name = 'left_over'", '0'],
];

const writeLeaks: typeof leaks = [
  ...leaks,
  ['create temp table left_over (a int)', "select to_regclass('pg_temp.left_over')::text", null],
  [
    'set session characteristics as transaction isolation level serializable',
    'show default_transaction_isolation',
    'read committed',
  ],
  ['set session authorization pg_monitor', 'select session_user', 'postgres'],
];

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const server = useEngine(id, { shared: true });
    let address: EngineAddress;
    const using = <T>(use: (session: Session) => Promise<T>) => withSession(address, use);

    beforeAll(async () => {
      address = await createDatabase(server(), 'read_test');
      await direct(address, 'create sequence counter; create table item as select g as id from generate_series(1, 1000) g');
    });

    it('says what answered', async () => {
      await using(async (session) => {
        const run = async (sql: string) => (await read(session, sql)).rows as (string | null)[][];
        const identity = await engine.identify(run);
        expect(identity).toEqual({ product: 'PostgreSQL', version: server().version, user: 'postgres', database: 'read_test' });
        expect(await value(session, 'select application_name from pg_stat_activity where pid = pg_backend_pid()')).toBe(
          'dbmole-mcp',
        );
      });
    });

    it.each([
      'create table t (a int)',
      'insert into item values (1)',
      "select nextval('counter')",
      'select * from item for update',
      'with gone as (delete from item returning id) select * from gone',
      'truncate item',
    ])('is refused by the engine: %s', async (sql) => {
      await using(async (session) => {
        await expect(read(session, sql)).rejects.toMatchObject({ kind: 'refused', code: 'E_READONLY', engineCode: '25006' });
        await expect(read(session, 'set transaction read write')).rejects.toMatchObject({ engineCode: '25001' });
        expect(await value(session, 'select count(*) from item')).toBe('1000');
      });
    });

    it('leaves nothing behind even where the transaction does not stop it', async () => {
      await using(async (session) => {
        await read(session, 'explain analyze create table made as select 1');
        await read(session, 'commit');
        await read(session, "select set_config('transaction_read_only', 'off', false)").catch(() => {});
        await expect(read(session, 'create table made (a int)')).rejects.toMatchObject({ code: 'E_READONLY' });
      });
      expect(await direct(address, "select to_regclass('made') as made")).toEqual([{ made: null }]);
    });

    it.each(leaks)('forgets, after a read: %s', async (sql, question, untouched) => {
      await using(async (session) => {
        const pid = await pidOf(session);
        await read(session, sql);
        expect(await value(session, question)).toBe(untouched);
        // The same session, or nothing was shown.
        expect(await pidOf(session)).toBe(pid);
      });
    });

    it.each(writeLeaks)('forgets, after a write: %s', async (sql, question, untouched) => {
      await using(async (session) => {
        const pid = await pidOf(session);
        await write(session, sql);
        expect(await value(session, question)).toBe(untouched);
        expect(await pidOf(session)).toBe(pid);
      });
    });

    it('takes one statement only', async () => {
      await using(async (session) => {
        for (const sql of ['select 1; select 2', 'select 1; drop table item', 'commit; drop table item'])
          await expect(read(session, sql)).rejects.toMatchObject({ kind: 'input', code: 'E_MULTIPLE_STATEMENTS' });
        for (const sql of ['', ' ; ', '-- only', '/* a /* b */ */']) {
          if (sql !== '')
            await expect(read(session, sql)).rejects.toMatchObject({ kind: 'input', message: 'the statement is empty' });
        }
        expect((await read(session, 'select 1;')).rows).toEqual([['1']]);
      });
    });

    it.each([
      'select id from item order by id',
      'select id from item order by id -- the end',
      'select id from item order by id /* ; */ ; -- the end',
      'select id from item order by id limit 500',
      'select id from item order by id fetch first 500 rows only',
      'select id from item order by id offset 0',
      '(select id from item order by id)',
      'with i as (select id from item limit 500) select id from i order by id',
      'select id from item where id > 0 union all select id from item where id < 0 order by id',
      'table item order by id',
      'select id as "limit" from item order by 1',
      "select id, 'it''s -- '  from item order by id",
      'select id, $a$ ; $a$ from item order by id',
      "select id, e'\\'' from item order by id",
      'values (1), (2), (3), (4)',
    ])('gives no more rows than wanted: %s', async (sql) => {
      await using(async (session) => {
        expect((await read(session, sql, { maxRows: 3 })).rows.map(([first]) => first)).toEqual(['1', '2', '3']);
      });
    });

    it('limits what is no query by the protocol', async () => {
      await using(async (session) => {
        expect((await read(session, 'show all', { maxRows: 3 })).rows).toHaveLength(3);
        expect((await read(session, 'explain select 1', { maxRows: 3 })).columns).toEqual([{ name: 'QUERY PLAN', type: 'text' }]);
      });
    });

    it('tells the planner of the limit', async () => {
      await using(async (session) => {
        // What was sent is what the server shows as its own running statement.
        const own = 'select query from pg_stat_activity where pid = pg_backend_pid()';
        expect(await value(session, `${own};`, { maxRows: 5 })).toBe(`${own}\nLIMIT 5;`);
        expect(await value(session, own, { maxRows: undefined })).toBe(own);
      });
    });

    it('leaves names as they are, where a string goes on behind the end of a line', async () => {
      await using(async (session) => {
        const sql = `select e'a'\n'b\\'', 1 as "x' y /*" -- */`;
        const { columns, rows } = await read(session, sql, { maxRows: 5 });
        expect(columns?.map(({ name }) => name)).toEqual(['?column?', "x' y /*"]);
        expect(rows).toEqual([["ab'", '1']]);
      });
    });

    it('says where in the statement, in units of JavaScript', async () => {
      await using(async (session) => {
        const sql = "select '😀', nope from item";
        const failure = { kind: 'unknown', code: 'E_UNKNOWN_COLUMN', engineCode: '42703', position: sql.indexOf('nope') + 1 };
        await expect(read(session, sql)).rejects.toMatchObject(failure);
        // Not the LIMIT that we appended.
        const end = {
          code: 'E_SYNTAX',
          message: 'the server says “syntax error at end of input”',
          position: 'select 1 +'.length + 1,
        };
        await expect(read(session, 'select 1 +', { maxRows: 5 })).rejects.toMatchObject(end);
        await expect(read(session, 'select * form item')).rejects.toMatchObject({ code: 'E_SYNTAX', position: 10 });
        await expect(read(session, 'select "abc')).rejects.toMatchObject({ code: 'E_SYNTAX', position: 8 });
      });
    });

    it.each([
      ['select * from nope', { kind: 'unknown', code: 'E_UNKNOWN_TABLE', position: 15 }],
      ['select * from nope.nope', { kind: 'unknown', code: 'E_UNKNOWN_TABLE' }],
      ['select nope(1)', { kind: 'unknown', code: 'E_UNKNOWN_FUNCTION', message: expect.stringContaining('type casts') }],
      ["select 'x'::nope", { kind: 'unknown', code: 'E_UNKNOWN_OBJECT' }],
      ["select 'x'::int", { kind: 'engine', code: 'E_INVALID_VALUE', engineCode: '22P02', position: 8 }],
      ["select '{'::json", { kind: 'engine', message: expect.stringContaining('The input string ended unexpectedly') }],
      ['select 1/0', { kind: 'engine', engineCode: '22012', message: 'the server says “division by zero”' }],
      ['copy item to stdout', { kind: 'input' }],
    ])('fails in our words: %s', async (sql, failure) => {
      await using(async (session) => {
        await expect(read(session, sql)).rejects.toMatchObject(failure);
        expect(await value(session, 'select 1')).toBe('1');
      });
    });

    it('survives a sink that fails', async () => {
      await using(async (session) => {
        const request = {
          statement: accept('select id from item', ''),
          params: [],
          timeoutMs: 5_000,
          keepPerCell: 9,
          maxRows: 10,
        };
        const full = () => {
          throw new Error('no space left');
        };
        await expect(session.read(request, { columns: () => {}, row: full }, forever)).rejects.toThrow('no space left');
        await expect(session.read(request, { columns: full, row: () => true }, forever)).rejects.toThrow('no space left');
        expect(await value(session, 'select 1')).toBe('1');
      });
    });

    it('does not read again what failed while it ran', async () => {
      await direct(address, "create function bad() returns int language plpgsql as 'begin raise syntax_error; end'");
      await using(async (session) => {
        let described = 0;
        const sink = { columns: () => void described++, row: () => true };
        const request = { statement: accept('select bad()', ''), params: [], timeoutMs: 5_000, keepPerCell: 9, maxRows: 10 };
        await expect(session.read(request, sink, forever)).rejects.toMatchObject({ engineCode: '42601' });
        expect(described).toBe(1);
      });
    });

    it('sends one packet for each read', async () => {
      const sent: number[] = [];
      const dial = () => {
        const socket = dialDirectly(address);
        const write = socket.write.bind(socket);
        return Object.assign(socket, {
          write: (chunk: Buffer) => {
            sent.push(chunk.length);
            return write(chunk);
          },
        });
      };
      const session = await engine.openSession({ ...targetOf(address), dial }, forever);
      await value(session, 'select 1');
      sent.length = 0;
      for (let round = 0; round < 5; round++) await value(session, 'select $1', { params: [round] });
      expect(sent).toHaveLength(5);
      await session.close();
    });

    it('does not wait for others while the cleanup is under way', async () => {
      await using(async (session) => {
        for (let round = 0; round < 200; round++) expect(await value(session, `select ${round}`)).toBe(String(round));
      });
    });
  });
}
