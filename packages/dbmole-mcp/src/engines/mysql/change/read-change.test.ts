import { describe, expect, it } from 'vitest';
import { readChange } from './read-change.ts';

describe('a change of all rows', () => {
  it.each([
    ['update t set a = 1', 'UPDATE'],
    ['update low_priority ignore t set a = 1 -- where id = 1', 'UPDATE'],
    ['update t set a = 1 # where id = 1', 'UPDATE'],
    ["update t set a = ' where id = 1'", 'UPDATE'],
    ["update t set a = 'it\\'s where id = 1'", 'UPDATE'],
    ['update t set a = (select b from u where u.id = t.id)', 'UPDATE'],
    ['update t join u on t.id = u.id set t.a = 1', 'UPDATE'],
    ['update t set a = 1 order by id limit 5', 'UPDATE'],
    ['delete from t', 'DELETE'],
    ['delete t from t join u using (id)', 'DELETE'],
    ['delete from t limit 10', 'DELETE'],
    ['delete from t where 1', 'DELETE'],
    ['delete from t where true', 'DELETE'],
    ['delete from t where 1 = 1 limit 3', 'DELETE'],
    ["delete from t where ('a' = 'a' and 2 > 1)", 'DELETE'],
    ['delete from t where id = 1 or true', 'DELETE'],
    ['delete from t where id = 1 || 1', 'DELETE'],
    ['delete from t where not 0', 'DELETE'],
    ['delete from t where id = id', 'DELETE'],
    ['delete from t where id <=> id', 'DELETE'],
    ['delete from t where `t`.`id` = `t`.`id`', 'DELETE'],
    ['delete from t where rand() < 0.5', 'DELETE'],
    ['delete from t where ?', 'DELETE'],
    ['delete from t where (select true from dual)', 'DELETE'],
    ['delete from t where "a"', 'DELETE'],
    ['with x as (select 1) delete from t', 'DELETE'],
    ['with x as (select 1) update t set a = 1 where 2', 'UPDATE'],
    ['explain analyze delete from t', 'DELETE'],
    ['analyze update t set a = 1', 'UPDATE'],
    ['truncate t', 'TRUNCATE'],
    ['truncate table t', 'TRUNCATE'],
    ['begin not atomic delete from t; end', 'DELETE'],
    ['begin not atomic update t set a = 1 where id = 1; if 1 then truncate u; end if; end', 'TRUNCATE'],
    ["execute immediate 'delete from t'", 'unknown'],
    ['/*!50000 delete from t */', 'unknown'],
    ['/*M! delete */ from t where id = 1', 'unknown'],
    ['delete from t /*! where id = 1 */', 'unknown'],
    ['delete from t where id = "a', 'unknown'],
  ])('is seen in %s', async (sql, noWhere) => {
    expect((await readChange(sql)).noWhere).toBe(noWhere);
  });

  it.each([
    'update t set a = 1 where id = 1',
    'update t set a = 1 where 1 and id = 1',
    'update t join u on t.id = u.id set t.a = 1 where u.b = 2',
    'delete t from t join u using (id) where u.b = 1',
    'delete from t where id in (1, 2) order by id limit 1',
    'delete from t where id = 1 or id = 2',
    'delete from t where id between 1 and 5',
    'delete from t where exists (select 1 from u where u.id = t.id)',
    'delete from t where case when id = 1 or 1 then 1 end',
    "delete from t where name = 'it\\'s'",
    'delete from t where `where` = 1',
    'insert into t values (1) on duplicate key update a = 1',
    "insert into t values ('delete from t')",
    'select * from t for update',
    'create trigger x before delete on t for each row set @a = 1',
    'alter table t add foreign key (a) references u (a) on delete cascade on update cascade',
    'grant update, delete on t to x',
    'create procedure p() delete from t',
    'replace into t values (1)',
  ])('is not seen in %s', async (sql) => {
    expect((await readChange(sql)).noWhere).toBeUndefined();
  });

  it.each([
    [
      'update s.t set a = ? where id = ? and b < ?',
      { with: '', from: 's.t where id = ? and b < ?', alias: '`t`', params: [1, 2] },
    ],
    [
      'delete from t as x where x.id > ? limit 2',
      { with: '', from: '(SELECT * FROM t as x where x.id > ? limit 2) AS `x`', alias: '`x`', params: [0] },
    ],
    [
      'update `a``b` set c = 1 order by d',
      { with: '', from: '(SELECT * FROM `a``b` order by d) AS `a``b`', alias: '`a``b`', params: [] },
    ],
    [
      'with k as (select ? as i) delete from t where id in (select i from k) and n = ?',
      { with: 'with k as (select ? as i)', from: 't where id in (select i from k) and n = ?', alias: '`t`', params: [0, 1] },
    ],
  ])('gives the query for the rows of %s', async (sql, rows) => {
    expect((await readChange(sql)).rows).toEqual(rows);
  });

  it.each([
    'update t join u on t.id = u.id set t.a = 1 where u.b = 2',
    'update t, u set t.a = 1 where t.id = u.id',
    'delete t from t join u using (id) where u.b = 1',
    'delete from t using t join u using (id) where u.b = 1',
    'delete from t partition (p0) where id = 1',
    'insert into t values (1)',
  ])('gives none for %s', async (sql) => {
    expect((await readChange(sql)).rows).toBeUndefined();
  });
});
