import { openTpch, useEngine } from '@dbmole/engines';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { tpchTables } from '../fixtures/tpch.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

/** Each lacks an index. */
const lacking = {
  'an equality': 'select * from orders where o_custkey = 370',
  'an equality, a range and an order':
    "select o_orderkey from orders where o_custkey = 370 and o_orderdate >= date '1995-01-01' order by o_orderdate desc limit 10",
  'two equalities': "select * from lineitem where l_suppkey = 17 and l_shipmode = 'AIR'",
  'a list of values': 'select * from lineitem where l_partkey in (5, 50, 500)',
  'a narrow range': "select count(*) from lineitem where l_shipdate between date '1995-03-01' and date '1995-03-02'",
  'a join, from few rows':
    "select c_name, sum(o_totalprice) from customer join orders on o_custkey = c_custkey where c_phone = '25-989-741-2988' group by 1",
  'a join written with commas and aliases':
    "select c.c_name, o.o_orderdate from customer c, orders o where c.c_custkey = o.o_custkey and o.o_clerk = 'Clerk#000000088'",
  EXISTS:
    'select o_orderkey from orders o where exists (select 1 from lineitem l where l.l_orderkey = o.o_orderkey and l.l_partkey = 7)',
  'IN with a subquery': 'select * from orders where o_custkey in (select c_custkey from customer where c_acctbal > 9999)',
  'a correlated subquery':
    'select c_name, (select max(o_orderdate) from orders where o_custkey = c_custkey) from customer where c_custkey = 5',
  WITH: "with few as (select * from lineitem where l_receiptdate = date '1995-01-05') select l_shipmode, count(*) from few group by 1",
  'the first rows of an order': 'select * from orders order by o_totalprice desc limit 20',
  'a maximum': 'select max(l_extendedprice) from lineitem',
  'OR over two columns': "select * from orders where o_custkey = 5 or o_clerk = 'Clerk#000000088'",
  'a condition beside one that no index serves': "select * from orders where o_comment like '%zzz%' and o_custkey < 20",
  'an OR beside one that no index serves':
    "select * from orders where (o_custkey = 5 or o_clerk = 'Clerk#000000088') and o_comment like '%zzz%'",
  'a function': "select * from customer where lower(c_name) = 'customer#000000001'",
};

/** An index would not help these, or they have it. */
const fine = {
  'the primary key': 'select * from orders where o_orderkey = 7',
  'the beginning of a primary key': 'select * from lineitem where l_orderkey = 7',
  'a join over a primary key': 'select * from lineitem join orders on o_orderkey = l_orderkey where l_orderkey = 7',
  'most of a table': 'select sum(l_extendedprice) from lineitem where l_quantity > 2',
  'all of a table': 'select l_returnflag, count(*) from lineitem group by 1',
  'most of a table, of which another condition leaves little':
    "select * from orders where o_comment like '%zzz%' and o_custkey > 100",
  'a common value, of which another condition leaves little':
    "select * from orders where o_comment like '%zzz%' and o_orderstatus = 'O'",
  'an OR that most of a table meets':
    "select * from orders where (o_custkey = 5 or o_totalprice > 1000) and o_comment like '%zzz%'",
  'a join with few rows, whose other table it searches':
    "select * from orders join customer on c_custkey = o_custkey where o_comment like '%zzz%' and o_custkey > 100",
  'placeholders of which one is a pattern': 'select * from orders where o_comment like $1 and o_custkey > $2',
  'a small table': "select * from supplier where s_phone = '1'",
};

describe('index advice on PostgreSQL 18', () => {
  const engine = useEngine('postgres18', { hypopg: true, settings: { shared_preload_libraries: 'pg_stat_statements' } });
  let account: Account;
  let tools: OpenTools;
  let client: pg.Client;

  const advise = async (args: Record<string, unknown>) => (await tools.call('diagnose', { check: 'index_advice', ...args })).text;
  const listStatements = (text: string) => [...text.matchAll(/^ {2}Next: (.*)$/gm)].map(([, sql = '']) => sql);
  const readCost = async (sql: string) => {
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: { 'Total Cost': number } }[] }>(
      `explain (format json) ${sql}`,
    );
    return rows[0]?.['QUERY PLAN'][0]?.Plan['Total Cost'] ?? 0;
  };
  /** The cost of the planner before and after, of indexes that are rolled back. */
  const measure = async (sql: string, indexes: readonly string[]) => {
    const before = await readCost(sql);
    await client.query('begin');
    for (const index of indexes) await client.query(index.replace(' CONCURRENTLY', ''));
    const after = await readCost(sql);
    await client.query('rollback');
    return before / after;
  };
  const countIndexes = async () => (await client.query('select count(*) from pg_index')).rows;

  beforeAll(async () => {
    const folder = await openTpch();
    account = await createAccount(engine(), `advised_${process.pid}`);
    const { user, password } = engine();
    await runDirect(engine(), tpchTables(folder), account.database);
    client = new pg.Client({ ...account, user, password });
    await client.connect();
    tools = await openTools([{ ...account, user, password, name: 'shop', tls: 'disable' }]);
  }, 120_000);
  afterAll(async () => {
    await client.end();
    await tools.close();
  });

  describe.each(['structural', 'costed'])('that is %s', (kind) => {
    beforeAll(async () => {
      if (kind === 'costed') await client.query('create extension hypopg');
    });

    it('lowers the cost of 80 % of the statements that lack an index to a fifth, if it is followed', async () => {
      const before = await countIndexes();
      const factors: Record<string, number> = {};
      for (const [name, sql] of Object.entries(lacking)) {
        const text = await advise({ sql });
        expect(text).toContain(kind === 'costed' ? 'Costed with HypoPG 1.' : 'Structural, not costed: CREATE EXTENSION hypopg');
        factors[name] = await measure(sql, listStatements(text));
      }
      const helped = Object.entries(factors).filter(([, factor]) => factor >= 5);
      expect(helped.length / Object.keys(lacking).length, JSON.stringify(factors)).toBeGreaterThanOrEqual(0.8);
      expect(await countIndexes()).toEqual(before);
    }, 120_000);

    it('is not given where an index would not help', async () => {
      for (const sql of Object.values(fine)) expect(await advise({ sql })).toMatch(/^index_advice: No findings/);
    });
  });

  it('promises the costs that the planner has when the indexes are there', async () => {
    const text = await advise({ sql: Object.values(lacking).slice(0, 5) });
    const promised = new Map(
      [...text.matchAll(/^ {2}(\d): cost ([\d.]+) -> ([\d.]+): /gm)].map(([, number, , after]) => [
        Number(number),
        Number(after),
      ]),
    );
    expect(promised.size).toBe(5);
    await client.query('begin');
    for (const index of listStatements(text)) await client.query(index.replace(' CONCURRENTLY', ''));
    for (const [i, sql] of Object.values(lacking).slice(0, 5).entries()) {
      const cost = await readCost(sql);
      expect(cost / (promised.get(i + 1) ?? 0), sql).toBeLessThan(1.5);
      expect(cost / (promised.get(i + 1) ?? 0), sql).toBeGreaterThan(0.5);
    }
    await client.query('rollback');
  });

  it('leaves no hypothetical index in any session', async () => {
    const sql = lacking['an equality'];
    await Promise.all(Array.from({ length: 4 }, () => advise({ sql })));
    const plans = await Promise.all(Array.from({ length: 8 }, () => tools.call('explain', { sql })));
    for (const { text } of plans) expect(text).toContain('Seq Scan on orders');
  });

  it('says of each index what building it takes, and which statements it serves', async () => {
    const text = await advise({
      sql: [lacking['an equality'], lacking['an equality, a range and an order'], fine['the primary key']],
    });
    expect(text).toMatch(/^index_advice: \d findings?, worst first\. Costed with HypoPG 1\.\d\.\d; no index was created\./);
    expect(text).toMatch(
      /^medium: index on orders \(o_custkey.*\): statement \d costs \d+ and would cost [\d.]+ \(\d+ times less\)/m,
    );
    expect(text).toMatch(/About [\d.]+ MB\. Built under a SHARE UPDATE EXCLUSIVE lock: reads and writes go on\./);
    expect(text).toMatch(/^ {2}Next: CREATE INDEX CONCURRENTLY ON orders \(o_custkey.*\);$/m);
    expect(text).toMatch(/^ {2}3: no advice: its indexes exist: select \* from orders where o_orderkey = 7$/m);
  });

  it('gives placeholders usual values', async () => {
    const text = await advise({
      sql: 'select * from orders where o_custkey = $1 and o_orderdate > $2 order by o_orderdate limit $3',
    });
    expect(text).toContain('Placeholders were replaced by common values of their columns.');
    expect(text).toMatch(/^ {2}Next: CREATE INDEX CONCURRENTLY ON orders \(o_custkey.*\);$/m);
  });

  it('never runs a statement, and refuses what is not a read', async () => {
    const text = await advise({ sql: ['delete from orders', 'select 1; drop table orders', 'select pg_sleep(60)', 'selct'] });
    expect(text).toMatch(/^index_advice: No findings/);
    expect(text).toMatch(/^ {2}1: no advice: DELETE changes data: delete from orders$/m);
    expect(text).toMatch(/^ {2}2: no advice: the text has several statements/m);
    expect(text).toMatch(/^ {2}3: no advice: it reads no table of 10000 rows or more: select pg_sleep\(60\)$/m);
    expect(text).toMatch(/^ {2}4: no advice: syntax error/m);
  });

  it('takes the statements that took the most time when none are given', async () => {
    expect(await advise({})).toMatch(/^index_advice is not available here\./);
    await client.query('create extension pg_stat_statements');
    for (const key of [1, 2, 3]) await client.query('select * from lineitem where l_partkey = $1', [key]);
    const text = await advise({});
    expect(text).toMatch(
      /^ {2}\d+: 3 calls, mean [\d.]+ ms, cost \d+ -> [\d.]+: select \* from lineitem where l_partkey = \$1$/m,
    );
    expect(text).toMatch(/^ {2}Next: CREATE INDEX CONCURRENTLY ON lineitem \(l_partkey\);$/m);
    expect((await tools.call('diagnose', {})).text).toMatch(
      /^index_advice: (medium: index on|not available: it takes more than)/m,
    );
  });

  it('answers an account that may only read one table', async () => {
    await client.query(`grant select on orders to ${account.user}`);
    const poor = await openTools([{ ...account, name: 'poor', tls: 'disable' }]);
    try {
      const { text } = await poor.call('diagnose', { sql: lacking['an equality'] });
      expect(text).toMatch(/^ {2}Next: CREATE INDEX CONCURRENTLY ON orders \(o_custkey\);$/m);
      const { text: hidden } = await poor.call('diagnose', { sql: lacking['two equalities'] });
      expect(hidden).toMatch(/^index_advice: No findings.*\n.*\n {2}1: no advice: .*permission denied/s);
    } finally {
      await poor.close();
    }
  });
});
