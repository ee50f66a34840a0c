import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

const engines: readonly ServerId[] = ['mysql80', 'mysql97', 'mariadb1011'];

const digits =
  '(select 0 d union select 1 union select 2 union select 3 union select 4 union select 5 union select 6 union select 7 union select 8 union select 9)';

/** 100,000 orders of 50,000 customers: servers estimate the number of rows from a few pages. */
const tables = [
  'create table customer (id int primary key, email varchar(60), country char(2))',
  "create table purchase (id int auto_increment primary key, customer_id int, status varchar(10), placed_at date, total int, paid boolean, kind enum('a', 'b', 'c'))",
  'create table country (code char(2) primary key, name varchar(50))',
  `insert into customer select 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d, concat(a.d, b.d, c.d, e.d, f.d, '@x.example'), 'AT'
   from ${digits} a, ${digits} b, ${digits} c, ${digits} e, ${digits} f where f.d < 5`,
  "insert into purchase (customer_id, status, placed_at, total) select id, 'paid', date '2026-01-01' + interval (id % 300) day, id from customer",
  "insert into purchase (customer_id, status, placed_at, total) select id, 'open', date '2026-01-01' + interval (id % 300) day, id from customer",
  'analyze table customer, purchase',
];

/** A statement, and the columns of the index that it lacks. */
const lacking: Readonly<Record<string, string>> = {
  'select * from purchase where customer_id = 17': 'purchase (customer_id',
  "select * from purchase where customer_id = 17 and placed_at >= date '2026-02-01' order by placed_at desc limit 5":
    'purchase (customer_id, placed_at',
  "select * from purchase p where p.placed_at between '2026-02-01' and '2026-02-03'": 'purchase (placed_at',
  "select c.id, sum(p.total) from customer as c join `purchase` p on p.customer_id = c.id where c.email = '1' group by c.id":
    'customer (email',
  'select max(total) from purchase': 'purchase (total',
  "select id from customer where email like '0001%'": 'customer (email',
  "select * from purchase where status like '%zz%' and (total = 5 or placed_at = '2026-02-03')": 'purchase (total)',
};

const fine = [
  'select * from purchase where id = 17',
  "select * from country where name = 'Austria'",
  'select sum(total) from purchase where total > 3',
  "select * from customer where email like '%@x.example'",
  "select * from purchase where status like '%zz%' and customer_id > 100",
  "select * from purchase where status like '%zz%' and paid = 1",
  "select * from purchase where kind = 'b'",
  'select * from purchase where customer_id = 5 or total > 100',
];

describe.each(engines)('index advice on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let tools: OpenTools;
  const advise = async (sql: string | readonly string[]) => (await tools.call('diagnose', { sql })).text;

  beforeAll(async () => {
    account = await createAccount(engine(), `advised_${process.pid}`);
    await runDirect(engine(), tables, account.database);
    tools = await openTools([{ ...account, name: 'shop', tls: 'disable' }]);
  }, 60_000);
  afterAll(async () => {
    await tools.close();
    await runDirect(engine(), [`drop database ${account.database}`, `drop user '${account.user}'@'%'`]);
  });

  it.each(Object.entries(lacking))('names the index that a statement lacks: %s', async (sql, index) => {
    const text = await advise(sql);
    expect(text).toMatch(/^index_advice: \d findings?, worst first\. Structural, not costed: /);
    expect(text).toContain(`: statement 1 `);
    expect(text).toContain(`index on ${index}`);
  });

  it('says how it is built, and what the plan does without it', async () => {
    const text = await advise('select * from purchase where customer_id = 17');
    expect(text).toMatch(
      /^(?:low|medium): index on purchase \(customer_id\): statement 1 reads all of purchase \(type ALL, about \d+ rows\) and is expected to keep \d+: /m,
    );
    expect(text).toContain('Built in place: reads and writes go on');
    expect(text).toMatch(/^ {2}Next: ALTER TABLE purchase ADD INDEX \(customer_id\), ALGORITHM=INPLACE, LOCK=NONE;$/m);
  });

  it.each(fine)('is not given where an index would not help: %s', async (sql) => {
    expect(await advise(sql)).toMatch(/^index_advice: No findings/);
  });

  it('refuses what is not a read, and runs nothing', async () => {
    const text = await advise(['delete from purchase', 'select sleep(60)', 'selct']);
    expect(text).toMatch(/^index_advice: No findings/);
    expect(text).toMatch(/^ {2}1: no advice: delete changes rows: /m);
    expect(text).toMatch(/^ {2}2: no advice: sleep\(\) only waits on the server: /m);
  });

  it('has nothing left to say once it is followed', async () => {
    const statements = Object.keys(lacking).slice(0, 3);
    const indexes = [...(await advise(statements)).matchAll(/^ {2}Next: (.*);$/gm)].map(([, sql = '']) => sql);
    expect(indexes.length).toBeGreaterThan(1);
    await runDirect(engine(), [...indexes, 'analyze table purchase'], account.database);
    expect(await advise(statements)).toMatch(/^index_advice: No findings/);
  });
});
