import { type RunningEngine, type ServerId, useEngine } from '@dbmole/engines';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

const waiting = { timeout: 10_000, interval: 200 };
const engines: readonly ServerId[] = ['mysql80', 'mysql97', 'mariadb1011'];
const settings = { log_bin: 'binlog', innodb_flush_log_at_trx_commit: '1', innodb_doublewrite: 'ON' };

describe.each(engines)('diagnose of replication on %s', (id) => {
  const source = useEngine(id, { settings: { ...settings, server_id: '1' } });
  const replica = useEngine(id, { settings: { ...settings, server_id: '2' } });
  const isMaria = id.startsWith('mariadb');
  let tools: OpenTools;
  const run = (sql: readonly string[]) => runDirect(source(), sql);
  const runThere = (sql: readonly string[]) => runDirect(replica(), sql);
  const findings = async (connection = 'replica') =>
    (await tools.call('diagnose', { connection, check: 'replication' })).text.split('\nListed:')[0] ?? '';
  const isHealthy = async () =>
    await vi.waitFor(
      async () => expect(await findings()).toMatch(/^replication: No findings\. This server is a replica/),
      waiting,
    );
  const stop = isMaria ? 'stop slave' : 'stop replica';
  const start = isMaria ? 'start slave' : 'start replica';

  beforeAll(async () => {
    const connect = (name: string, { host, port, user, password }: RunningEngine) => ({
      name,
      host,
      port,
      user,
      password,
      type: 'mysql' as const,
      tls: 'disable',
    });
    tools = await openTools([connect('source', source()), connect('replica', replica())]);
    await run([
      "create user reader identified by 'reader'",
      'grant replication slave on *.* to reader',
      `reset ${id === 'mysql97' ? 'binary logs and gtids' : 'master'}`,
    ]);
    const { host, port } = source();
    await runThere([
      isMaria
        ? `change master to master_host='${host}', master_port=${port}, master_user='reader', master_password='reader', master_connect_retry=1`
        : `change replication source to source_host='${host}', source_port=${port}, source_user='reader', source_password='reader', get_source_public_key=1, source_connect_retry=1`,
      start,
    ]);
    await run([
      'create database shop',
      'create table shop.item (id int primary key, name varchar(20))',
      "insert into shop.item values (1, 'a')",
    ]);
  }, 60_000);
  afterAll(async () => await tools.close());

  it('has no finding on a healthy source and its replica', async () => {
    await isHealthy();
    await vi.waitFor(async () => expect(await runThere(['select id from shop.item'])).toHaveLength(1), waiting);
    expect(await findings('source')).toMatch(
      /^replication: No findings\. This server is not a replica\. 1 replica reads from it/,
    );
    expect(await findings()).toContain('1 channel');
  });

  it('finds a replica that has stopped at an error, with the error', async () => {
    await runThere(["insert into shop.item values (2, 'replica')"]);
    await run(["insert into shop.item values (2, 'source')"]);
    await vi.waitFor(
      async () =>
        expect(await findings()).toMatch(
          /^high: replication of the default channel is stopped: receiving ON, applying OFF.*error: .*Duplicate entry '2'/m,
        ),
      waiting,
    );
    expect(await findings()).toMatch(/^ {2}Next: Repair what the error names; then START REPLICA;$/m);
    await runThere(['delete from shop.item where id = 2', start]);
    await isHealthy();
  });

  it('finds a replica that cannot reach its source', async () => {
    await run(['set sql_log_bin = 0', "alter user reader identified by 'other'"]);
    await runThere([stop, start]);
    await vi.waitFor(
      async () =>
        expect(await findings()).toMatch(
          /^high: replication of the default channel does not reach its source: receiving CONNECTING.*error: .*reader/m,
        ),
      waiting,
    );
    await run(['set sql_log_bin = 0', "alter user reader identified by 'reader'"]);
    await isHealthy();
  });

  it('finds a replica that is behind', async () => {
    const { host, port, user, password } = replica();
    const holder = await mysql.createConnection({ host, port, user, password });
    await holder.query('begin');
    await holder.query("update shop.item set name = 'held' where id = 1");
    const change = "update shop.item set name = 'late' where id = 1";
    const now = Math.floor(Date.now() / 1000);
    if (isMaria) {
      // The replica takes the clock of its source to be an hour ahead, so that every change seems to be an hour old.
      await run([`set global init_connect = 'set timestamp = ${now + 3600}'`]);
      await runThere([stop, start]);
    }
    await run([...(isMaria ? [] : [`set original_commit_timestamp = ${now - 3600}000000`]), change]);
    try {
      await vi.waitFor(
        async () => expect(await findings()).toMatch(/^high: the default channel is 1(?:\.\d)? h behind$/m),
        waiting,
      );
    } finally {
      await holder.end();
      if (isMaria) await run(["set global init_connect = ''"]);
    }
    await isHealthy();
  });
});
