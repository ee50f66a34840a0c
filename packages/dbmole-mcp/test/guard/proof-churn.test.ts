import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { direct } from '../engines/postgres-fixture.ts';
import { createProofDatabase, type ProofDatabase, withGuarded } from './proof-database.ts';

const good = "create or replace function f() returns text language plpgsql as $$ begin return 'good'; end $$";

/** Many changes in one call, each of them committed. */
const churn = (change: string) =>
  `do $do$ begin for i in 1..1000000 loop ${change} commit; perform pg_sleep(0.002); end loop; end $do$`;

describe.each(['postgres14', 'postgres18'] as const)('reads while functions are being replaced, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  const folder = mkdtempSync(join(tmpdir(), 'churn-'));
  const file = join(folder, 'effect');

  const whileChurning = async (change: string, work: () => Promise<void>) => {
    const address = { ...server(), database: 'proof_churn' };
    const running = direct(address, churn(change)).catch(() => undefined);
    try {
      await expect.poll(() => database.run("select 1 from pg_stat_activity where query like 'do $do$%'")).toHaveLength(1);
      await work();
    } finally {
      await database.run(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'do $do$%' and pid <> pg_backend_pid()",
      );
      await running;
    }
  };

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_churn');
    await database.run(`${good}; create table t as select 1 as x; create view v as select x, f() from t`);
    await database.run("create function other() returns int language plpgsql as 'begin return 0; end'");
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.dispose();
  });

  it('answers all of them when they lead to none of these functions', async () => {
    const replaced = "create or replace function other() returns int language plpgsql as 'begin return 1; end';";
    await whileChurning(replaced, async () => {
      await withGuarded(database.superuser, async ({ read }) => {
        for (let i = 0; i < 5; i++)
          for (const sql of ['select count(*) from t', `select x, ${i} from v`, `select f(), ${i}`])
            expect(await read(sql)).toMatchObject({ failure: undefined, rows: [expect.anything()] });
      });
    });
  });

  it('runs none of a function that keeps turning into one that acts', async () => {
    const text = `begin copy (select 1) to program 'touch ${file}'; return 'evil'; end`;
    const evil = `create or replace function f() returns text language plpgsql as $$ ${text} $$`;
    await whileChurning(`${evil}; commit; perform pg_sleep(0.002); ${good};`, async () => {
      await withGuarded(database.superuser, async ({ read }) => {
        for (let i = 0; i < 12; i++) {
          const { failure, rows } = await read(`select f(), ${i}`);
          expect(failure?.code ?? rows[0]?.[0]).toMatch(/^(?:E_NOT_A_READ|E_PREMISE|good)$/);
        }
      });
    });
    expect(existsSync(file)).toBe(false);
  });
});
