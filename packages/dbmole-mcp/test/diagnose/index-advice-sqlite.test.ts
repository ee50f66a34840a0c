import { createTempFolder } from '@dbmole/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { nodeLines, readSql, runSql, useSqlite } from '../sqlite/sqlite-file.ts';

const worldSql = `
create table customer (id integer primary key, email varchar(60), country char(2));
create table purchase (id integer primary key, customer_id int, status text, placed_at text, total int, paid int);
create table country (code text primary key, name text) without rowid;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into customer select i, i || '@x.example', 'AT' from n;
insert into purchase select null, id, iif(id % 2, 'paid', 'open'), date('2026-01-01', (id % 300) || ' days'), id, 1 from customer;
insert into purchase select null, id, 'open', date('2026-01-01', (id % 300) || ' days'), id, 0 from customer;
insert into country values ('AT', 'Austria');
analyze;`;

/** A statement, and the index that it lacks. */
const lacking: Readonly<Record<string, string>> = {
  'select * from purchase where customer_id = 17': 'CREATE INDEX purchase_customer_id ON purchase (customer_id',
  "select * from purchase where customer_id == 17 and placed_at >= '2026-02-01' order by placed_at desc limit 5":
    'ON purchase (customer_id, placed_at',
  "select * from purchase p where p.placed_at between '2026-02-01' and '2026-02-03'": 'ON purchase (placed_at',
  "select c.id, sum(p.total) from customer as c join [purchase] p on p.customer_id = c.id where c.email = '1' group by c.id":
    'ON customer (email',
  'select max(total) from purchase': 'ON purchase (total',
  "select id from customer where email like '0001%'": 'ON customer (email COLLATE NOCASE',
  'select * from "purchase" where customer_id = ?': 'ON purchase (customer_id',
};

const fine = [
  'select * from purchase where id = 17',
  'select * from purchase where rowid = 17',
  "select * from country where name = 'Austria'",
  'select sum(total) from purchase where total > 3',
  "select * from customer where email like '%@x.example'",
  'with x as (select 1 as n) select * from x',
];

describe.each(nodeLines)('index advice on SQLite in Node %s', (line) => {
  const node = useSqlite(line);
  const folder = createTempFolder();
  let tools: OpenTools;
  const advise = async (sql: string | readonly string[]) => (await tools.call('diagnose', { sql })).text;

  beforeAll(async () => {
    runSql(node(), folder.at('shop.db'), worldSql);
    tools = await openTools([{ name: 'shop', type: 'sqlite', file: folder.at('shop.db') }]);
  });
  afterAll(async () => {
    await tools?.close();
    folder[Symbol.dispose]();
  });

  it('finds the index that a statement lacks, which SQLite then uses', async () => {
    for (const [sql, index] of Object.entries(lacking)) {
      const text = await advise(sql);
      expect([sql, text]).toEqual([sql, expect.stringContaining(index)]);
      const create = /CREATE INDEX [^;]+;/.exec(text)?.[0] ?? '';
      using copy = createTempFolder();
      runSql(node(), copy.at('copy.db'), `attach '${folder.at('shop.db')}' as shop; ${worldCopy}${create} analyze;`);
      const steps = readSql(node(), copy.at('copy.db'), `explain query plan ${sql.replace('?', '17')}`);
      const name = /CREATE INDEX (\S+)/.exec(create)?.[1] ?? 'none';
      expect([sql, JSON.stringify(steps)]).toEqual([sql, expect.stringContaining(name)]);
    }
  });

  it('has none where an index exists, or would not pay off', async () => {
    for (const sql of fine) expect([sql, await advise(sql)]).toEqual([sql, expect.not.stringContaining('CREATE INDEX')]);
    const several = await advise(Object.keys(lacking).slice(0, 3));
    expect(several).toContain('Structural, not costed: SQLite cannot plan with indexes that do not exist.');
    expect((await tools.call('diagnose', { check: 'index_advice' })).text).toContain(
      'diagnose with sql advises on given statements',
    );
  });
});

const worldCopy = ['customer', 'purchase'].map((table) => `create table ${table} as select * from shop.${table};`).join(' ');
