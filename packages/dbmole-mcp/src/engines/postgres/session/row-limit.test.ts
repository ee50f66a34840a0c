import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitRows } from './row-limit.ts';

const appended: readonly (readonly [string, string])[] = [
  ['select 1', 'select 1\nLIMIT 7'],
  ['SELECT 1;', 'SELECT 1\nLIMIT 7;'],
  ['select 1 ;\t\n', 'select 1 \nLIMIT 7;\t\n'],
  ['  select 1 -- end', '  select 1 -- end\nLIMIT 7'],
  ['select 1 -- limit 3;', 'select 1 -- limit 3\nLIMIT 7;'],
  ['select 1 /* limit 3 */', 'select 1 /* limit 3 */\nLIMIT 7'],
  // What is in quotes for the one is not for the other: a string that goes on, and a space that is a letter.
  [`select e'a'\n'b\\'', "x' y /*"(1) -- */`, `select e'a'\n'b\\'', "x' y /*"(1) -- */\nLIMIT 7`],
  [`select \u00a0e'\\', "x' y /*"(1) -- */`, `select \u00a0e'\\', "x' y /*"(1) -- */\nLIMIT 7`],
  ['/* limit /* 3 */ */ select 1', '/* limit /* 3 */ */ select 1\nLIMIT 7'],
  ['values (1)', 'values (1)\nLIMIT 7'],
  ['table t', 'table t\nLIMIT 7'],
  ['with a as (select 1 limit 1) select * from a', 'with a as (select 1 limit 1) select * from a\nLIMIT 7'],
  ["select 'limit 3'", "select 'limit 3'\nLIMIT 7"],
  ["select E'\\' limit 3'", "select E'\\' limit 3'\nLIMIT 7"],
  ['select "limit"', 'select "limit"\nLIMIT 7'],
  ['select "a""b limit"', 'select "a""b limit"\nLIMIT 7'],
  ['select $$ limit 3; $$', 'select $$ limit 3; $$\nLIMIT 7'],
  ['select $ü$ $$ limit $ü$', 'select $ü$ $$ limit $ü$\nLIMIT 7'],
  ['select $1, limits from a$$b', 'select $1, limits from a$$b\nLIMIT 7'],
  ['select substring(a for 3), (select 1 limit 1)', 'select substring(a for 3), (select 1 limit 1)\nLIMIT 7'],
  ['select 1 offset 3', 'select 1 offset 3\nLIMIT 7'],
];

/** With a limit of their own, or too strange to say. */
const portal: readonly string[] = [
  'select 1 limit 3',
  'select 1 LIMIT/**/3',
  'select 1 fetch first row only',
  'select 1 for update',
  'select 1 into t',
  `select 1 in (${'1,'.repeat(50_000)}1)`,
  '(select 1)',
  'show all',
  'explain select 1',
  'insert into t select 1',
  'with a as (select 1) insert into t select 1',
  'select 1; select 2',
  'select 1;;',
  'select 1; -- end',
  'select (1',
  'select 1)',
  "select 'open",
  'select "open',
  'select /* open /* */',
  'select $$ open',
  'select $a$ open $b$',
  '',
  '-- nothing',
];

describe('limitRows', () => {
  it.each(appended)('appends to %s', (sql, limited) => {
    expect(limitRows(sql, 7)).toEqual({ sql: limited, maxRows: 0 });
  });

  it.each(portal)('leaves alone: %s', (sql) => {
    expect(limitRows(sql, 7)).toEqual({ sql, maxRows: 7 });
  });

  it('asks for all rows, or for one at least', () => {
    expect(limitRows('select 1', undefined)).toEqual({ sql: 'select 1', maxRows: 0 });
    expect(limitRows('show all', 0)).toEqual({ sql: 'show all', maxRows: 1 });
  });

  it('appends at the end alone, whatever the text', () => {
    const piece = fc.constantFrom(
      "'",
      '"',
      '$$',
      '$a$',
      '/*',
      '*/',
      '--',
      '\n',
      ';',
      '(',
      ')',
      'limit',
      ' ',
      'e',
      '\\',
      'a',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const sql = `select ${pieces.join('')}`;
        const limited = limitRows(sql, 7).sql;
        expect(limited.replace('\nLIMIT 7', '')).toBe(sql);
        expect(limited.split('\nLIMIT 7')[1] ?? '').toMatch(/^(?:;\s*)?$/);
      }),
    );
  });

  it('is quick with long texts', () => {
    const from = performance.now();
    limitRows(`select '${"it''s ".repeat(150_000)}' ${'/*'.repeat(1_000)}${'*/'.repeat(1_000)}${'(1),'.repeat(20_000)}`, 7);
    expect(performance.now() - from).toBeLessThan(2_000);
  });
});
