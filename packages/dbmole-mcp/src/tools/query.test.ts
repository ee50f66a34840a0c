import { describe, expect, it } from 'vitest';
import { grammar } from '../engines/postgres/session/grammar.ts';
import { isUnordered } from './query.ts';

describe('whether pages may overlap', () => {
  it.each([
    ['select * from t', true],
    ['select * from t order by id', false],
    ['SELECT * FROM t ORDER\n  BY id', false],
    ['select * from (select * from t order by id) d', true],
    ['select row_number() over (order by id) from t', true],
    ['with c as (select * from t order by id) select * from c', true],
    ['(select * from t order by id)', false],
    ['(select a from t) union (select a from u) order by a', false],
    ["select 'order by' from t", true],
    ['select "order by" from t -- order by', true],
    ['select * from t /* order by */', true],
    ["select 'it\\'s' from t order by id", false],
    ["select '\\' from t order by id", false],
    ["select data #> '{a}' from t order by id", false],
    ['-- all\ntable t', true],
    ['values (1), (2)', true],
    ['show tables', false],
    ['explain select 1', false],
    ['select border by from t', true],
  ])('%s', (sql, unordered) => {
    expect(isUnordered(sql, grammar)).toBe(unordered);
  });

  it('is known soon of a long statement', () => {
    for (const part of ["'", '"', '`', '(', '/*', '--', "\\'", 'order ', '/**']) {
      const started = performance.now();
      isUnordered(`select ${part.repeat(100_000)}`, grammar);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });
});
