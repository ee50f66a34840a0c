import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grammar as mysql } from '../engines/mysql/session/grammar.ts';
import { grammar as postgres } from '../engines/postgres/session/grammar.ts';
import { maskLiterals } from './mask-literals.ts';

const engines = { postgres, mysql };
type Engine = keyof typeof engines;
const mask = (engine: Engine, sql: string) => maskLiterals(sql, engines[engine].literals);

describe('a statement without its literals', () => {
  it.each<[engine: Engine, sql: string, masked: string]>([
    ['postgres', "select  *\nfrom t where a = 'x' and b = 5 -- why", 'select * from t where a = ? and b = ?'],
    ['postgres', "select 'O''Brien', E'a\\'b', $tag$ x $$ y $tag$, B'01', x'1F', U&'d\\0061'", 'select ?, ?, ?, ?, ?, ?'],
    ['postgres', 'select 1e5, .5e-3, 0x1F, 1_000, -7, 12abc', 'select ?, ?, ?, ?, -?, ?'],
    ['postgres', "select E'a'\n  'b\\'c' , d", 'select ?, d'],
    ['postgres', 'select a from t where b = $1 and c ? d', 'select a from t where b = $1 and c ? d'],
    ['postgres', 'select 1 /* a /* nested */ b */ from t', 'select ? from t'],
    [
      'postgres',
      'select "userId" from "Order" o where o."createdAt" > now()',
      'select "userId" from "Order" o where o."createdAt" > now()',
    ],
    ['postgres', 'select 1 as "a b", x "c", "Jane Doe" from "my table"', 'select ? as "?", x "?", "?" from "my table"'],
    ['postgres', 'select * from t where name = "jane"', 'select * from t where name = "?"'],
    ['postgres', "select a from t where b = 'never closed", 'select a from t where b = ?'],
    ['postgres', 'select a from t /* never closed', 'select a from t'],
    ['postgres', "select 'C:\\', 'x' from t", 'select ? <unreadable>'],
    ['postgres', "\u00a0E'a\\' , 'x'", '\u00a0E? <unreadable>'],
    ['postgres', "alter role app password 'x'", 'alter role app password ?'],
    ['mysql', "select `a b`.`c`, \"text\" from `t` where x = 'it''s' # why", 'select `a b`.`c`, ? from `t` where x = ?'],
    ['mysql', "select N'x', _utf8mb4'x', x'41', 0xAF, 1abc, @a", 'select ?, _utf8mb4?, ?, ?, ?, @a'],
    ['mysql', 'select a--1 from t', 'select a--? from t'],
    ['mysql', '/*!50000 delete from t */', 'delete from t */'],
    ['mysql', "/*!99999 it's */ select 'x'", '<unreadable>'],
    ['mysql', "select * from t where a = 'it\\'s'", 'select * from t where a = ? <unreadable>'],
    ['mysql', 'select a from t where b = $tag$ x $tag$', 'select a from t where b = <unreadable>'],
  ])('%s: %j', (engine, sql, masked) => {
    expect(mask(engine, sql).text).toBe(masked);
  });

  it('shortens lists, and has one fingerprint for any length of them', () => {
    const list = (length: number) => `select * from t where a in (${Array.from({ length }, (_, i) => i).join(', ')})`;
    expect(mask('postgres', list(50)).text).toBe('select * from t where a in (?, …)');
    const rows = (length: number) => `INSERT INTO t VALUES ${Array.from({ length }, (_, i) => `(${i}, 'x')`).join(', ')}`;
    expect(mask('mysql', rows(50)).text).toBe('INSERT INTO t VALUES (?, ?), …');
    for (const build of [list, rows]) expect(mask('mysql', build(2)).fingerprint).toBe(mask('mysql', build(9)).fingerprint);
    expect(mask('mysql', 'select a').fingerprint).not.toBe(mask('mysql', 'select b').fingerprint);
  });

  it.each<[sql: string, summary: string]>([
    ['select * from shop.orders o join items i using (id)', 'SELECT shop.orders items'],
    ['insert into "Order" values (1)', 'INSERT "Order"'],
    ['update t set a = 1', 'UPDATE t'],
    ['with a as (select 1 from b) select * from a', 'WITH b a'],
    ['', 'STATEMENT'],
  ])('%j is summarized as %j', (sql, summary) => {
    expect(mask('postgres', sql).summary).toBe(summary);
  });

  const canary = 'Canary7351';
  const space = fc.constantFrom(' ', '\n', '\t', ' /* Canary7351 */ ', ' -- Canary7351\n');
  // A literal that ends in a backslash would go on behind an E string before it.
  const literals: Record<Engine, readonly string[]> = {
    postgres: [
      `'${canary}'`,
      `'it''s ${canary}'`,
      `E'\\'${canary}'`,
      `e'a'\n'\\'${canary}'`,
      `$$${canary}$$`,
      `$a$ $$ ${canary}' $a$`,
      `U&'\\0041${canary}'`,
      `U&"${canary}"`,
      `N'${canary}'`,
      `'\\${canary}'`,
      '73517351.5e3',
    ],
    mysql: [
      `'${canary}'`,
      `"${canary}"`,
      `"it""s ${canary}"`,
      `'\\'${canary}'`,
      `"\\"${canary}"`,
      `'${canary}\\'`,
      `_utf8mb4'${canary}'`,
      `N'${canary}'`,
      `x'${canary}'`,
      `@'${canary}'`,
      `$a$ ${canary} $a$`,
      `/*!50000 '${canary}' */`,
      `0x73517351`,
    ],
  };
  const words = ['select', 'a', 'from', 't', '(', ')', ',', '=', 'in', 'E', 'x', '.', '-', '::', 'as', '$1', '?', ';', '@', '1'];

  it.each<Engine>(['postgres', 'mysql'])('of %s has nothing of 2,000 texts with literals anywhere', (engine) => {
    const part = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...literals[engine]), space);
    const ends = [
      '',
      ...(engine === 'mysql' ? [`'${canary}`, `"${canary}`] : [`'${canary}`, `$$${canary}`]),
      `/* ${canary}`,
      `-- ${canary}`,
    ];
    const texts = fc.tuple(fc.array(part, { maxLength: 12 }), fc.constantFrom(' ', ',', '\n'), fc.constantFrom(...ends));
    fc.assert(
      fc.property(texts, ([parts, glue, end]) => {
        const { text, summary } = mask(engine, [...parts, end].join(glue));
        expect(`${text} ${summary}`).not.toMatch(/7351/);
      }),
      { numRuns: 2_000 },
    );
  });
});
