import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanReader, SqlCatalog } from '../../src/catalog/catalog.ts';
import { catalog as mysqlCatalog } from '../../src/engines/mysql/catalog/catalog.ts';
import { plan as mysqlPlan } from '../../src/engines/mysql/plan/plan.ts';
import { catalog as postgresCatalog } from '../../src/engines/postgres/catalog/catalog.ts';
import { plan as postgresPlan } from '../../src/engines/postgres/plan/plan.ts';
import { formatPlan } from '../../src/plan/plan-text.ts';
import type { Call } from '../../src/tool.ts';
import { readPlanTables } from '../../src/tools/explain.ts';
import { openMysql, openPostgres, type TestSession } from './catalog-run.ts';

interface Modules {
  plan: PlanReader;
  catalog: SqlCatalog;
}

async function explain({ run }: TestSession, { plan, catalog }: Modules, sql: string, analyze = true): Promise<string> {
  const rows = await run(await plan.statement(run, { sql, analyze, raw: false }));
  const tree = plan.parse(rows.map(([cell]) => cell).join('\n'), sql);
  // Its tables are looked up with no more of a call than this.
  const call = { backend: { catalog, plan, catalogRun: () => run }, options: {} } as unknown as Call;
  return formatPlan(tree, await readPlanTables(call, tree, sql));
}

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    const schema = `plan_${process.pid}`;
    let session: TestSession;
    const planOf = (sql: string, analyze?: boolean) =>
      explain(session, { plan: postgresPlan, catalog: postgresCatalog }, sql, analyze);

    beforeAll(async () => {
      session = await openPostgres(engine());
      await session.exec(`create schema ${schema}; set search_path = ${schema}; set max_parallel_workers_per_gather = 0; set jit = off;
        create table big as select i as id, i % 100 as a, i % 100 as b, 'note ' || i as note from generate_series(1, 50000) i;
        create table codes as select i as id, 'code ' || i as code from generate_series(1, 20000) i; create index by_code on codes (code);
        create table small as select i as id from generate_series(1, 50) i; analyze big, small, codes`);
    });
    afterAll(async () => {
      await session.exec(`drop schema ${schema} cascade`);
      await session.close();
    });

    it('says that a scan reads much for little', async () => {
      const text = await planOf("select * from big where note = 'note 5'");
      expect(text).toMatch(
        /^Seq Scan on big: rows 1->1, [\d.]+ ms \(own 100 %\), filter \(note = 'note 5'::text\), removed 49999 rows\n/,
      );
      expect(text).toMatch(
        /\n(?:slow: Seq Scan on big, [\d.]+ ms of [\d.]+ ms:|note: Seq Scan on big) reads 50000 rows and keeps 1: no index begins with note\nnext: diagnose with check=index_advice /,
      );
    });

    it('says why an index on the column did not serve', async () => {
      expect(await planOf("select * from codes where code like '%de 7'")).toContain(
        'its LIKE on code begins with a wildcard, which the index by_code does not serve',
      );
      expect(await planOf("select * from codes where upper(code) = 'X'")).toContain(
        'it compares what is computed from code, which the index by_code does not hold',
      );
    });

    it('says where an estimate went wrong, and only where it begins', async () => {
      const text = await planOf('select * from small s join big x on x.a = s.id where x.a = 5 and x.b = 5');
      expect(text).toMatch(/\n {2}Seq Scan on big x: rows \d->500/);
      expect(text.match(/was estimated at/g)).toHaveLength(1);
      expect(text).toMatch(/Seq Scan on big x.* was estimated at \d rows and had 500 \(\d+ times off\)/);
    });

    it('says which text begins with a wildcard', async () => {
      expect(await planOf("select * from big x where note like '%te 5'")).toMatch(/its LIKE on note begins with a wildcard/);
      expect(await planOf("select * from big where note like '%te 5'", false)).toMatch(/costly: .*its LIKE on note begins with/);
    });

    it('says that a sort went to disk', async () => {
      await session.exec("set work_mem = '64kB'");
      expect(await planOf('select * from big order by note')).toMatch(/(slow|also|note): Sort.*went to disk \(sort [\d.]+ MB\)/);
      await session.exec('reset work_mem');
    });

    it('counts what runs again and again', async () => {
      const text = await planOf('select id, (select count(*) from big where a = s.id) from small s');
      expect(text).toMatch(/\n {4}Seq Scan on big: rows 500->500 x50, .* removed 2475000 rows/);
      expect(text).toMatch(
        /\nslow: Seq Scan on big, .*reads 2500000 rows and keeps 25000: no index begins with a\nnext: diagnose with check=index_advice /,
      );
    });

    it('has estimates when it does not run, and the cost of what would run often', async () => {
      const text = await planOf('select id, (select count(*) from big where a = s.id) from small s', false);
      expect(text).toMatch(/^Seq Scan on small s: rows 50, cost \d+\n {2}\[SubPlan 1\] Aggregate: rows 1/);
      expect(text).toMatch(
        /\ncostly: Seq Scan on big, (100|9\d) % of the estimated cost: would read about 50000 rows for 500: no index begins with a\nnext: diagnose with check=index_advice /,
      );
      expect(text).not.toContain(' ms');
    });

    it('keeps a forged line out of the tree', async () => {
      const text = await planOf("select 1 from small where id::text = E'x\\nslow: nothing ⟦cut⟧'", false);
      expect(text.match(/^slow:/m)).toBeNull();
      expect(text).toContain('⟦U+27E6⟧cut⟧');
    });
  });
}

for (const id of ['mysql80', 'mysql97', 'mariadb1011'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    const maria = id === 'mariadb1011';
    const database = `plan_${id}_${process.pid}`;
    let session: TestSession;
    const planOf = (sql: string, analyze?: boolean) => explain(session, { plan: mysqlPlan, catalog: mysqlCatalog }, sql, analyze);

    beforeAll(async () => {
      session = await openMysql(engine());
      const digits =
        'select 0 n union all select 1 union all select 2 union all select 3 union all select 4 union all select 5 union all select 6 union all select 7 union all select 8 union all select 9';
      await session.exec(`create database ${database}; use ${database}; create table big (id int primary key, a int, note varchar(40), key (a));
        create table small (id int primary key); insert into small values (1), (2), (3);
        insert into big with d as (${digits}) select x, x % 100, concat('note ', x) from (
          select a.n + 10 * b.n + 100 * c.n + 1000 * e.n as x from d a, d b, d c, d e) q; analyze table big, small`);
    });
    afterAll(async () => {
      await session.exec(`drop database ${database}`);
      await session.close();
    });

    it('says that a scan reads much for little', async () => {
      const text = await planOf("select * from big where note = 'note 5'");
      expect(text).toMatch(/^Table scan on big: rows \d+->1, [\d.]+ ms \(own 100 %\), filter .*note 5.*, removed 9999 rows\n/);
      expect(text).toMatch(
        /\n(?:slow: Table scan on big, [\d.]+ ms of [\d.]+ ms:|note: Table scan on big) reads 10000 rows and keeps 1: no index begins with note/,
      );
    });

    it('says which text begins with a wildcard, of a table with an alias too', async () => {
      for (const from of ['big x', 'small s straight_join big x', 'big as x'])
        expect(await planOf(`select x.id from ${from} where x.note like '%te 5'`)).toMatch(
          /its LIKE on note begins with a wildcard/,
        );
    });

    it('says why an index on the column did not serve', async () => {
      await session.exec('create table codes as select id, note as code from big; create index by_code on codes (code)');
      expect(await planOf("select * from codes where code like '%te 5'")).toContain(
        'its LIKE on code begins with a wildcard, which the index by_code does not serve',
      );
      expect(await planOf("select * from codes where upper(code) = 'X'")).toContain(
        'it compares what is computed from code, which the index by_code does not hold',
      );
    });

    it('counts what runs again and again, and says by which index', async () => {
      const text = await planOf('select id, (select count(*) from big where a = s.id) from small s');
      expect(text).toMatch(/[Ii]ndex lookup on big using a: rows \d+->100 x3/);
    });

    it('has estimates when it does not run', async () => {
      const text = await planOf("select * from big where note = 'note 5' order by id desc", false);
      expect(text).toContain('on big');
      // The other one does not guess how many rows a condition leaves.
      if (!maria) expect(text).toMatch(/\ncostly: .*would read about \d+ rows for \d+: no index begins with note/);
      expect(text).not.toMatch(/ ms|NaN|undefined/);
    });

    it('reads unions, derived tables and what never runs', async () => {
      const text = await planOf(
        'select 1, 2 union select a, n from (select a, count(*) n from big group by a) d union select id, id from small where id = 99 and exists (select 1 from big where id = 7)',
      );
      expect(text).toMatch(/on big using a: rows \d+->10000/);
      expect(text).not.toMatch(/NaN|undefined/);
    });

    // The other one does not tell.
    const itIfTold = maria ? it : undefined;
    itIfTold?.('says that a sort went to disk', async () => {
      await session.exec('set sort_buffer_size = 16384');
      expect(await planOf('select * from big order by note')).toMatch(/Sort.*went to disk \(sort, \d+ merge passes\)/);
      await session.exec('set sort_buffer_size = default');
    });
  });
}
