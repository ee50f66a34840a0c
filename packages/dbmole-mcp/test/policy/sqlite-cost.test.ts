import { createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { nodeLines, runSql, useSqlite } from '../sqlite/sqlite-file.ts';

const worldSql = `
create table small (id integer primary key, name text);
with recursive n(i) as (select 0 union all select i + 1 from n where i < 99) insert into small select i, 'n' || i from n;
create table big (id integer primary key, customer int, note text);
with recursive n(i) as (select 0 union all select i + 1 from n where i < 29999) insert into big select i, i % 1000, 'n' || i from n;
create index by_customer on big (customer);
create view odd as select * from big where note like '%1%';
create view costly as select b.note as n from small s join big b on b.note = s.name;
analyze;
create table fresh as select * from big;
create virtual table texts using fts5 (note);
insert into texts select note from big;`;

const cheapReads = [
  'select 1',
  'values (1), (2)',
  'select * from big limit 10',
  'select * from big',
  'select * from big where id = 5',
  'select * from big where customer = 5 order by note limit 3',
  'select b.note from small s join big b on b.customer = s.id where s.id < 10',
  'select count(*) from small s where exists (select 1 from big b where b.customer = s.id)',
  'select (select count(*) from big b where b.customer = s.id) from small s',
  'select * from big where id in (select id from small) order by id',
  'select count(*) from small',
  'explain query plan select * from big',
  'pragma table_info(big)',
  'select * from big where customer = 5 or id = 7',
];

const costlyReads = [
  'select count(*) from big',
  "select * from big where note = 'a'",
  "SELECT * FROM big b where b.note = 'a' limit 1",
  'select * from big order by note limit 5',
  'select max(note) from odd',
  'select * from costly',
  'select * from small s, big b',
  'select * from small a, small b, small c limit 5',
  'select (select max(b.note) from big b where b.note > s.name) from small s',
  'with x as (select * from big) select count(*) from x',
  "select name from small where name in (select note from big where note like 'x%')",
  'select name from small union select note from big',
  'select count(distinct note) from fresh',
  'select count(*) from texts',
  'select sum(length(note)) over (order by id) from big',
  'pragma integrity_check',
  'select * from pragma_quick_check',
  'select sum(pgsize) from dbstat',
];

describe.each(nodeLines)('the cost of reads on SQLite in Node %s', (line) => {
  const node = useSqlite(line);
  const folder = createTempFolder();
  let tools: OpenTools;
  const ask = async (connection: string, sql: string) => (await tools.call('query', { connection, sql })).text;

  beforeAll(async () => {
    runSql(node(), folder.at('cost.db'), worldSql);
    const file = { type: 'sqlite', file: folder.at('cost.db') };
    tools = await openTools([
      { ...file, name: 'rows', maxScanRows: 5_000 },
      { ...file, name: 'warned', maxScanRows: 5_000, warn: true },
      { ...file, name: 'bytes', maxBytes: 100_000 },
      { ...file, name: 'scoped', maxScanRows: 5_000, tables: ['small', 'odd'], columns: { 'small.name': 'mask' } },
      { ...file, name: 'cost', maxCost: 5 },
    ]);
  });
  afterAll(async () => {
    await tools?.close();
    folder[Symbol.dispose]();
  });

  it('is limited by the rows of the tables that a plan reads', async () => {
    const wrong: string[] = [];
    for (const sql of cheapReads) {
      const text = await ask('rows', sql);
      if (text.startsWith('E_')) wrong.push(`${sql} -> ${text}`);
    }
    for (const sql of costlyReads) {
      const text = await ask('rows', sql);
      if (!/^E_TOO_COSTLY: .*; nothing was run|E_TOO_COSTLY/.test(text)) wrong.push(`${sql} -> ${text.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
    const text = await ask('rows', "select * from big where note = 'a'");
    expect(text).toMatch(/^E_TOO_COSTLY: the plan reads about 30,000 rows from tables, and this connection allows 5,000/);
    expect(text).toContain('Most of it: SCAN big, about 30,000 rows');
    expect(await ask('warned', 'select count(*) from big')).toMatch(/^1 row\. The plan reads about 30,000 rows .* \(warn\)/);
    expect(await ask('bytes', 'select max(note) from big')).toMatch(
      /^E_TOO_COSTLY: the plan reads about [\d.,]+ (?:bytes|[kM]B) /,
    );
    expect(await ask('bytes', 'select * from big where customer = 5')).toMatch(/^30 rows/);
    expect(await ask('cost', 'select 1')).toContain('SQLite estimates no costs; use `maxScanRows`');
  });

  it('is limited beside a scope and protected columns', async () => {
    const refused = await ask('scoped', 'select max(note) from odd');
    expect(refused).toMatch(/^E_TOO_COSTLY/);
    expect(refused).not.toMatch(/\bbig\b/);
    expect(await ask('scoped', 'select name from small limit 1')).toContain('***');
  });
});
