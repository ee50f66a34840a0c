import { beforeAll, describe, expect, it } from 'vitest';
import type { Level } from '../../../advice/statement-shape.ts';
import { openParser, type Parser } from '../guard/thread/parser.ts';
import { readShape } from './read-shape.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await openParser();
});

const read = (sql: string) => readShape(parser.parse(sql)[0]?.stmt);
const first = (sql: string): Level => {
  const [level] = read(sql).levels;
  if (level === undefined) throw new Error('no level');
  return level;
};
const conditions = (where: string) =>
  first(`select * from t where ${where}`).conditions.map(({ kind, key }) => `${kind} ${key.name}`);

describe('the shape of a statement', () => {
  it.each([
    ['a = 1 and 2 = b', ['equal a', 'equal b']],
    ['a in (1, 2) and b = any($1) and c is null and d and e is true', ['equal a', 'equal b', 'equal c', 'equal d', 'equal e']],
    ["a > 1 and b between 1 and 2 and date '2026-01-01' <= c", ['range a', 'interval b', 'range c']],
    ["a like 'x%' and b like '%x' and c ilike 'x' and d like $1", ['prefix a', 'infix b', 'infix c']],
    ["a @> '{}' and b && array[1]", ['contains a', 'contains b']],
    ["(a, b) > (1, 2) and a = (select 1) and c = now() - interval '1 day'", ['range a', 'equal a', 'equal c']],
    ["a <> 1 and not b and a::text = 'x' and a + 1 = 2 and c not in (1) and c is not null", []],
  ])('has the conditions of %s', (where, expected) => {
    expect(conditions(where)).toEqual(expected);
  });

  it('has expressions that an index can be made of', () => {
    const { conditions: found } = first("select * from t where lower(a) = 'x' and b ->> 'k' = 'v' and f(c) = 1");
    expect(found.map(({ key }) => key.expression)).toEqual([
      { kind: 'function', name: 'lower' },
      { kind: 'member', key: 'k' },
    ]);
  });

  it('has the joins of FROM, WHERE and subqueries', () => {
    const { levels } = read(
      'select 1 from a join b on a.x = b.y join c using (z), d where d.w = a.v + 1 and exists (select 1 from e where e.p = a.q) and a.i in (select j from f)',
    );
    const joins = levels.flatMap((level) => level.joins.map(({ left, right }) => `${left.name}-${right?.name}`));
    expect(joins).toEqual(['x-y', 'z-z', 'w-undefined', 'p-q', 'j-i']);
    expect(levels.map(({ parent }) => parent)).toEqual([undefined, 0, 0]);
  });

  it('has the order as far as it is one of columns, and whether only its beginning is read', () => {
    const { order, hasLimit } = first('select a as x, b from t order by x desc, 2, a + b, c limit 3');
    expect(order).toEqual([
      { column: { qualifier: undefined, name: 'a' }, descending: true },
      { column: { qualifier: undefined, name: 'b' }, descending: false },
    ]);
    expect(hasLimit).toBe(true);
    expect(first('select max(a) from t')).toMatchObject({ order: [{ column: { name: 'a' }, descending: true }], hasLimit: true });
  });

  it('tells tables from queries of WITH, subqueries and functions', () => {
    const { levels } = read('with q as (select 1 from t) select 1 from q, s.q, (select 1 from u) v, f() w');
    expect(levels.map(({ sources }) => sources.map(({ alias, table }) => `${alias}:${table?.name}`))).toEqual([
      ['t:t'],
      ['q:undefined', 'q:q', 'v:undefined', 'w:undefined'],
      ['u:u'],
    ]);
  });

  it('has what placeholders are compared with', () => {
    const { params } = read('select * from t where a = $1 and b in ($2, $3) and c = any($4) and f($5) limit $6');
    const shown = params.map((param) =>
      typeof param === 'object' ? `${param.column.name}${param.isList ? '[]' : ''}` : String(param),
    );
    expect(shown).toEqual(['a', 'b', 'b', 'c[]', 'undefined', 'count']);
  });

  it('has the columns that are needed, unless a star takes all', () => {
    expect(first('select a, count(*) from t where b = 1 group by a').used?.map(({ name }) => name)).toEqual(['a', 'b', 'a']);
    expect(first('select t.* from t').used).toBeUndefined();
  });
});
