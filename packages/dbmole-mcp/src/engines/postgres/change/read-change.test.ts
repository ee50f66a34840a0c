import { describe, expect, it } from 'vitest';
import { readChange } from './read-change.ts';

describe('a change of all rows', () => {
  it.each([
    ['update t set a = 1', 'UPDATE'],
    ['UPDATE ONLY s.t AS x SET a = 1 /* where id = 1 */ -- where id = 2', 'UPDATE'],
    ["update t set a = ' where id = 1'", 'UPDATE'],
    ['update t set a = (select b from u where u.id = t.id)', 'UPDATE'],
    ['update t set a = 1 from u', 'UPDATE'],
    ['delete from t', 'DELETE'],
    ['delete from t using u', 'DELETE'],
    ['delete from t where true', 'DELETE'],
    ['delete from t where 1 = 1', 'DELETE'],
    ["delete from t where 'a' = 'a' and 2 > 1", 'DELETE'],
    ['delete from t where id = 1 or true', 'DELETE'],
    ['delete from t where not false', 'DELETE'],
    ['delete from t where id = id', 'DELETE'],
    ['delete from t where t.id >= t.id', 'DELETE'],
    ['delete from t where (id = 1 or 1 = 1) and 2 = 2', 'DELETE'],
    ['delete from t where $1', 'DELETE'],
    ['delete from t where random() < 0.5', 'DELETE'],
    ['delete from t where null is null', 'DELETE'],
    ['delete from t where (select true)', 'DELETE'],
    ['delete from t where exists (select * from u)', 'DELETE'],
    ['with x as (delete from t returning *) select * from x', 'DELETE'],
    ['with x as (select 1) update t set a = 1', 'UPDATE'],
    ['with x as (select 1), y as (update t set a = 1 where true returning 1) delete from u where id = 1', 'UPDATE'],
    ['insert into u select 1 from (select 1) q; delete from t', 'DELETE'],
    ['explain analyze delete from t', 'DELETE'],
    ['prepare p as delete from t', 'DELETE'],
    ['merge into t using u on true when matched then delete', 'MERGE'],
    ['merge into t using u on 1 = 1 when matched then update set a = 1', 'MERGE'],
    ['truncate t', 'TRUNCATE'],
    ['truncate table t, u cascade', 'TRUNCATE'],
    ['delete from t wherre id = 1', 'unknown'],
    [`delete from t where ${'('.repeat(40_000)}id = 1${')'.repeat(40_000)}`, 'unknown'],
  ])('is seen in %s', async (sql, noWhere) => {
    expect((await readChange(sql)).noWhere).toBe(noWhere);
  });

  it.each([
    'update t set a = 1 where id = 1',
    'update t set a = 1 where true and id = 1',
    'update t set a = 1 from u where u.id = t.id',
    'delete from t using u where t.id = u.id',
    'delete from t where id in (1, 2)',
    'delete from t where id = any($1)',
    'delete from t where exists (select 1 from u where u.id = t.id)',
    'delete from t where id = 1 or id = 2',
    'delete from t where current of c',
    'delete from t where a is distinct from b',
    'insert into t values (1) on conflict (id) do update set a = 1',
    "insert into t values ('delete from t')",
    'create function f() returns void language sql begin atomic delete from t; end',
    'create rule r as on delete to t do instead delete from u',
    'merge into t using u on t.id = u.id when matched then delete',
    'alter table t add foreign key (a) references u on delete cascade',
    'grant update, delete on t to x',
    'select * from t for update',
    'create table update_log (deleted int)',
  ])('is not seen in %s', async (sql) => {
    expect((await readChange(sql)).noWhere).toBeUndefined();
  });

  it.each([
    [
      'update s.t set a = $1 where id = $2 and b < $3',
      { with: '', from: 's.t where id = $1 and b < $2', alias: '"t"', params: [1, 2] },
    ],
    [
      'with u as (select $2::int as i) update only "T x" as y set a = b is distinct from c, d = 1 from u, v where y.id = u.i returning *',
      { with: 'with u as (select $1::int as i)', from: 'only "T x" as y , u, v where y.id = u.i', alias: '"y"', params: [1] },
    ],
    [
      "delete from t using u where t.id = u.id and u.n = 'where' -- x",
      { with: '', from: "t, u where t.id = u.id and u.n = 'where'", alias: '"t"', params: [] },
    ],
    ['delete from t where n = $1 or m = $1;', { with: '', from: 't where n = $1 or m = $1', alias: '"t"', params: [0] }],
    [
      "update t set a = 'ä' where n = 'ö€😀' and id = $1",
      { with: '', from: "t where n = 'ö€😀' and id = $1", alias: '"t"', params: [0] },
    ],
  ])('gives the query for the rows of %s', async (sql, rows) => {
    const found = (await readChange(sql)).rows;
    expect(found && { ...found, from: found.from.replace(/ ,/g, ',').trim() }).toEqual({
      ...rows,
      from: rows.from.replace(/ ,/g, ','),
    });
  });

  it.each([
    'with x as (delete from u where id = 1 returning id) delete from t using x where t.id = x.id',
    'delete from t where current of c',
    'insert into t values (1)',
    'select 1',
  ])('gives none for %s', async (sql) => {
    expect((await readChange(sql)).rows).toBeUndefined();
  });
});
