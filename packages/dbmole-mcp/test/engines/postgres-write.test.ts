import { type EngineAddress, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/engine.ts';
import { countRunning, createDatabase, direct, pidOf, read, until, value, withSession, write } from './postgres-fixture.ts';

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const server = useEngine(id, { shared: true });
    let address: EngineAddress;
    const using = <T>(use: (session: Session) => Promise<T>) => withSession(address, use);
    const count = async (table: string) => Number((await direct(address, `select count(*)::int as n from ${table}`))[0]?.n);

    beforeAll(async () => {
      address = await createDatabase(server(), 'write_test');
      await direct(
        address,
        'create table parent (id int primary key); create table child (id int references parent deferrable initially deferred)',
      );
    });

    it('commits, counts and returns rows', async () => {
      await using(async (session) => {
        const made = await write(session, 'create table note (id int generated always as identity, text text)');
        expect(made).toEqual({ columns: undefined, rows: [], end: { command: 'CREATE TABLE', changed: undefined } });
        const inserted = await write(session, 'insert into note (text) values ($1), ($2) returning id, text', {
          params: ['a', null],
        });
        expect(inserted.columns).toMatchObject([
          { name: 'id', type: 'integer' },
          { name: 'text', type: 'text' },
        ]);
        expect(inserted).toMatchObject({
          rows: [
            ['1', 'a'],
            ['2', null],
          ],
          end: { command: 'INSERT', changed: 2 },
        });
        expect((await write(session, "update note set text = 'b'")).end).toEqual({ command: 'UPDATE', changed: 2 });
        expect((await write(session, 'delete from note where id = 99')).end).toEqual({ command: 'DELETE', changed: 0 });
        expect((await write(session, 'select 1')).end).toEqual({ command: 'SELECT', changed: undefined });
        expect(await direct(address, 'select text from note')).toEqual([{ text: 'b' }, { text: 'b' }]);
      });
    });

    it('calls a table that is made from a query by its name, and shows no rows that were copied out as changed', async () => {
      await using(async (session) => {
        const sql = 'create table made as select g from generate_series(1, 3) g';
        expect((await write(session, sql)).end).toEqual({ command: 'CREATE TABLE AS', changed: 3 });
        const view = await write(session, 'create materialized view shown as select 1 as a');
        expect(view.end).toEqual({ command: 'CREATE MATERIALIZED VIEW', changed: undefined });
        for (const copy of ['copy made to stdout', ' COPY (select g from made) TO STDOUT with csv']) {
          await expect(write(session, copy)).rejects.toMatchObject({ kind: 'input', hint: expect.stringContaining('query') });
        }
        expect(await value(session, 'select 1')).toBe('1');
      });
    });

    it('does the whole write when the sink has enough', async () => {
      await using(async (session) => {
        await write(session, 'create table many (id int)');
        const sql = 'insert into many select g from generate_series(1, 50000) g returning id, pg_sleep(0)';
        const { rows, end } = await write(session, sql, { takes: 2 });
        expect([rows.length, end.changed, await count('many')]).toEqual([2, 50_000, 50_000]);
      });
    });

    it('rolls a dry run back, and counts', async () => {
      await using(async (session) => {
        const { rows, end } = await write(session, 'insert into parent values (1), (2) returning id', { dryRun: true });
        expect([rows, end]).toEqual([[['1'], ['2']], { command: 'INSERT', changed: 2 }]);
        expect((await write(session, 'drop table parent cascade', { dryRun: true })).end.command).toBe('DROP TABLE');
        expect(await count('parent')).toBe(0);
      });
    });

    it('refuses a dry run of what a rollback does not take back, and does nothing', async () => {
      await direct(address, 'create sequence counter');
      await using(async (session) => {
        const refused = { kind: 'refused', code: 'E_NO_DRY_RUN' };
        for (const sql of [
          "select setval('counter', 100)",
          "insert into parent select nextval('counter')",
          'select pg_reload_conf()',
        ])
          await expect(write(session, sql, { dryRun: true })).rejects.toMatchObject(refused);
        await expect(write(session, "copy parent to program 'true'", { dryRun: true })).rejects.toMatchObject(refused);
        expect(await value(session, "select coalesce(last_value, 0) from pg_sequences where sequencename = 'counter'")).toBe('0');
        expect((await write(session, "select setval('counter', 100)")).rows).toEqual([['100']]);
      });
    });

    it('reports what fails at the COMMIT, in a dry run as well', async () => {
      await using(async (session) => {
        for (const dryRun of [false, true]) {
          const failure = {
            kind: 'engine',
            code: 'E_CONSTRAINT',
            engineCode: '23503',
            message: expect.stringContaining('(id)=(7)'),
          };
          await expect(write(session, 'insert into child values (7)', { dryRun })).rejects.toMatchObject(failure);
        }
        expect(await count('child')).toBe(0);
        expect(session.alive).toBe(true);
      });
    });

    it('runs outside a transaction what cannot run inside', async () => {
      await using(async (session) => {
        const pid = await pidOf(session);
        expect((await write(session, 'vacuum parent')).end).toEqual({ command: 'VACUUM', changed: undefined });
        expect((await write(session, 'create index concurrently by_id on child (id)')).end.command).toBe('CREATE INDEX');
        expect((await write(session, 'create database made_by_write')).end.command).toBe('CREATE DATABASE');
        expect((await write(session, 'drop database made_by_write')).end.command).toBe('DROP DATABASE');
        const refused = { kind: 'refused', code: 'E_NO_DRY_RUN', engineCode: '25001' };
        await expect(write(session, 'vacuum parent', { dryRun: true })).rejects.toMatchObject(refused);
        await expect(write(session, 'create database parent', { dryRun: true })).rejects.toMatchObject(refused);
        await expect(write(session, 'vacuum nope')).rejects.toMatchObject({ code: 'E_UNKNOWN_TABLE' });
        // The same code, but no statement of that sort.
        const late = 'set transaction isolation level serializable';
        await expect(write(session, late)).rejects.toMatchObject({ kind: 'engine', engineCode: '25001' });
        expect(await pidOf(session)).toBe(pid);
        expect(await value(session, 'show statement_timeout')).toBe('30s');
      });
    });

    it('lets a procedure or a block commit between its steps', async () => {
      await using(async (session) => {
        await write(session, 'create table step (n int)');
        const steps = 'begin insert into step values (1); commit; insert into step values (2); rollback; end';
        await write(session, `create procedure steps() language plpgsql as $$ ${steps} $$`);
        const tried = write(session, 'call steps()', { dryRun: true });
        await expect(tried).rejects.toMatchObject({ kind: 'refused', code: 'E_NO_DRY_RUN', engineCode: '2D000' });
        expect(await count('step')).toBe(0);
        expect((await write(session, '/* why */ call steps() -- now')).end).toEqual({ command: 'CALL', changed: undefined });
        expect((await write(session, `do $$ ${steps} $$`)).end).toEqual({ command: 'DO', changed: undefined });
        expect(await count('step')).toBe(2);
        const late = "do $$ begin insert into step values (3); commit; raise 'too late'; end $$";
        await expect(write(session, late)).rejects.toMatchObject({ kind: 'engine', message: 'the server says “too late”' });
        expect(await count('step')).toBe(3);
        // The server answers before it commits, and then cannot.
        const orphan = 'do $$ begin insert into child values (7); end $$';
        await expect(write(session, orphan)).rejects.toMatchObject({ code: 'E_CONSTRAINT', engineCode: '23503' });
        expect(await count('child')).toBe(0);
        expect(await value(session, 'show statement_timeout')).toBe('30s');
      });
    });

    it('accepts one statement, and refuses COPY of client data', async () => {
      await using(async (session) => {
        const several = { kind: 'input', code: 'E_MULTIPLE_STATEMENTS' };
        await expect(write(session, 'insert into parent values (5); select 1')).rejects.toMatchObject(several);
        await expect(write(session, '-- nothing')).rejects.toMatchObject({ kind: 'input', message: 'the statement is empty' });
        await expect(write(session, 'copy parent from stdin')).rejects.toMatchObject({ kind: 'input' });
        expect(session.alive).toBe(false);
      });
      expect(await count('parent')).toBe(0);
      await until(async () => (await countRunning(address, 'copy parent')) === 0);
    });

    it('says that nothing happened when it was stopped', async () => {
      await using(async (session) => {
        const sql = 'insert into parent select 3 from pg_sleep(60) /* stopped */';
        const caller = new AbortController();
        const outcome = expect(write(session, sql, { signal: caller.signal })).rejects.toMatchObject({ kind: 'cancelled' });
        await until(async () => (await countRunning(address, '/* stopped */')) === 1);
        caller.abort();
        await outcome;
        await expect(write(session, sql, { timeoutMs: 100 })).rejects.toMatchObject({ kind: 'timeout', engineCode: '57014' });
        expect(await count('parent')).toBe(0);
        expect(await value(session, 'select 1')).toBe('1');
      });
    });

    it('knows the outcome when the server ends the session before the COMMIT', async () => {
      await using(async (session) => {
        const pid = await pidOf(session);
        const running = write(session, 'insert into parent select 4 from pg_sleep(60) /* ended */');
        const outcome = expect(running).rejects.toMatchObject({ kind: 'connection', code: 'E_SHUT_DOWN' });
        await until(async () => (await countRunning(address, '/* ended */')) === 1);
        await direct(address, 'select pg_terminate_backend($1)', [pid]);
        await outcome;
        expect(await count('parent')).toBe(0);
      });
    });

    it('tells a server that allows reads only from a read that would write', async () => {
      await direct(address, 'create role reader login password $$x$$ in role pg_read_all_data');
      await direct(address, 'alter role reader set default_transaction_read_only = on');
      await withSession({ ...address, user: 'reader', password: 'x' }, async (session) => {
        const failure = { kind: 'engine', code: 'E_SERVER_READONLY' };
        await expect(write(session, 'insert into parent values (1)')).rejects.toMatchObject(failure);
        await expect(read(session, 'insert into parent values (1)')).rejects.toMatchObject({ kind: 'refused' });
        await write(session, 'set default_transaction_read_only = off');
        await expect(write(session, 'insert into parent values (1)')).rejects.toMatchObject(failure);
        await expect(read(session, "select pg_read_file('postgresql.conf')")).rejects.toMatchObject({ code: 'E_PERMISSION' });
      });
      await direct(address, 'drop role reader');
    });

    it('reads after a write see it', async () => {
      await using(async (session) => {
        await write(session, 'insert into parent values (100)');
        expect((await read(session, 'select id from parent')).rows).toEqual([['100']]);
        await write(session, 'delete from parent');
      });
    });
  });
}

describe('a crash', () => {
  const server = useEngine('postgres18', { restartable: true });

  it('a crash in the middle of a write leaves the outcome open, and of a dry run does not', async () => {
    for (const dryRun of [false, true]) {
      await withSession(server(), async (session) => {
        await pidOf(session);
        const running = write(session, 'select pg_sleep(60) /* crash */', { dryRun });
        const failure = dryRun ? 'E_CONNECTION_LOST' : 'E_OUTCOME_UNKNOWN';
        const outcome = expect(running).rejects.toMatchObject({ kind: 'connection', code: failure, hint: expect.any(String) });
        await until(async () => (await countRunning(server(), '/* crash */')) === 1);
        await server().control?.kill();
        await outcome;
        await server().control?.start();
      });
    }
  });
});
