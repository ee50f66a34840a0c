import { type ServerId, useEngine } from '@dbmole/engines';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { type Defect, defects, harmless, more } from './mysql-defects.ts';

const engines: readonly ServerId[] = ['mysql80', 'mysql97', 'mariadb1011'];
const waiting = { timeout: 20_000, interval: 200 };

const manyDefects = [
  'create table customer (id int auto_increment primary key, name varchar(50))',
  "insert into customer (name) values ('a'), ('b')",
  'create table orders (id bigint auto_increment primary key, customer_id int, placed_at datetime, note varchar(50))',
  // The same index twice, and one that the beginning of another covers.
  'create index orders_placed on orders (placed_at)',
  'create index orders_placed_again on orders (placed_at)',
  'create index orders_placed_note on orders (placed_at, note)',
  // A unique index is needed, though another begins like it.
  'create unique index orders_customer on orders (customer_id)',
  'create index orders_customer_note on orders (customer_id, note)',
  // No primary key, no transactions.
  'create table journal (at datetime, line varchar(50))',
  'create table attic (id int primary key) engine=MyISAM',
  // A counter near the end of its type.
  'create table ticket (id smallint unsigned auto_increment primary key, note int) auto_increment = 64000',
];

describe.each(engines)('diagnose on %s', (id) => {
  const engine = useEngine(id, {
    settings: {
      innodb_doublewrite: 'ON',
      innodb_flush_log_at_trx_commit: '1',
      log_bin: 'binlog',
      server_id: '1',
      sync_binlog: '1',
      binlog_expire_logs_seconds: '2592000',
    },
  });
  const isMaria = id.startsWith('mariadb');
  let account: Account;
  let tools: OpenTools;
  const clients: mysql.Connection[] = [];
  const connect = async () => {
    const { host, port, user, password } = engine();
    const client = await mysql.createConnection({ host, port, user, password, database: account.database });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const diagnose = async (args: Record<string, unknown> = {}) => (await tools.call('diagnose', args)).text;
  const findings = async (check: string) => (await diagnose({ check })).split('\nListed:')[0] ?? '';

  beforeAll(async () => {
    account = await createAccount(engine(), `diagnosed_${process.pid}`);
    const { user, password } = engine();
    tools = await openTools([{ ...account, user, password, name: 'shop', tls: 'disable' }]);
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.destroy()));
    await tools.close();
  });

  it('has no finding on an empty schema', async () => {
    for (const check of ['activity', 'locks', 'indexes', 'tables', 'replication', 'settings', 'privileges']) {
      expect(await diagnose({ check })).toMatch(new RegExp(`^${check}: No findings\\.`));
    }
    expect(await diagnose()).not.toContain('failed');
  });

  it('has no finding on what only looks wrong', async () => {
    await runDirect(engine(), harmless, account.database);
    for (const check of ['indexes', 'tables']) expect(await diagnose({ check })).toMatch(new RegExp(`^${check}: No findings\\.`));
    await startOver();
  });

  for (const defect of defects) {
    it(`finds ${defect.name}, and names a step that works`, async () => {
      const { check, found } = defect;
      try {
        await plant(defect);
        // The server shows new transactions after up to 100 ms, and only then the step names who holds a lock.
        const statements = await vi.waitFor(async () => {
          const text = await findings(check);
          expect(readFirst(text, 3)).toMatch(found);
          return readStep(defect, text);
        }, waiting);
        expect(await diagnose()).toMatch(new RegExp(`^${check}: (?:high|medium|low): `, 'm'));
        await runDirect(engine(), statements, account.database);
      } finally {
        for (const client of clients.splice(0)) client.destroy();
      }
      await vi.waitFor(async () => expect(await findings(check)).not.toMatch(found), waiting);
      await startOver();
    });
  }

  it('finds what is planted together, with steps that work', async () => {
    await runDirect(
      engine(),
      more.flatMap(({ plant: statements }) => statements),
      account.database,
    );
    const texts = new Map<string, string>();
    for (const { check } of more) texts.set(check, await findings(check));
    for (const { check, found, mend } of more) {
      expect(texts.get(check)).toMatch(found);
      await runDirect(engine(), readStep({ found, mend }, texts.get(check) ?? ''), account.database);
    }
    for (const { check, found } of more) expect(await findings(check)).not.toMatch(found);
    await startOver();
  });

  async function startOver(): Promise<void> {
    await runDirect(engine(), [`drop database ${account.database}`, `create database ${account.database}`]);
  }

  async function plant({ plant: statements, wait }: Defect): Promise<void> {
    if (wait === undefined) return void (await runDirect(engine(), statements, account.database));
    const holder = await connect();
    for (const sql of statements) await holder.query(sql);
    for (const sql of wait) {
      const client = await connect();
      void client.query(sql).catch(() => undefined);
      await vi.waitFor(
        async () =>
          expect((await diagnose({ check: 'activity' })).split('\n').find((line) => line.endsWith(sql))).toMatch(
            /: (?:Waiting|User lock)/,
          ),
        waiting,
      );
    }
  }

  /** The statements of the next step, or what a person does instead. */
  function readStep({ found, mend: step }: Pick<Defect, 'found' | 'mend'>, text: string): readonly string[] {
    if (!(step instanceof RegExp)) return step;
    const lines = text.split('\n');
    const [statement = ''] = step.exec(lines[lines.findIndex((line) => found.test(line)) + 2] ?? '') ?? [];
    expect(statement).not.toBe('');
    return [/^\d+$/.test(statement) ? `KILL ${statement}` : statement];
  }

  describe('with planted defects', () => {
    beforeAll(async () => {
      const hide = isMaria ? 'alter index hidden ignored' : 'alter index hidden invisible';
      await runDirect(
        engine(),
        [...manyDefects, 'create index hidden on orders (note)', `alter table orders ${hide}`, 'analyze table ticket, orders'],
        account.database,
      );
      const [idle, second, third] = [await connect(), await connect(), await connect()];
      await idle.query('begin');
      await idle.query("update customer set name = 'x' where id = 1");
      void second.query("update customer set name = 'y' where id = 1").catch(() => undefined);
      await vi.waitFor(async () => expect(await diagnose({ check: 'locks' })).toMatch(/blocks 1 session /), waiting);
      void third.query("update customer set name = 'z' where id = 1").catch(() => undefined);
      await vi.waitFor(async () => expect(await diagnose({ check: 'locks' })).toMatch(/blocks 2 sessions /), waiting);
      await vi.waitFor(async () => expect(await diagnose({ check: 'activity' })).toMatch(/idle in a transaction/), waiting);
    });

    it('finds the root of waiting sessions, and an idle transaction', async () => {
      const locks = await findings('locks');
      expect(locks).toMatch(
        /^(high|medium): session \d+ \(\w+@diagnosed_\d+\) blocks 2 sessions and is idle in a transaction for .* after changing 1 rows/m,
      );
      expect(locks).toMatch(/Waiting: session \d+ .* \(X.* on diagnosed_\d+\.customer\)/);
      expect(await findings('activity')).toMatch(/idle in a transaction for .* with 1 rows changed/);
    });

    it('finds doubled, covered and invisible indexes, and a missing key', async () => {
      const text = await findings('indexes');
      expect(text.split('\n')[1]).toMatch(
        /^medium: index orders_placed_again on orders \(placed_at\) is the same as orders_placed$/,
      );
      expect(text).toMatch(
        /^low: index orders_placed on orders \(placed_at\) is (?:the same as|covered by the first columns of)/m,
      );
      expect(text).toMatch(/^low: index hidden on orders is invisible/m);
      expect(text).toMatch(/^low: journal has no primary key/m);
      expect(text).not.toMatch(/index orders_customer on/);
    });

    it('finds a counter near its end, and an engine without transactions', async () => {
      const lines = (await findings('tables')).split('\n');
      expect(lines[1]).toMatch(/^high: ticket\.id \(smallint(?:\(5\))? unsigned\) counts on from 64000 of 65535 \(98 %\)$/);
      expect(lines[4]).toMatch(/^medium: 1 table has the engine MyISAM: attic$/);
    });

    it('finds a replication channel that is stopped', async () => {
      const [set, drop] = isMaria
        ? ["change master 'planted' to master_host='127.0.0.1', master_user='x'", "reset slave 'planted' all"]
        : [
            "change replication source to source_host='127.0.0.1', source_user='x' for channel 'planted'",
            "reset replica all for channel 'planted'",
          ];
      await runDirect(engine(), [set]);
      try {
        expect(await findings('replication')).toMatch(
          /^high: replication of channel "planted" is stopped: receiving OFF, applying OFF/m,
        );
      } finally {
        await runDirect(engine(), [drop]);
      }
    });

    it('finds settings that lose data', async () => {
      await runDirect(engine(), ['set global innodb_flush_log_at_trx_commit = 2']);
      try {
        expect(await findings('settings')).toMatch(/^medium: innodb_flush_log_at_trx_commit is 2\n {2}A crash loses/m);
      } finally {
        await runDirect(engine(), ['set global innodb_flush_log_at_trx_commit = 1']);
      }
    });

    if (isMaria) {
      it('says how to make MariaDB count statements', async () => {
        expect(await diagnose({ check: 'slow_queries' })).toMatch(
          /^slow_queries is not available here\. .*\nperformance_schema is off \(MariaDB starts with it off\)/,
        );
      });
    } else {
      it('counts statements, and says when the server has no room for more kinds of them', async () => {
        const emptyList = 'truncate table performance_schema.events_statements_summary_by_digest';
        const listed =
          /^slow_queries: (?:No findings|\d findings?, worst first)\. Counted since .*\n(?:.*\n)*Listed:\n {2}\d+ % of the time, \d+ calls/;
        const client = await connect();
        await client.query(emptyList);
        await client.query('select note from orders');
        expect(await diagnose({ check: 'slow_queries' })).toMatch(listed);
        const [[{ size }]] = (await client.query('select @@performance_schema_digests_size size')) as unknown as [
          [{ size: number }],
        ];
        try {
          for (let kind = 0; kind <= size; kind++) await client.query(`select ${kind} as kind_${kind}`);
          expect(await findings('slow_queries')).toMatch(
            new RegExp(`^low: the server's list of ${size} kinds of statements is full; \\d+ calls of other kinds`, 'm'),
          );
        } finally {
          await client.query(emptyList);
        }
      });
    }

    it('answers an account with almost no rights, and says what it lacks', async () => {
      const poor = await openTools([{ ...account, name: 'poor', tls: 'disable' }]);
      try {
        const { text, isError } = await poor.call('diagnose');
        expect(isError).not.toBe(true);
        expect(text).not.toContain('failed');
        expect(text).toMatch(/^locks: not available: the account may not see the locks of others\. GRANT PROCESS/m);
        expect(text).toMatch(/^activity: ok as far as this account sees\./m);
        const { text: rights } = await poor.call('diagnose', { check: 'privileges' });
        expect(rights).toContain(`GRANT PROCESS ON *.* TO '${account.user}'@'%';`);
        expect(text).toContain(`GRANT PROCESS ON *.* TO '${account.user}'@'%'; shows them.`);
      } finally {
        await poor.close();
      }
    });

    it('says that an account sees only the tables on which it has rights', async () => {
      const statements = [
        "create user narrow@'%' identified by 'narrow'",
        `grant select on ${account.database}.ticket to narrow@'%'`,
      ];
      await runDirect(engine(), statements, account.database);
      const narrow = await openTools([{ ...account, user: 'narrow', password: 'narrow', name: 'narrow', tls: 'disable' }]);
      const hidden = `Tables without rights of this account are hidden; GRANT SELECT ON ${account.database}.* TO 'narrow'@'%'; shows them.`;
      try {
        const { text } = await narrow.call('diagnose');
        expect(text).toContain(`indexes: ok as far as this account sees. ${hidden}`);
        for (const check of ['tables', 'privileges']) expect((await narrow.call('diagnose', { check })).text).toContain(hidden);
        await runDirect(engine(), [`grant select on ${account.database}.* to narrow@'%'`]);
        expect((await narrow.call('diagnose', { check: 'indexes' })).text).not.toContain(hidden);
      } finally {
        await narrow.close();
      }
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
