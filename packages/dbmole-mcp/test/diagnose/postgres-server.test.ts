import { type ServerId, useEngine } from '@dbmole/engines';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18'];
const waiting = { timeout: 60_000, interval: 200 };

/** What is wrong with a server as a whole, or is left behind by what was interrupted. */
describe.each(engines)('diagnose of a server, on %s', (id) => {
  const engine = useEngine(id, {
    settings: {
      max_connections: '16',
      superuser_reserved_connections: '2',
      max_locks_per_transaction: '10',
      deadlock_timeout: '10ms',
      autovacuum: 'off',
      autovacuum_freeze_max_age: '100000',
      archive_mode: 'on',
      max_slot_wal_keep_size: '1MB',
      shared_preload_libraries: 'pg_stat_statements',
    },
  });
  let tools: OpenTools;
  const clients: pg.Client[] = [];
  const run = (sql: readonly string[]) => runDirect(engine(), sql, 'shop');
  const findings = async (check: string) =>
    (await tools.call('diagnose', { check, limit: 100 })).text.split('\nListed:')[0] ?? '';
  const connect = async (user = engine().user, password = engine().password) => {
    const { host, port } = engine();
    const client = new pg.Client({ host, port, user, password, database: 'shop' });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };
  const closeAll = async () => void (await Promise.all(clients.splice(0).map((client) => client.end())));
  const appears = async (check: string, found: RegExp) =>
    await vi.waitFor(async () => expect(await findings(check)).toMatch(found), waiting);
  const disappears = async (check: string, found: RegExp) =>
    await vi.waitFor(async () => expect(await findings(check)).not.toMatch(found), waiting);
  /** Runs what the step of a finding in this text says. */
  const follow = async (text: string, found: RegExp, step: RegExp) => {
    const lines = text.split('\n');
    const [statements = ''] = step.exec(lines[lines.findIndex((line) => found.test(line)) + 2] ?? '') ?? [];
    expect(statements).not.toBe('');
    await run(statements.split(/(?<=;) /));
  };

  beforeAll(async () => {
    await runDirect(engine(), ['create database shop']);
    const { host, port, user, password } = engine();
    tools = await openTools([{ type: 'postgres', host, port, user, password, database: 'shop', name: 'shop', tls: 'disable' }]);
  });
  afterEach(closeAll);
  afterAll(() => tools.close());

  it('finds that transactions deadlock each other', async () => {
    await run(['create table seat (id int primary key)', 'insert into seat values (1), (2)']);
    const [one, other] = [await connect(), await connect()];
    for (let round = 0; round < 3; round += 1) {
      await one.query('begin; update seat set id = id where id = 1');
      await other.query('begin; update seat set id = id where id = 2');
      const first = one.query('update seat set id = id where id = 2').catch(() => undefined);
      const second = other.query('update seat set id = id where id = 1').catch(() => undefined);
      await Promise.all([first, second]);
      await Promise.all([one.query('rollback'), other.query('rollback')]);
    }
    await closeAll();
    await appears('settings', /^low: 3 deadlocks were counted in this database since /m);
  });

  it('finds a partition that is half detached, and how to detach it', async () => {
    await run([
      'create table visit (id int primary key) partition by range (id)',
      'create table visit_1 partition of visit for values from (0) to (100)',
    ]);
    const [reader, owner] = [await connect(), await connect()];
    await reader.query('begin; select * from visit');
    const detached = owner.query('alter table visit detach partition visit_1 concurrently').catch(() => undefined);
    await vi.waitFor(
      async () =>
        expect(await run(["select 1 from pg_inherits where inhdetachpending and inhrelid = 'visit_1'::regclass"])).toHaveLength(
          1,
        ),
      waiting,
    );
    await run([`select pg_cancel_backend(pid) from pg_stat_activity where query like 'alter table visit%'`]);
    await detached;
    await closeAll();
    const found = /^medium: partition visit_1 of visit is half detached: /m;
    await appears('tables', found);
    await follow(await findings('tables'), found, /ALTER TABLE .*;/);
    await disappears('tables', found);
  });

  it('finds rules that let clients in without a password, and rules that it cannot read', async () => {
    const write = (lines: readonly string[]) =>
      `do $$ begin execute format('copy (select unnest(array[${lines.map(() => `%L`).join(', ')}])) to %L',
        ${lines.map((line) => `'${line}', `).join('')} current_setting('hba_file')); end $$`;
    const kept = ['local all all trust', 'host all all 127.0.0.1/32 scram-sha-256', 'host all all ::1/128 scram-sha-256'];
    const found = /^high: line \d of pg_hba\.conf trusts all from 0\.0\.0\.0 0\.0\.0\.0 in shop without a password \(host\)$/m;
    const unreadable = /^high: line \d of pg_hba\.conf has an error: /m;
    await run([write([...kept, 'host shop all 0.0.0.0/0 trust', 'host all all nonsense'])]);
    const text = await findings('settings');
    expect(text).toMatch(found);
    expect(text).toMatch(unreadable);
    await run([write([...kept, 'host shop all 0.0.0.0/0 scram-sha-256']), 'select pg_reload_conf()']);
    await disappears('settings', found);
    await disappears('settings', unreadable);
  });

  it('finds an archive without a command, and a slot whose WAL is gone', async () => {
    const found = /^(?:high|medium): archive_mode is on, and there is neither archive_command nor archive_library$/m;
    await appears('replication', found);
    await run(["alter system set archive_command = '/bin/true'", 'select pg_reload_conf()']);
    await disappears('replication', found);
    await run(["select pg_create_physical_replication_slot('late', true)"]);
    const lost = /^high: physical slot late is not in use and keeps .* of WAL \(wal_status (?:lost|unreserved)\)$/m;
    await vi.waitFor(async () => {
      await run([
        'create table if not exists written (id int)',
        'insert into written values (1)',
        'select pg_switch_wal()',
        'checkpoint',
      ]);
      expect(await findings('replication')).toMatch(lost);
    }, waiting);
    await follow(await findings('replication'), lost, /select pg_drop_replication_slot\('late'\)/);
    await disappears('replication', lost);
    await run(['drop table written']);
  });

  it('finds a database that an interrupted DROP DATABASE has left', async () => {
    await run(['create database half', "update pg_database set datconnlimit = -2 where datname = 'half'"]);
    const found = /^medium: database half is invalid: a DROP DATABASE was interrupted$/m;
    await appears('settings', found);
    await follow(await findings('settings'), found, /DROP DATABASE half;/);
    await disappears('settings', found);
  });

  it('finds a role and a database near their limits of connections', async () => {
    await run(["create role clerk login password 'clerk' connection limit 2", 'alter database shop connection limit 3']);
    await Promise.all([connect('clerk', 'clerk'), connect('clerk', 'clerk')]);
    await appears('settings', /^high: role clerk uses 2 of the 2 connections that it may have$/m);
    await appears('settings', /^(?:high|medium): database shop uses \d of the 3 connections that it may have$/m);
    await closeAll();
    await run(['alter database shop connection limit -1', 'drop role clerk']);
  });

  it('finds that the server has few connections and locks left', async () => {
    await Promise.all(Array.from({ length: 11 }, () => connect()));
    await appears('settings', /^(?:high|medium): \d+ of 16 connections are used \(2 are reserved for superusers\)$/m);
    const [client] = clients;
    await client?.query(
      `begin; do $$ begin for i in 1..70 loop execute format('create table many_%s (id int primary key)', i); end loop; end $$`,
    );
    await appears('settings', /^medium: \d+ locks are held, \d+ % of the space for them$/m);
    await closeAll();
  });

  it('answers an account that may have one connection only', async () => {
    await run(["create role single login password 'single' connection limit 1"]);
    const { host, port } = engine();
    const account = { type: 'postgres', host, port, user: 'single', password: 'single', database: 'shop', name: 'single' };
    const single = await openTools([{ ...account, tls: 'disable' }]);
    try {
      const checks = ['activity', 'locks', 'indexes', 'tables', 'replication', 'settings', 'privileges'];
      const texts = await Promise.all([
        ...[undefined, ...checks].map(async (check) => (await single.call('diagnose', check ? { check } : {})).text),
        ...[1, 2, 3].map(async (value) => (await single.call('query', { sql: `select ${value}` })).text),
        single.call('list_tables').then(({ text }) => text),
      ]);
      expect(texts.join('\n')).not.toMatch(/failed|too many/);
    } finally {
      await single.close();
    }
    await run(['drop role single']);
  });

  it('says that statements are not counted, and how to count them', async () => {
    await run([
      'create extension pg_stat_statements',
      "alter system set pg_stat_statements.track = 'none'",
      'select pg_reload_conf()',
    ]);
    const read = async () => (await tools.call('diagnose', { check: 'slow_queries' })).text;
    await vi.waitFor(async () => expect(await read()).toContain('its setting track is "none"'), waiting);
    expect((await tools.call('diagnose')).text).toMatch(/^slow_queries: not available: .* track is "none"/m);
    const [, first = '', second = ''] =
      /(ALTER SYSTEM RESET pg_stat_statements\.track;) (select pg_reload_conf\(\);)/.exec(await read()) ?? [];
    await run([first, second]);
    await vi.waitFor(async () => expect(await read()).not.toContain('track is "none"'), waiting);
  });

  it('finds a table that an old transaction keeps from being vacuumed and frozen', async () => {
    const reader = await connect();
    await run(['create table queue (id int primary key)', 'insert into queue select generate_series(1, 20000)']);
    await reader.query('begin isolation level repeatable read; select count(*) from queue');
    await run([
      'delete from queue where id > 5000',
      'do $$ begin for i in 1..201000 loop perform txid_current(); commit; end loop; end $$',
    ]);
    const dead = /^high: queue has \d+ dead rows and \d+ live ones; autovacuum is due at \d+, the last vacuum was .*$/m;
    const old =
      /^medium: 3 tables \(queue, seat, visit_1\) have rows that are not frozen and up to \d+ transactions old, and are due at 100000$/m;
    await appears('tables', dead);
    await appears('tables', old);
    await appears('tables', /^medium: \d databases \(.*shop.*\) have rows that are not frozen and up to \d+ transactions old/m);
    const text = await findings('tables');
    await closeAll();
    await follow(text, dead, /VACUUM \(ANALYZE\) queue;/);
    await follow(text, old, /VACUUM \(FREEZE\) queue, seat, visit_1;/);
    await disappears('tables', /queue/);
  });

  it('finds passwords in an old form, settings that wait for a restart, and errors in the configuration', async () => {
    await run([
      "set password_encryption = 'md5'",
      "create role old login password 'old'",
      'alter system set track_activity_query_size = 2048',
      'select pg_reload_conf()',
    ]);
    await appears('settings', /^low: 1 role has its password stored as md5: old$/m);
    await appears('settings', /^medium: settings that were changed wait for a restart: .*$/m);
    await run([
      `do $$ begin execute format('copy (select %L) to %L', 'work_mem = much', current_setting('config_file')); end $$`,
    ]);
    await appears('settings', /^high: the configuration has (?:an error|\d errors): work_mem: .*, line 1 of .*$/m);
    await run(['drop role old', 'alter system reset track_activity_query_size', 'select pg_reload_conf()']);
  });
});
