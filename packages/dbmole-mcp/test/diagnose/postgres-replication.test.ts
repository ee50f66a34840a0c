import { type RunningEngine, type ServerId, startEngine, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

const waiting = { timeout: 30_000, interval: 200 };
const engines: readonly ServerId[] = ['postgres14', 'postgres18'];
const healthy = {
  fsync: 'on',
  full_page_writes: 'on',
  wal_level: 'logical',
  max_wal_size: '4GB',
  wal_init_zero: 'off',
  wal_retrieve_retry_interval: '500ms',
};

describe.each(engines)('diagnose of replication on %s', (id) => {
  const primary = useEngine(id, { restartable: true, settings: healthy });
  let standby: RunningEngine;
  let tools: OpenTools;
  const isOld = id === 'postgres14';
  const run = (sql: readonly string[], database?: string) => runDirect(primary(), sql, database);
  const runThere = (sql: readonly string[]) => runDirect(standby, sql);
  const ask = async (connection: string, check: string) => (await tools.call('diagnose', { connection, check })).text;
  const findings = async (connection: string) => (await ask(connection, 'replication')).split('\nListed:')[0] ?? '';
  const isHealthy = async (connection: string) =>
    await vi.waitFor(async () => expect(await findings(connection)).toMatch(/^replication: No findings\./), waiting);

  beforeAll(async () => {
    standby = await startEngine(id, { standbyOf: primary(), restartable: true, settings: healthy });
    const connect = (name: string, { host, port, user, password }: RunningEngine, database: string) => ({
      name,
      host,
      port,
      user,
      password,
      database,
      type: 'postgres' as const,
      tls: 'disable',
    });
    await run(['create database publisher', 'create database subscriber']);
    tools = await openTools([
      connect('primary', primary(), 'postgres'),
      connect('subscriber', primary(), 'subscriber'),
      connect('standby', standby, 'postgres'),
    ]);
  }, 120_000);
  afterAll(async () => {
    await tools.close();
    await standby.stop();
  });

  it('has no finding in any check of a healthy primary and its standby', async () => {
    for (const connection of ['primary', 'standby']) {
      await isHealthy(connection);
      for (const check of ['settings', 'activity', 'locks', 'indexes', 'tables', 'privileges'])
        expect(await ask(connection, check), connection).toMatch(new RegExp(`^${check}: No findings\\.`));
      expect((await tools.call('diagnose', { connection })).text).toMatch(/^No check found anything/);
    }
    expect(await ask('primary', 'replication')).toMatch(/^ {2}standby standby \(127\.0\.0\.1(?:\/32)?\): streaming, async/m);
    expect(await ask('standby', 'replication')).toContain('This server is a standby.');
  });

  it('finds a standby whose replay is paused and that falls behind, on both sides', async () => {
    await runThere(['select pg_wal_replay_pause()']);
    expect(await findings('standby')).toMatch(/^medium: replay is paused on this standby, with /m);
    // A gigabyte takes seconds to write, so it is written on one version only.
    if (!isOld) {
      // Each switch leaves a file of 16 MB.
      await run([
        'create table written (id int)',
        ...Array.from({ length: 66 }, () => ['insert into written values (1)', 'select pg_switch_wal()']).flat(),
      ]);
      await vi.waitFor(async () => {
        expect(await findings('primary')).toMatch(
          /^medium: standby standby \(127\.0\.0\.1.*, streaming\) is .* and 1(?:\.\d+)? GB behind$/m,
        );
        expect(await findings('standby')).toMatch(
          /^high: replay is paused on this standby, with 1(?:\.\d+)? GB received and not replayed/m,
        );
      }, waiting);
    }
    const [step = ''] = /select pg_wal_replay_resume\(\);/.exec(await findings('standby')) ?? [];
    await runThere([step]);
    for (const connection of ['primary', 'standby']) await isHealthy(connection);
  }, 90_000);

  it('finds commits that wait for a standby that is not there', async () => {
    await run(["alter system set synchronous_standby_names = 'gone'", 'select pg_reload_conf()']);
    await vi.waitFor(
      async () =>
        expect(await findings('primary')).toMatch(/^high: synchronous_standby_names is gone, and no such standby is connected$/m),
      waiting,
    );
    const [step = ''] =
      /ALTER SYSTEM SET synchronous_standby_names = ''; select pg_reload_conf\(\);/.exec(await findings('primary')) ?? [];
    await run(step.split('; '));
    await isHealthy('primary');
  });

  it('finds a subscription that fails, and one that is switched off', async () => {
    const { host, port, user, password } = primary();
    const source = `host=${host} port=${port} user=${user} password=${password} dbname=publisher`;
    await run(
      [
        'create table item (id int primary key)',
        'create publication items for table item',
        "select pg_create_logical_replication_slot('items', 'pgoutput')",
      ],
      'publisher',
    );
    await run(
      [
        'create table item (id int primary key)',
        `create subscription "Items" connection '${source}' publication items with (create_slot = false, slot_name = items)`,
      ],
      'subscriber',
    );
    const isCopied = async () => expect(await run(['select srsubstate from pg_subscription_rel'], 'subscriber')).toEqual([['r']]);
    await vi.waitFor(isCopied, waiting);
    await isHealthy('subscriber');
    await run(['insert into item values (7)'], 'subscriber');
    await run(['insert into item values (7)'], 'publisher');
    const failed = isOld
      ? /^high: subscription "Items" is enabled but does not stay running$/m
      : /^high: subscription "Items" is enabled but does not stay running, its workers have failed [1-9]\d* times$/m;
    await vi.waitFor(async () => expect(await findings('subscriber')).toMatch(failed), waiting);
    await run(['alter subscription "Items" disable'], 'subscriber');
    expect(await findings('subscriber')).toMatch(/^(?:medium|high): subscription "Items" is disabled/m);
    expect(await findings('primary')).toMatch(/^medium: logical slot items is not in use and keeps /m);
    const [enable = ''] = /ALTER SUBSCRIPTION "Items" ENABLE;/.exec(await findings('subscriber')) ?? [];
    await run(['delete from item', enable], 'subscriber');
    await vi.waitFor(async () => expect(await run(['select count(*) from item'], 'subscriber')).toEqual([['1']]), waiting);
    if (!isOld) {
      const [, reset = ''] =
        (await vi.waitFor(async () => {
          const match =
            /^low: subscription "Items" is running, .*\n.*\n {2}Next: It works again; (select .*) resets the count\.$/m.exec(
              await findings('subscriber'),
            );
          expect(match).not.toBeNull();
          return match;
        }, waiting)) ?? [];
      await run([reset], 'subscriber');
    }
    await isHealthy('subscriber');
  }, 90_000);

  it('finds a standby that has lost its primary', async () => {
    await primary().control?.kill();
    await vi.waitFor(
      async () => expect(await findings('standby')).toMatch(/^high: this standby is not connected to its primary/m),
      waiting,
    );
    await primary().control?.start();
    await isHealthy('standby');
  }, 60_000);
});
