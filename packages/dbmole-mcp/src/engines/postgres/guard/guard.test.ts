import { Failure } from '@dbmole/core';
import { readHint } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import { createChecker } from './checker.ts';
import { createGuard } from './guard.ts';

/** A server that has nothing of its own; whatever else is asked of it has no rows. */
const server =
  (version: string, names: string | null = null): CatalogQuestion =>
  async (sql) =>
    sql.includes('server_version_num') ? [[version, names]] : [];

const guard = createGuard(createChecker());

async function verdict(sql: string, run = server('180004')): Promise<Failure | 'a read'> {
  try {
    expect((await guard.check(sql, run)).sql).toBe(sql);
    return 'a read';
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

describe('the guard lets pass', () => {
  it.each([
    'select 1',
    'SELECT 1;',
    ' ; select 1 ;; -- end',
    'values (1, default)',
    'table t',
    '(select 1)',
    'show search_path',
    'show all',
    'explain select 1',
    'explain (analyze, verbose, buffers, wal, settings, format json, serialize text, memory) select * from t',
    'explain analyze table t',
    'with recursive a as (select 1 union all select 2) search depth first by x set y select * from a',
    'select $1, $2::int',
    'select \'delete from t; --\', $$ drop table t $$ as "into"',
    'select * from json_to_recordset($1) as x(a int, b text collate "C")',
    'select count(*) filter (where a) over w from t window w as (partition by b rows between 1 preceding and current row)',
    "select json_object('a': 1 null on null), json_array(1, 2 format json), a is json object with unique keys from t",
    "select * from json_table($1, '$[*]' as p passing 1 as x columns (n for ordinality, a int exists path '$.a' error on error, nested path '$.b' columns (c text path '$' with wrapper omit quotes default 'x' on empty)) error on error) j",
    "select json_value($1, '$' passing 2 as y returning int default 3 on error), json_query($1, '$'), json_exists($1, '$')",
    'select json_objectagg(k: v absent on null with unique keys), json_arrayagg(x order by x), json_scalar(1), json_serialize(a), json(b) from t',
    "select * from xmltable(xmlnamespaces('x' as y), '/r' passing '<r/>' columns b int path 'b' not null, n for ordinality)",
    'select a, grouping(a) from t group by distinct grouping sets ((a), ()), cube (a, b)',
    'select * from t tablesample system (1) repeatable (2)',
    'select * from rows from (generate_series(1, 2), unnest(array[3])) with ordinality as x(a, b, c)',
    'select merge.x, "update", delete from merge',
    'select current_user, current_date, localtime(3), session_user, a at local, 1_000, 0xFF',
    'select a from t order by a using < nulls last fetch first 3 rows with ties',
    'select ts_rewrite(a, b, c), pg_sleep(1), lo_get(1), currval($1), public.nextval(1)',
    'select * from pg_roles, pg_settings, pg_locks, mine.pg_authid',
    'with pg_authid as (select 1) select * from pg_authid',
  ])('%s', async (sql) => {
    expect(await verdict(sql)).toBe('a read');
  });
});

describe('the guard refuses', () => {
  it.each([
    ['delete from t', 1, 'DELETE changes data'],
    ['-- ü\n insert into t values (1)', 7, 'INSERT changes data'],
    ['merge into t using u on true when matched then delete', 1, 'MERGE changes data'],
    ["with d as (\n update t set a = 1 returning 1) select 'ü' from d", 14, 'UPDATE changes data'],
    ['select 1 union (with d as (delete from t returning 1) select * from d)', 28, 'DELETE changes data'],
    ["select 'ü' into u from t", 12, 'INTO creates a table'],
    ['explain select * into u from t', 18, 'INTO creates a table'],
    ['create temp table u as select 1', 1, 'CREATE TABLE AS changes'],
    ['create materialized view u as select 1', 1, 'CREATE TABLE AS changes'],
    ['select * from t for no key update', 17, 'FOR NO KEY UPDATE locks rows'],
    ['select * from (select * from t for share of t skip locked) x', 32, 'FOR SHARE locks rows'],
    ['values (1) for update', 12, 'FOR UPDATE locks rows'],
    ['explain analyze execute p', 17, 'EXECUTE uses prepared statements'],
    ['explain declare c cursor for select 1', 9, 'DECLARE CURSOR uses cursors'],
    ['explain analyze create table u as select 1', 17, 'CREATE TABLE AS changes'],
    ['begin', 1, 'BEGIN controls a transaction'],
    ['rollback to x', 1, 'ROLLBACK TO controls'],
    ['set a = 1', 1, 'SET changes the session'],
    ['reset all', 1, 'SET changes the session'],
    ['analyze t', 1, 'ANALYZE maintains'],
    ['vacuum full t', 1, 'VACUUM maintains'],
    ['copy (select 1) to stdout', 1, 'COPY reads or writes'],
    ['revoke all on t from public', 1, 'REVOKE changes'],
    ['alter table t add column a int', 1, 'ALTER TABLE changes'],
    ['call p()', 1, 'CALL runs a procedure'],
    ['do $$ begin end $$', 1, 'DO runs arbitrary code'],
    ['fetch 1 from c', 1, 'FETCH uses cursors'],
    ['select merge_action()', 8, 'MERGE_ACTION'],
    ["select 'ü', NextVal('s')", 13, 'nextval() advances or sets a sequence'],
    ['select U&"\\006eextval"(1)', 8, 'nextval() advances or sets a sequence'],
    ['select pg_catalog . /* */ "set_config" (1, 2, 3)', 8, 'set_config() changes the session'],
    ["select a from t where (select dblink.dblink_exec('x')) = '1'", 31, 'dblink_exec() runs statements'],
    ['select * from a join lateral pg_ls_waldir() on true', 30, 'pg_ls_waldir() reads or writes files'],
    ["select domain_in('5', 1, -1)", 8, 'domain_in() creates a value of a type'],
    ['select ts_rewrite(a, b)', 8, 'ts_rewrite() runs SQL'],
    ['select lo_unlink(1), nextval(2)', 8, 'lo_unlink()'],
    ['select 1 where exists (table pg_authid)', 30, 'pg_authid holds passwords'],
    ['select * from information_schema.user_mapping_options', 15, 'user_mapping_options holds passwords'],
    ['with pg_authid as (select * from pg_authid) select * from pg_authid', 34, 'pg_authid holds passwords'],
    ['with a as (with pg_shadow as (select 1) select 1) select * from pg_shadow', 65, 'pg_shadow holds passwords'],
  ])('%s', async (sql, position, message) => {
    const said = await verdict(sql);
    expect(said).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ', position });
    expect(said).toHaveProperty('message', expect.stringContaining(message));
    expect(readHint(said as Failure, 'tools')).toMatch(/[\w`]\.$/);
  });

  it('several statements, and shows the second', async () => {
    const said = { kind: 'input', code: 'E_MULTIPLE_STATEMENTS' };
    expect(await verdict("select 'ü'; /* ; */ commit")).toMatchObject({ ...said, position: 21 });
    expect(await verdict('select 1;select 2')).toMatchObject({ ...said, position: 10 });
  });

  it('a text without a statement', async () => {
    expect(await verdict('-- nothing')).toMatchObject({ kind: 'input' });
    expect(await verdict(' ; ')).toMatchObject({ kind: 'input' });
  });

  it('half a character, which the parser and the server would read differently', async () => {
    expect(await verdict("select '\ud83d' , nextval('s') --'")).toMatchObject({ kind: 'input', position: 9 });
    expect(await verdict("select '😀'")).toBe('a read');
  });

  it('what does not parse, as the server would', async () => {
    const said = { kind: 'engine', code: 'E_SYNTAX', engineCode: '42601', hint: undefined };
    expect(await verdict("select 'ü😀', slct 1")).toMatchObject({
      ...said,
      position: 20,
      message: 'syntax error at or near "1"',
    });
    expect(await verdict("select 'open")).toMatchObject({ ...said, position: 8 });
  });

  it.each([
    ['parentheses', `select ${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    ['operators', `select ${'1+'.repeat(100_000)}1`],
    ['unions', `select 1${' union select 1'.repeat(20_000)}`],
    ['subselects', `${'select * from ('.repeat(5_000)}select 1${') x'.repeat(5_000)}`],
  ])('what nests too deeply to be parsed: %s', async (_what, sql) => {
    expect(await verdict(sql)).toMatchObject({ code: expect.stringMatching(/^E_(NOT_A_READ|SYNTAX)$/) });
    expect(await verdict('select 1')).toBe('a read');
  });
});

describe('a server that is newer than the guard', () => {
  const run = server('190000', 'nextval pg_explode random');

  it('is named when the statement does not parse', async () => {
    const said = await createGuard(createChecker())
      .check('select 1 graph', run)
      .catch((error: unknown) => error);
    expect(said).toBe(said);
    const failure = await createGuard(createChecker())
      .check('select select', run)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'E_SYNTAX', hint: expect.stringContaining('this server is 19') });
  });

  it('has functions that were not reviewed', async () => {
    const newer = createGuard(createChecker());
    await expect(newer.check('select pg_explode()', run)).rejects.toMatchObject({ code: 'E_NOT_A_READ', position: 8 });
    await expect(newer.check('select random(), app.pg_explode()', run)).resolves.toMatchObject({ sql: expect.any(String) });
  });

  it('still has its syntax errors when it does not answer', async () => {
    const silent: CatalogQuestion = async () => Promise.reject(new Error('gone'));
    await expect(createGuard(createChecker()).check('select select', silent)).rejects.toMatchObject({
      code: 'E_SYNTAX',
    });
    await expect(createGuard(createChecker()).check('select 1', silent)).rejects.toThrow('gone');
  });
});

describe('what the guard asks the server', () => {
  it('is nothing for a text that is refused, and the same once for all others, until it forgets', async () => {
    const asked: string[] = [];
    const run: CatalogQuestion = async (sql) => {
      asked.push(sql);
      return await server('180004')(sql);
    };
    const own = createGuard(createChecker());
    await expect(own.check('delete from t', run)).rejects.toThrow('DELETE');
    expect(asked).toEqual([]);
    await Promise.all([own.check('select 1', run), own.check('select 2', run)]);
    const first = asked.length;
    await own.check('select 3', run);
    expect(asked).toHaveLength(first);
    own.forget();
    await own.check('select 4', run);
    expect(asked).toHaveLength(2 * first);
  });
});
