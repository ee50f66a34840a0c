import { describe, expect, it } from 'vitest';
import { formatListParam } from './literal.ts';

describe('a list or object as a param', () => {
  it.each<[object, string, string]>([
    [[1, 2.5, true, null], 'x = any($1)', '{1,2.5,true,NULL}'],
    [['a', 'b"c', 'd\\', '', 'NULL', '{}'], '$1', String.raw`{"a","b\"c","d\\","","NULL","{}"}`],
    [
      [
        [1, 2],
        [3, 4],
      ],
      '$1',
      '{{1,2},{3,4}}',
    ],
    [[], 'x = any($1)', '{}'],
    [[1, 2], 'select $1::jsonb', '[1,2]'],
    [[1, 2], 'select $1 :: json', '[1,2]'],
    [[1, 2], 'select cast($1 as jsonb)', '[1,2]'],
    [[1, 2], 'select $1::jsonbig, $11::jsonb', '{1,2}'],
    [[{ a: 1 }], '$1', '[{"a":1}]'],
    [{ a: [1] }, '$1', '{"a":[1]}'],
  ])('is written for the server: %j in %s', (value, sql, text) => {
    expect(formatListParam(value, { sql, index: 0 })).toBe(text);
  });
});
