import { type ServerId, useEngine } from '@dbmole/engines';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { cleanUp, type Defect, defects, harmless, harmlessSince15, more } from './postgres-defects.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18'];

const waiting = { timeout: 20_000, interval: 200 };

/** Each is a defect of its own; the comments say what it is. */
const manyDefects = [
  'create table customer (id int generated always as identity primary key, name text)',
  "insert into customer (name) select 'c' || i from generate_series(1, 2000) i",
  'create table orders (id bigint generated always as identity primary key, customer_id int references customer, placed_at timestamptz, note text)',
  "insert into orders (customer_id, placed_at, note) select 1 + i % 2000, now(), 'n' from generate_series(1, 60000) i",
  // The same index twice, and one that the beginning of another covers.
  'create index orders_placed on orders (placed_at)',
  'create index orders_placed_again on orders (placed_at)',
  'create index orders_placed_note on orders (placed_at, note)',
  // Never used, and large enough to matter.
  'create index orders_note on orders (note, id)',
  // No primary key.
  'create table journal (at timestamptz, line text)',
  // A column whose sequence is nearly at the end of its type.
  'create table ticket (id serial primary key)',
  "select setval('ticket_id_seq', 2083059139)",
  // Sequences that no column owns: one fills a smaller column, one counts down.
  'create sequence shared_number',
  "create table parcel (id int primary key default nextval('shared_number'))",
  "select setval('shared_number', 2126008810)",
  'create sequence countdown increment -1 minvalue -1000 maxvalue 1000 start 1000',
  "select setval('countdown', -990)",
  // All that the second holds is in the first.
  'create table visit (id int primary key, page int, seconds int)',
  'create index visit_page_seconds on visit (page) include (seconds)',
  'create index visit_page on visit (page)',
  // Rules that are not enforced for all rows.
  'create table refund (id int primary key, amount int, visit_id int)',
  'create index refund_visit on refund (visit_id)',
  'alter table refund add constraint refund_positive check (amount > 0) not valid',
  'alter table refund add constraint refund_of foreign key (visit_id) references visit not valid',
  'alter table refund disable trigger all',
  "create function note_visit() returns trigger language plpgsql as 'begin return new; end'",
  'create trigger visit_noted before insert on visit for each row execute function note_visit()',
  'alter table visit disable trigger visit_noted',
  // Autovacuum cannot reach it.
  'create table queue (id int primary key, done boolean) with (autovacuum_enabled = off)',
  'insert into queue select i, false from generate_series(1, 5000) i',
  'update queue set done = true',
  'analyze',
];

describe.each(engines)('diagnose on %s', (id) => {
  const engine = useEngine(id, {
    settings: { wal_level: 'logical', max_prepared_transactions: '2', archive_mode: 'on', fsync: 'off' },
  });
  let account: Account;
  let tools: OpenTools;
  const clients: pg.Client[] = [];
  const connect = async (role?: string) => {
    const { host, port, user, password } = engine();
    const own = role === undefined ? { user, password } : { user: role, password: role };
    const client = new pg.Client({ host, port, ...own, database: account.database, application_name: 'shopkeeper' });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  const diagnose = async (args: Record<string, unknown> = {}) => (await tools.call('diagnose', args)).text;
  const countWaiting = async () =>
    Number((await runDirect(engine(), ['select count(*) from pg_locks where not granted']))[0]?.[0]);
  /** The findings, with their next steps. */
  const worst = async (check: string) => (await diagnose({ check, limit: 100 })).split('\nListed:')[0] ?? '';

  beforeAll(async () => {
    account = await createAccount(engine(), `diagnosed_${process.pid}`);
    await runDirect(engine(), ["alter system set archive_command = '/bin/true'", 'select pg_reload_conf()']);
    const { user, password } = engine();
    tools = await openTools([{ ...account, user, password, name: 'shop', tls: 'disable' }]);
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await tools.close();
  });

  it('has no finding on a healthy database but for the settings of this server', async () => {
    const text = await diagnose();
    for (const check of ['activity', 'locks', 'indexes', 'tables', 'replication', 'privileges'])
      expect(text).toContain(`${check}: ok`);
    expect(text).toContain('settings: high: fsync is off');
    expect(text).toContain('slow_queries: not available: the extension pg_stat_statements is not installed');
    for (const check of ['activity', 'locks', 'indexes', 'tables', 'replication', 'privileges'])
      expect(await diagnose({ check })).toMatch(new RegExp(`^${check}: No findings\\.`));
  });

  it('has no finding on what only looks wrong', async () => {
    await runDirect(engine(), [...harmless, ...(id === 'postgres14' ? [] : harmlessSince15)], account.database);
    for (const check of ['indexes', 'tables']) expect(await diagnose({ check })).toMatch(new RegExp(`^${check}: No findings\\.`));
    expect(await diagnose({ check: 'indexes' })).toContain(
      'Listed:\n  foreign key child_parent_id_fkey of child (parent_id) has no index; the table has about 0 rows, so it does not matter yet',
    );
    await runDirect(engine(), cleanUp, account.database);
  });

  for (const defect of defects) {
    it(`finds ${defect.name}, and names a step that works`, async () => {
      await plant(defect);
      const { check, found } = defect;
      await vi.waitFor(async () => expect(readFirst(await worst(check), 3)).toMatch(found), waiting);
      expect(await diagnose()).toMatch(new RegExp(`^${check}: (?:high|medium|low): `, 'm'));
      await mend(defect, await worst(check));
      await vi.waitFor(async () => expect(await worst(check)).not.toMatch(found), waiting);
      await Promise.all(clients.splice(0).map((client) => client.end()));
      await runDirect(engine(), cleanUp, account.database);
    });
  }

  it('finds what is planted together, with steps that work', async () => {
    await runDirect(engine(), [...more.flatMap(({ plant: statements }) => statements), 'analyze'], account.database);
    for (const { check, found } of more) await vi.waitFor(async () => expect(await worst(check)).toMatch(found), waiting);
    const texts = new Map<string, string>();
    for (const { check } of more) texts.set(check, await worst(check));
    for (const { check, found, mend: step } of more) {
      if (!(step instanceof RegExp)) {
        await runDirect(engine(), step, account.database);
        continue;
      }
      const lines = (texts.get(check) ?? '').split('\n');
      const [statements = ''] = step.exec(lines[lines.findIndex((line) => found.test(line)) + 2] ?? '') ?? [];
      expect(statements).not.toBe('');
      await runDirect(engine(), statements.split(/(?<=;) /), account.database);
    }
    await runDirect(engine(), ['analyze'], account.database);
    for (const { check, found } of more.filter(
      ({ mend: step }) => !(step instanceof RegExp) || !step.source.includes('IDENTITY'),
    ))
      await vi.waitFor(async () => expect(await worst(check)).not.toMatch(found), waiting);
    await runDirect(engine(), ['drop publication feed', 'drop materialized view totals', ...cleanUp], account.database);
  });

  async function plant({ plant: statements, wait, role }: Defect): Promise<void> {
    if (wait === undefined) await runDirect(engine(), statements, account.database);
    else await waitBehind(statements, wait);
    if (role !== undefined) await connect(role);
  }

  async function waitBehind(statements: readonly string[], wait: string): Promise<void> {
    const [holder, waiter] = [await connect(), await connect()];
    for (const sql of statements) await holder.query(sql);
    void waiter.query(wait).catch(() => undefined);
    await vi.waitFor(async () => expect(await countWaiting()).toBe(1), waiting);
  }

  async function mend({ found, mend: step }: Defect, text: string): Promise<void> {
    if (!(step instanceof RegExp)) return void (await runDirect(engine(), step, account.database));
    const lines = text.split('\n');
    const [statements = ''] = step.exec(lines[lines.findIndex((line) => found.test(line)) + 2] ?? '') ?? [];
    expect(statements).not.toBe('');
    await runDirect(engine(), statements.split('; then '), account.database);
  }

  describe('with planted defects', () => {
    beforeAll(async () => {
      await runDirect(engine(), manyDefects, account.database);
      await runDirect(engine(), ["select pg_create_physical_replication_slot('forgotten', true)"], account.database);
      // Unique values, of which there are none: the index stays behind as invalid.
      await runDirect(
        engine(),
        ['create unique index concurrently orders_customer_unique on orders (customer_id)'],
        account.database,
      ).catch(() => undefined);
      // A transaction that is idle, two sessions that wait for it, and one that waits behind them.
      const [idle, second, third, fourth] = [await connect(), await connect(), await connect(), await connect()];
      await idle.query("begin; update customer set name = 'x' where id = 1");
      void second.query("update customer set name = 'y' where id = 1").catch(() => undefined);
      await vi.waitFor(async () => expect(await countWaiting()).toBe(1), waiting);
      void third.query('begin; alter table customer add column age int').catch(() => undefined);
      await vi.waitFor(async () => expect(await countWaiting()).toBe(2), waiting);
      void fourth.query('select count(*) from customer').catch(() => undefined);
      await vi.waitFor(async () => expect(await countWaiting()).toBe(3), waiting);
      await vi.waitFor(async () => expect(await diagnose({ check: 'activity' })).toMatch(/after locking/), waiting);
    });

    it('finds the root of a chain of waiting sessions', async () => {
      const text = await worst('locks');
      const [first = ''] = text.split('\n').slice(1);
      expect(first).toMatch(/^high: pid \d+ \(shopkeeper@diagnosed_\d+\) blocks 3 sessions and is idle in transaction/);
      expect(first).toContain('it holds customer RowExclusiveLock');
      expect(text).toMatch(/Next: Let that client commit or roll back; a person can end it: select pg_terminate_backend\(\d+\)/);
    });

    it('finds a transaction that is idle with locks', async () => {
      expect(await worst('activity')).toMatch(
        /^(high|medium): pid \d+ .* idle in a transaction for .* after locking or changing rows/m,
      );
    });

    it('finds invalid, doubled, covered, unused and missing indexes, and missing keys', async () => {
      const text = await worst('indexes');
      expect(text.split('\n')[1]).toMatch(/^high: index orders_customer_unique on orders is invalid/);
      expect(text).toMatch(/^medium: index orders_placed_again on orders .* is the same as orders_placed$/m);
      expect(text).toMatch(/^low: index orders_placed on orders .* is covered by the first columns of orders_placed_note$/m);
      expect(text).toMatch(/^low: index visit_page on visit .* is covered by the first columns of visit_page_seconds$/m);
      expect(text).toMatch(/^low: index orders_note on orders .* was never scanned/m);
      expect(text).toMatch(
        /^medium: foreign key orders_customer_id_fkey of orders \(customer_id\) has no index; the table has about 60000 rows$/m,
      );
      expect(text).toMatch(/^low: journal has no primary key/m);
      expect(text).not.toContain('orders_pkey on');
    });

    it('finds sequences near their end, and a table that is not vacuumed', async () => {
      const text = await worst('tables');
      expect(
        text
          .split('\n')
          .slice(1, 10)
          .filter((line) => line.startsWith('high')),
      ).toEqual([
        expect.stringMatching(/^high: sequence public\.countdown is at -990 of -1000 \(100 %\)$/),
        expect.stringMatching(
          /^high: sequence public\.shared_number of public\.parcel\.id is at 2126008810 of 2147483647 \(99 %\)$/,
        ),
        expect.stringMatching(
          /^high: sequence public\.ticket_id_seq of public\.ticket\.id is at 2083059139 of 2147483647 \(97 %\)$/,
        ),
      ]);
      expect(text).toContain('ALTER SEQUENCE public.countdown AS bigint MINVALUE -9223372036854775808;');
      expect(text).toMatch(/^medium: autovacuum is switched off for queue; it has 5000 dead rows and \d+ live ones/m);
      expect((await diagnose({ check: 'tables' })).split('Listed:')[1]).toMatch(/^\n {2}orders: [\d.]+ MB, ~60000 rows/);
    });

    it('finds constraints and triggers that are not enforced', async () => {
      const text = await worst('tables');
      expect(text).toMatch(/^medium: the checks of foreign keys are disabled on refund$/m);
      expect(text).toMatch(/^low: constraint refund_positive of refund was never validated$/m);
      expect(text).toContain('Next: ALTER TABLE refund VALIDATE CONSTRAINT refund_of;');
      expect(text).toMatch(/^low: trigger visit_noted of visit is disabled$/m);
      // What the next steps say, mends them.
      const next = [...text.matchAll(/^ {2}Next: (ALTER TABLE (?:refund|visit) [^;]+;)/gm)].map(
        ([, statement = '']) => statement,
      );
      await runDirect(engine(), next, account.database);
      expect(await worst('tables')).not.toMatch(/validated|disabled/);
    });

    it('finds the statements that take the time, by their share', async () => {
      await runDirect(engine(), ['create extension pg_stat_statements'], account.database);
      // The guard reads the catalog once, which would be among the statements that take the time.
      await worst('slow_queries');
      await runDirect(engine(), ['select pg_stat_statements_reset()'], account.database);
      const slow = Array.from({ length: 3 }, (_, at) => `select count(*), pg_sleep(0.2) from journal where line = '${at}'`);
      await runDirect(engine(), slow, account.database);
      const text = await worst('slow_queries');
      expect(text).toMatch(
        /^slow_queries: 1 finding, worst first\. Statements over pg_catalog are left out\. Counted since \d{4}-/,
      );
      expect(text).toMatch(
        /^(high|medium): \d+ % of the time, 3 calls, mean 2\d\d ms, .*: select count\(\*\), pg_sleep\(\$1\) from journal where line = \$2$/m,
      );
    });

    it('finds a slot that keeps WAL', async () => {
      expect(await worst('replication')).toMatch(/^medium: physical slot forgotten is not in use and keeps [\d.]+ [kM]?B/m);
    });

    it('limits a check to a table, and reads on', async () => {
      expect(await diagnose({ check: 'indexes', table: 'journal' })).toMatch(/^indexes: 1 finding, worst first\./);
      const page = await diagnose({ check: 'indexes', limit: 1 });
      expect(page).toMatch(/^indexes: \d+ findings, worst first, 1-1 shown\. Same call with offset=1 reads on\./);
      expect(await diagnose({ check: 'indexes', limit: 1, offset: 1 })).not.toContain('orders_customer_unique');
    });

    it('shows the worst of each check in the overview', async () => {
      const text = await diagnose();
      expect(text).toMatch(/^7 of 9 checks found something\./);
      expect(text).toMatch(/^locks: high: pid \d+/m);
      expect(text).toMatch(/^indexes: high: index orders_customer_unique .*; and \d+ more$/m);
      expect(text.length).toBeLessThan(4_000);
    });

    it('answers an account with almost no rights, and says what it lacks', async () => {
      const poor = await openTools([{ ...account, name: 'poor', tls: 'disable' }]);
      try {
        const { text, isError } = await poor.call('diagnose');
        expect(isError).not.toBe(true);
        expect(text).not.toContain('failed');
        expect(text).toMatch(/^activity: ok as far as this account sees\. \d sessions of other accounts are hidden/m);
        const { text: rights } = await poor.call('diagnose', { check: 'privileges' });
        expect(rights).toContain(`GRANT pg_read_all_stats TO ${account.user};`);
        const { text: activity } = await poor.call('diagnose', { check: 'activity' });
        expect(activity).toContain(
          `sessions of other accounts are hidden; GRANT pg_read_all_stats TO ${account.user}; shows them.`,
        );
        const { text: tables } = await poor.call('diagnose', { check: 'tables' });
        expect(tables).toContain(
          `sequences are hidden; GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO ${account.user}; shows them`,
        );
        const { text: locks } = await poor.call('diagnose', { check: 'locks' });
        expect(locks).toMatch(/blocks 3 sessions and is in a state that this account may not see/);
      } finally {
        await poor.close();
      }
    });

    it('names statements that mend what it found', async () => {
      const [, end = ''] = /(select pg_terminate_backend\(\d+\))/.exec(await worst('locks')) ?? [];
      await runDirect(engine(), [end]);
      await Promise.all(clients.splice(0).map((client) => client.end()));
      await vi.waitFor(async () => expect(await worst('locks')).toMatch(/^locks: No findings/), waiting);
      const step = /Next: (DROP INDEX CONCURRENTLY orders_placed_again|CREATE INDEX CONCURRENTLY ON orders \(customer_id\));/g;
      const steps = [...(await worst('indexes')).matchAll(step)];
      expect(steps).toHaveLength(2);
      for (const [, sql = ''] of steps) await runDirect(engine(), [sql], account.database);
      const text = await worst('indexes');
      expect(text).not.toContain('orders_placed_again');
      expect(text).not.toContain('orders_customer_id_fkey');
    });
  });
});

/** The first lines of the findings of a check. */
function readFirst(text: string, count: number): string {
  return text
    .split('\n')
    .filter((line) => /^(?:high|medium|low): /.test(line))
    .slice(0, count)
    .join('\n');
}
