import { describe, expect, it } from 'vitest';
import { parseShape } from './read-shape.ts';

const read = (sql: string) => parseShape(sql, '');
const conditions = async (where: string) => {
  const { levels } = await read(`select * from t where ${where}`);
  return levels[0]?.conditions.map(({ kind, key }) => `${kind} ${key.name}`);
};

describe('the shape of a statement, read from its tokens', () => {
  it.each([
    ['a = 1 and 2 = `B`', ['equal a', 'equal b']],
    ['a in (1, 2) and (b <=> 1) and c is null and d', ['equal a', 'equal b', 'equal c', 'equal d']],
    ["a > 1 and b between 1 and 2 and date '2026-01-01' <= c and 5 < d", ['range a', 'interval b', 'range c', 'range d']],
    ["a like 'x%' and b like '%x' and c like ?", ['prefix a']],
    ['a = (select 1) and c >= now() - interval 3 day', ['equal a', 'range c']],
    ["a <> 1 and not b and date(a) = 'x' and a + 1 = 2 and c not in (1) and c is not null and d > e", []],
  ])('has the conditions of %s', async (where, expected) => {
    expect(await conditions(where)).toEqual(expected);
  });

  it('has the arms of OR', async () => {
    const { levels } = await read('select * from t where (a = 1 or b = 2) and c = 3');
    expect(levels[0]?.choices.map((arms) => arms.map(({ key }) => key.name))).toEqual([['a', 'b']]);
  });

  it('has the joins of FROM, WHERE and subqueries', async () => {
    const { levels } = await read(
      'select 1 from a join b force index for join (i) on (a.x = b.y and b.k = 2) join c using (z), d where d.w = a.v and exists (select 1 from e where e.p = a.q)',
    );
    const joins = levels.flatMap((level) => level.joins.map(({ left, right }) => `${left.name}-${right?.name}`));
    expect(joins).toEqual(['x-y', 'z-z', 'w-v', 'p-q']);
    expect(levels[0]?.conditions.map(({ key }) => key.name)).toEqual(['k']);
    expect(levels[1]?.parent).toBe(0);
  });

  it('has the order, and a maximum as one', async () => {
    const { levels } = await read('(select a from t order by a desc, t.b limit 3) union all select max(c) from u');
    expect(levels.map(({ order }) => order.map(({ column, descending }) => `${column.name} ${descending}`))).toEqual([
      ['a true', 'b false'],
      ['c true'],
    ]);
  });

  it('tells tables from queries of WITH, subqueries and functions', async () => {
    const { levels } = await read(
      "with q as (select 1 from t) select 1 from q, s.q as r, (select 1 from u) v, json_table('[]', '$' columns (x int path '$')) w",
    );
    expect(levels.map(({ sources }) => sources.map(({ alias, table }) => `${alias}:${table?.name}`))).toEqual([
      ['t:t'],
      ['q:undefined', 'r:q', 'v:undefined', 'w:undefined'],
      ['u:u'],
    ]);
  });
});
