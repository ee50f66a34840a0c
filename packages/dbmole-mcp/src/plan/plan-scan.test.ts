import { describe, expect, it } from 'vitest';
import { explainScan, type TableFacts } from './plan-scan.ts';

const facts: TableFacts = {
  rows: 50_000,
  columns: [
    { name: 'id', type: 'bigint' },
    { name: 'note', type: 'text' },
    { name: 'email', type: 'character varying(320)' },
    { name: 'day', type: 'date' },
    { name: '"Order"', type: 'integer' },
    { name: 'tags', type: 'text[]' },
    { name: 'phone', type: 'text' },
  ],
  indexes: [
    { name: 'PK', definition: '(id)' },
    { name: 'by_email', definition: 'btree (lower(email)) WHERE (day IS NULL)' },
    { name: 'by_note_length', definition: 'UNIQUE btree (day, note)' },
    { name: 'by_tags', definition: 'gin (tags)' },
    { name: 'by_phone', definition: 'gin (phone gin_trgm_ops)' },
    { name: 'by_order', definition: 'btree ("Order" DESC)' },
  ],
};

describe('why a scan used no index', () => {
  it.each([
    ["(note = 'x'::text)", 'no index begins with note'],
    ["((note = 'x'::text) AND (email = 'y'::text))", 'no index begins with note or email'],
    ["((email)::text = 'day id'::text)", 'no index begins with email'],
    ["(note ~~ '%x%'::text)", 'its LIKE on note begins with a wildcard, which no ordinary index serves'],
    ["((email)::text ~~* '_x'::text)", 'its LIKE on email begins with a wildcard, which no ordinary index serves'],
    ["(`x`.`note` like '%x%')", 'its LIKE on note begins with a wildcard, which no ordinary index serves'],
    ['(note = y.id)', 'no index begins with note'],
    ["(note ~~ 'x%'::text)", 'no index begins with note'],
    ["(phone ~~ '%x%'::text)", 'the planner did not use the index by_phone'],
    ["(day > '2024-01-01'::date)", 'the planner did not use the index by_note_length'],
    ['(x."Order" > 5)', 'the planner did not use the index by_order'],
    ['(abs(x."Order") = 5)', 'it compares what is computed from "Order", which the index by_order does not hold'],
    [
      "((day)::text = '2024-01-01'::text)",
      'day is cast, so the index by_note_length does not serve; compare it with values of its own type, date',
    ],
    ["((note = 'x'::text) OR (day = now()))", 'no index begins with note; the planner did not use the index by_note_length'],
    [
      '((day <> now()) AND (note IS NULL))',
      'no index begins with note; its condition on day only excludes values, which the index by_note_length seldom serves',
    ],
    ["(note !~~ 'x%'::text)", 'no index was used'],
    ["(note ~~* 'x%'::text)", 'its ILIKE on note ignores case, which no ordinary index does'],
    [
      '(CASE WHEN (x."Order" > 5) THEN 1 ELSE 0 END = 2)',
      'it compares what is computed from "Order", which the index by_order does not hold',
    ],
    ['(tags @> x)', 'the planner did not use the index by_tags'],
    ["(upper(note) = 'X'::text)", 'no index was used'],
    ['((note)::integer = 5)', 'no index was used'],
    ["(lower((email)::text) = 'x'::text)", 'no index was used'],
    ["(COALESCE(note, ''::text) = 'x'::text)", 'no index was used'],
    ["((note || 'x'::text) = 'yx'::text)", 'no index was used'],
    ['((x."Order" + 1) = 5)', 'it compares what is computed from "Order", which the index by_order does not hold'],
    [
      "(date_trunc('day'::text, day) = now())",
      'it compares what is computed from day, which the index by_note_length does not hold',
    ],
    ["(cast(`x`.`day` as char) = '2024')", 'it compares what is computed from day, which the index by_note_length does not hold'],
    ["(note = ANY ('{a,b}'::text[]))", 'no index begins with note'],
    ["(note IS NULL) AND ('x'::text = email)", 'no index begins with note or email'],
    ['(random() < 0.1)', 'no index was used'],
  ])('%s', (filter, why) => {
    expect(explainScan({ filter, alias: 'x' }, facts)).toBe(why);
  });

  it('names what is computed where no index is on an expression', () => {
    const plain = { ...facts, indexes: facts.indexes.filter(({ name }) => name !== 'by_email') };
    expect(explainScan({ filter: "(upper(note) = 'X'::text)", alias: 't' }, plain)).toBe(
      'no index is on what is computed from note',
    );
  });

  it('tells a text that is compared with a number', () => {
    const columns = [{ name: 'code', type: 'varchar(30)' }];
    const indexes = [{ name: 'by_code', definition: '(code)' }];
    const why = 'code is a text that is compared with a number, so the index by_code does not serve; write the number in quotes';
    expect(explainScan({ filter: '(orders.`code` = 17)', alias: 'orders' }, { ...facts, columns, indexes })).toBe(why);
    expect(explainScan({ filter: "(orders.`code` = '17')", alias: 'orders' }, { ...facts, columns, indexes })).toBe(
      'the planner did not use the index by_code',
    );
    expect(explainScan({ filter: '(orders.`code` in (17,18))', alias: 'orders' }, { ...facts, columns, indexes })).toBe(why);
  });

  it('names the operator class that LIKE needs', () => {
    const code = { rows: 50_000, columns: [{ name: 'code', type: 'text' }] };
    const explainLike = (filter: string, definition: string) =>
      explainScan({ filter, alias: 't' }, { ...code, indexes: [{ name: 'i', definition }] });
    expect(explainLike("(code ~~ 'x%'::text)", 'btree (code)')).toBe(
      'LIKE on code needs an index with text_pattern_ops or of collation C, unlike i',
    );
    expect(explainLike("(code ~~ 'x%'::text)", 'btree (code text_pattern_ops)')).toBe('the planner did not use the index i');
    expect(explainLike("(code ~~* 'x%'::text)", 'btree (code)')).toBe(
      'its ILIKE on code ignores case, which the index i does not',
    );
  });

  it('claims nothing of a table that it does not know', () => {
    expect(explainScan({ filter: "(note = 'x')", alias: 't' }, undefined)).toBe('no index was used');
  });

  it('is done soon with a long filter', () => {
    for (const part of ["'", '"', '`', '\\', "''", '(', 'note ', "note ~~ '%", '~']) {
      const started = performance.now();
      explainScan({ filter: part.repeat(200_000), alias: 't' }, facts);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });
});
