import { describe, expect, it } from 'vitest';
import { openParser } from '../guard/thread/parser.ts';
import { checkDryRun } from './dry-run.ts';

const check = async (sql: string) => checkDryRun(sql, await openParser());

describe('a dry run', () => {
  it.each([
    ["select nextval('s')", 'nextval() advances or sets a sequence', 8],
    ["insert into t (id) values (pg_catalog.nextval('s'))", 'nextval() advances or sets a sequence', 28],
    ["update t set a = (select setval('s', 9)) where b = 1", 'setval() advances or sets a sequence', 26],
    ["delete from t where exists (select 1 from dblink_exec('x', 'y'))", 'dblink_exec() runs statements', 43],
    ["with x as (insert into t select lo_export(1, 'f') returning a) select * from x", 'lo_export() reads or writes files', 33],
    ['merge into t using u on true when matched then update set a = pg_reload_conf()::int', 'pg_reload_conf()', 63],
    ["create table t as select nextval('s') as id", 'nextval()', 26],
    ["alter table t add column id int default nextval('s')", 'nextval()', 41],
    ["select ('s'::regclass).nextval", 'nextval()', undefined],
    ["call p(nextval('s'))", 'nextval()', 8],
    ["copy (select nextval('s')) to stdout", 'nextval()', 14],
    ["copy t to '/tmp/x'", 'COPY uses a file or a program', undefined],
    ["copy t from program 'date'", 'COPY uses a file or a program', undefined],
    ['checkpoint', 'CHECKPOINT', undefined],
    ["load 'plpgsql'", 'LOAD', undefined],
    ['analyze t', 'ANALYZE', undefined],
    ["/* ü */ select U&'n', nextval('s')", 'nextval()', 23],
  ])('of %s is refused', async (sql, message, position) => {
    await expect(check(sql)).rejects.toMatchObject({
      kind: 'refused',
      code: 'E_NO_DRY_RUN',
      message: expect.stringContaining(`a dry run is not possible: ${message}`),
      position,
    });
  });

  it.each([
    'insert into t (id, nextval) values (default, 1) returning nextval',
    "create table t (id int default nextval('s'))",
    "create view v as select nextval('s') as id",
    "create function f() returns bigint begin atomic select nextval('s'); end",
    "alter table t alter column id set default nextval('s')",
    "select pg_notify('c', 'x'), pg_advisory_xact_lock(1), lo_create(0), set_config('a.b', 'c', false)",
    "select 1 /* nextval('s') */ where 'nextval(''s'')' = ''",
    "select mine.nextval('s')",
    'drop table t cascade',
    'truncate t restart identity',
    'do $$ begin end $$',
    'this is no statement',
  ])('of %s is left to the server', async (sql) => {
    await expect(check(sql)).resolves.toBeUndefined();
  });

  it('reads a statement that is nested deeply, or refuses it', async () => {
    const deep = `select ${'('.repeat(3_000)}nextval('s')${')'.repeat(3_000)}`;
    await expect(check(deep)).rejects.toMatchObject({ code: 'E_NO_DRY_RUN' });
    const chain = `select ${'1 + '.repeat(20_000)} 1`;
    await check(chain).catch((error: unknown) => expect(error).toMatchObject({ code: 'E_NO_DRY_RUN' }));
  });
});
