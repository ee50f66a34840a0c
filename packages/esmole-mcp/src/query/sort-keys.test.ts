import { RawNumber } from '@dbmole/core';
import { describe, expect, it } from 'vitest';
import { chooseLanguage } from './language.ts';
import { findSortKeys, formatAfter, type SortKey } from './sort-keys.ts';

const cluster = {
  product: 'elasticsearch',
  version: '8.19.0',
  major: 8,
  minor: 19,
  flavour: 'default',
  clusterName: undefined,
} as const;

const find = (query: string) => findSortKeys(query, chooseLanguage(cluster, { query }));
const format = ({ text, descends, nullsFirst }: SortKey) =>
  `${text} ${descends ? 'DESC' : 'ASC'} NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`;

describe('the sort keys of ES|QL', () => {
  it.each([
    ['FROM a | SORT n', 'n ASC NULLS LAST'],
    ['FROM a | sort n desc | LIMIT 5', 'n DESC NULLS FIRST'],
    [
      'FROM a | SORT x | STATS c = COUNT(*) BY b | SORT c DESC, b.`odd name` | KEEP c, b*',
      'c DESC NULLS FIRST; b.`odd name` ASC NULLS LAST',
    ],
    [
      'FROM a | SORT `a``|b` NULLS FIRST, @timestamp DESC NULLS LAST // the end',
      '`a``|b` ASC NULLS FIRST; @timestamp DESC NULLS LAST',
    ],
    ['FROM a | SORT n | WHERE m IN (FROM b | SORT x | KEEP m) | DROP z', 'n ASC NULLS LAST'],
  ])('are found in %s', (query, expected) => {
    expect(find(query)?.map(format).join('; ')).toBe(expected);
  });

  it.each([
    'FROM a',
    'FROM a | SORT n | STATS c = COUNT(*)',
    'FROM a | SORT n | EVAL n = 1',
    'FROM a | SORT n | RENAME m AS n',
    'FROM a | SORT n | MV_EXPAND n',
    'FROM a | SORT LENGTH(n)',
    'FROM a | SORT n + 1',
    'FROM a | SORT ?key',
    'FROM a | SORT n, ',
    'FROM a | SORT n UP',
    'FROM a | WHERE b IN (FROM a | SORT n)',
    'FROM a | WHERE b == "x | SORT n"',
  ])('are not found in %s', (query) => {
    expect(find(query)).toBeUndefined();
  });

  it('name the column as the table does', () => {
    expect(find('FROM a | SORT a.`b``c`.d')?.map(({ column }) => column)).toEqual(['a.b`c.d']);
  });
});

describe('the condition for the rows behind one', () => {
  const key = (text: string, type: string, order: Partial<SortKey> = {}) => ({
    column: text,
    text,
    type,
    descends: false,
    nullsFirst: false,
    ...order,
  });
  const last = { descends: true, nullsFirst: true };

  it.each([
    ['a text with quotes', [{ key: key('k', 'keyword'), value: 'a"\\\n' }], '((k > "a\\"\\\\\\n" OR k IS NULL))'],
    [
      'a descending number',
      [{ key: key('n', 'long', last), value: new RawNumber('9007199254740993') }],
      '(n < TO_LONG("9007199254740993"))',
    ],
    ['null that comes first', [{ key: key('n', 'long', last), value: null }], '(n IS NOT NULL)'],
    ['null that comes last', [{ key: key('n', 'long'), value: null }], 'false'],
    [
      'two keys',
      [
        { key: key('b', 'boolean', last), value: true },
        { key: key('at', 'date'), value: '2026-01-01T00:00:00.000Z' },
      ],
      '(TO_INTEGER(b) < 1) OR (TO_INTEGER(b) == 1 AND (at > TO_DATETIME("2026-01-01T00:00:00.000Z") OR at IS NULL))',
    ],
    [
      'null before another key',
      [
        { key: key('a', 'ip'), value: null },
        { key: key('v', 'version', last), value: '1.10' },
      ],
      '(a IS NULL AND v < TO_VERSION("1.10"))',
    ],
  ])('is right for %s', (_, values, expected) => {
    expect(formatAfter(values)).toBe(expected);
  });
});
