import fc from 'fast-check';
import { loadModule, scanSync } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGrammars } from '../backend/backend.ts';
import type { PlaceholderStyle } from '../engine.ts';
import { placeholders as mysql } from '../engines/mysql/values/placeholders.ts';
import { placeholders as postgres } from '../engines/postgres/values/placeholders.ts';
import { checkWith, createBodies } from './bodies.ts';
import { bindNames, scanNames } from './compile.ts';
import { queryOf } from './testing/query-of.ts';

const namesIn = (sql: string, style: PlaceholderStyle) => scanNames(sql, style).uses.map(({ name }) => name);

describe('the names in a statement', () => {
  it.each([
    ["select ':a', :b", ['b']],
    ["select 'it''s :a', :b", ['b']],
    ["select E'\\' :a', :b", ['b']],
    ["select '\\', :b, '", ['b']],
    ['select ":a", :b', ['b']],
    ['select $$ :a $$, $x$ :a $$ $x$, :b', ['b']],
    ['select 1 -- :a\n, :b', ['b']],
    ['select /* :a /* :a */ :a */ :b', ['b']],
    ['select :b::int, x::text, now()::date', ['b']],
    ['select f(a := :b)', ['b']],
    ['select a[1:2], :b', ['b']],
    ['select 1 # :a', ['a']],
    ['select a$b$c, :b', ['b']],
    ["select U&'\\0041:a', :b", ['b']],
  ])('are found by the rules of PostgreSQL in %s', (sql, names) => {
    expect(namesIn(sql, postgres)).toEqual(names);
  });

  it.each([
    ['select \':a\', ":a", `:a`, :b', ['b']],
    ["select '\\' :a', :b", ['b']],
    ['select 1 # :a\n, :b', ['b']],
    ['select 1 -- :a\n, :b', ['b']],
    ['select 1--:a', ['a']],
    ['select /* :a /* */ :b', ['b']],
    ['select /*! :a */ :b', ['b']],
    ['select @x := :b', ['b']],
  ])('are found by the rules of MySQL in %s', (sql, names) => {
    expect(namesIn(sql, mysql)).toEqual(names);
  });

  it.each([
    ["select ':a", postgres],
    ['select $$ :a', postgres],
    ['select /* :a', postgres],
    ['select "a', mysql],
    ['select /* a', mysql],
  ])('end with what does not end in %s', (sql, style) => {
    expect(scanNames(sql, style)).toMatchObject({ uses: [], open: 7 });
  });

  describe('beside the scanner of PostgreSQL itself', () => {
    beforeAll(() => loadModule());

    /** Where a colon and a word follow each other, undefined where the text cannot be taken apart. */
    function scanNamesThere(sql: string): number[] | undefined {
      try {
        const { tokens } = scanSync(sql);
        const colons = tokens.filter(
          ({ text, end }, i) => text === ':' && /^[A-Za-z_]\w*$/.test(tokens[i + 1]?.text ?? '') && tokens[i + 1]?.start === end,
        );
        return colons.map(({ start }) => start);
      } catch {
        return undefined;
      }
    }

    const fragments = [
      ':a',
      '::',
      ':',
      ' ',
      "'",
      "''",
      '"',
      '$$',
      '$t$',
      '--',
      '\n',
      '/*',
      '*/',
      'E',
      '\\',
      'x',
      '1',
      ':=',
      '$1',
      'U&',
      ';',
    ];
    const text = fc.array(fc.constantFrom(...fragments), { maxLength: 14 }).map((parts) => parts.join(''));

    it('are the same in any text that it can take apart', () => {
      let compared = 0;
      fc.assert(
        fc.property(text, (sql) => {
          const theirs = scanNamesThere(sql);
          if (theirs === undefined) return;
          compared += 1;
          const { uses, open } = scanNames(sql, postgres);
          expect({ sql, open, uses: uses.map(({ start }) => start) }).toEqual({ sql, open: undefined, uses: theirs });
        }),
        { numRuns: 5_000 },
      );
      expect(compared).toBeGreaterThan(500);
    });
  });
});

describe('the values of a saved query', () => {
  const bind = (lines: readonly string[], body: string, values: Record<string, unknown>, style: PlaceholderStyle) =>
    bindNames(queryOf(lines, body), new Map(Object.entries(values)), style);

  it('are numbered once for each name on PostgreSQL, and cast where their type is the engine’s own', () => {
    const body = 'select * from t where (:s::order_status[] is null or s = any(:s)) and a = :a and b > :a';
    expect(bind(['s order_status[] optional', 'a integer'], body, { s: ['paid'], a: 5 }, postgres)).toEqual({
      sql: 'select * from t where ($1::order_status[] is null or s = any($1::order_status[])) and a = $2 and b > $2',
      params: [['paid'], 5],
    });
  });

  it('are asked on PostgreSQL whether they are null as texts of their own', () => {
    expect(bind(['d date optional'], '(:d is null or x >= :d) and :d IS NOT NULL', { d: null }, postgres)).toEqual({
      sql: '($1::text is null or x >= $2) and $3::text IS NOT NULL',
      params: [null, null, null],
    });
  });

  it('are repeated for each place on MySQL, and a list has a place for each item', () => {
    expect(bind(['a integer', 'l text[]'], ':a, :a, x in (:l), y not in ( :l )', { a: 1, l: ['x', 'y'] }, mysql)).toEqual({
      sql: '?, ?, x in (?, ?), y not in ( ?, ? )',
      params: [1, 1, 'x', 'y', 'x', 'y'],
    });
    const none = bind(['l text[]'], 'x in (:l)', { l: [] }, mysql);
    expect(none).toEqual({ sql: 'x in (select null from (select 1 as one) as none where 1 = 0)', params: [] });
    expect(bind(['l text[] optional'], ':l is null or x in (:l)', { l: null }, mysql).params).toEqual([null, null]);
  });

  it('values of JSON are one text, and timestamps have the form of the engine', () => {
    const lines = ['j json', 't timestamp'];
    const values = { j: [1, { a: 2 }], t: '2025-01-31T13:45:00' };
    expect(bind(lines, ':j, :t', values, postgres).params).toEqual(['[1,{"a":2}]', '2025-01-31T13:45:00']);
    expect(bind(lines, ':j, :t', values, mysql).params).toEqual(['[1,{"a":2}]', '2025-01-31 13:45:00']);
    expect(() => bind(lines, ':t', { t: '2025-01-31T13:45:00Z' }, mysql)).toThrow(
      /t: expected a timestamp without a zone.*got "2025-01-31T13:45:00Z"/,
    );
  });

  it('never become a part of the statement', () => {
    const nasty = fc.oneof(fc.string(), fc.constantFrom("'; drop table t; --", "' or 1=1", '$$', '*/', ':b', '$2', '?', '\\'));
    for (const style of [postgres, mysql]) {
      const plain = bind(['a text', 'b text'], 'select :a, :b', { a: 'x', b: 'y' }, style).sql;
      fc.assert(
        fc.property(nasty, nasty, (a, b) => {
          expect(bind(['a text', 'b text'], 'select :a, :b', { a, b }, style)).toEqual({ sql: plain, params: [a, b] });
        }),
      );
    }
  });
});

const bodies = createBodies(Object.values(await loadGrammars()));

describe('the statement of a saved query', () => {
  const problemsOf = (lines: readonly string[], body: string, effect: 'read' | 'write' = 'read') =>
    bodies.checkBody({ ...queryOf(lines, body), effect }).map(({ line, message }) => `${line}: ${message}`);

  it.each([
    [['a integer'], 'select 1', /^1: the parameter a is declared and never used; write :a/],
    [[], 'select 1\n  , :b', /^2: :b is used and not declared; add a line "-- param b TYPE: …", or write ": b"/],
    [['a integer'], "select ':a', ::a", /^1: the parameter a is used only inside of a string.*; write :a outside of it/],
    [['a date'], 'select x::a', /the parameter a is declared and never used/],
    [
      ['a integer[]'],
      'select $1 where 1 in (:a) and ? = 2',
      /\$1 is mixed with named parameters.*\n.*in \(:a\) does not take a list; write = any\(:a\)/,
    ],
    [[], "select 'x", /a string, quoted name or comment begins here/],
    [[], 'update t set a = 1', /UPDATE is not a read; a query in your own folder/],
    [[], '/* x */ drop table t', /DROP is not a read/],
    [[], 'begin; select 1', /BEGIN would have no effect/],
    [[], 'do $$ begin end $$', /DO is not a read/],
  ])('of %j is refused: %s', (lines, body, problem) => {
    expect(problemsOf(lines, body).join('\n')).toMatch(problem);
  });

  it.each([
    [['a integer'], 'select :a'],
    [[], "select * from t where data ? 'key'"],
    [['a integer[]'], 'select 1 where 1 in (:a)'],
    [[], '(select 1) union (select 2)'],
    [[], 'with a as (select 1) select * from a'],
    [[], 'show tables'],
    [[], "select `a'b` from t"],
  ])('of %j can be %s', (lines, body) => {
    expect(problemsOf(lines, body)).toEqual([]);
  });

  it.each([
    ['= any (:a)', 'any(:a) does not take a list here; write in (:a)'],
    ['<> ALL(:a)', 'all(:a) does not take a list here; write not in (:a)'],
  ])('with a list that is asked for with %s is refused on MySQL', async (form, message) => {
    const grammars = await loadGrammars();
    const query = queryOf(['a integer[]'], `select id from t where id ${form}`);
    expect(checkWith(query, grammars.mysql)).toEqual([{ line: 1, message }]);
    expect(checkWith(query, grammars.postgres)).toEqual([]);
  });

  it('may change data where its effect is to write', () => {
    expect(problemsOf(['a integer'], 'update t set a = :a', 'write')).toEqual([]);
  });
});
