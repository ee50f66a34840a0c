import { type ServerId, useEngine } from '@dbmole/engines';
import mysql from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

const engines: readonly ServerId[] = ['mysql80', 'mysql97', 'mariadb1011'];
const waiting = { timeout: 60_000, interval: 200 };

/** What is wrong with a server as a whole, and with its accounts. */
describe.each(engines)('diagnose of a server, on %s', (id) => {
  const engine = useEngine(id, { settings: { max_connections: '20' } });
  const isMaria = id.startsWith('mariadb');
  let tools: OpenTools;
  const clients: mysql.Connection[] = [];
  const run = (sql: readonly string[]) => runDirect(engine(), sql, 'shop');
  const findings = async (check: string) =>
    (await tools.call('diagnose', { check, limit: 100 })).text.split('\nListed:')[0] ?? '';
  const connect = async (user = engine().user, password = engine().password) => {
    const { host, port } = engine();
    const client = await mysql.createConnection({ host, port, user, password, database: 'shop' });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const closeAll = async () => void (await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined))));
  const appears = async (check: string, found: RegExp) =>
    await vi.waitFor(async () => expect(await findings(check)).toMatch(found), waiting);
  const disappears = async (check: string, found: RegExp) =>
    await vi.waitFor(async () => expect(await findings(check)).not.toMatch(found), waiting);
  /** Finds it, runs what its step says, and finds it no more. */
  const mend = async (check: string, found: RegExp, step: RegExp) => {
    await appears(check, found);
    const lines = (await findings(check)).split('\n');
    const [statement = ''] = step.exec(lines[lines.findIndex((line) => found.test(line)) + 2] ?? '') ?? [];
    expect(statement).not.toBe('');
    await run([statement]);
    await disappears(check, found);
  };

  beforeAll(async () => {
    await runDirect(engine(), ['create database shop']);
    const { host, port, user, password } = engine();
    tools = await openTools([{ type: 'mysql', host, port, user, password, database: 'shop', name: 'shop', tls: 'disable' }]);
  });
  afterEach(closeAll);
  afterAll(() => tools.close());

  it('finds that transactions deadlock each other', async () => {
    await run(['create table seat (id int primary key, at int)', 'insert into seat values (1, 0), (2, 0)']);
    const [one, other] = [await connect(), await connect()];
    for (let round = 0; round < 3; round += 1) {
      for (const [client, seat] of [
        [one, 1],
        [other, 2],
      ] as const) {
        await client.query('begin');
        await client.query(`update seat set at = at + 1 where id = ${seat}`);
      }
      const first = one.query('update seat set at = at + 1 where id = 2').catch(() => undefined);
      const second = other.query('update seat set at = at + 1 where id = 1').catch(() => undefined);
      await Promise.all([first, second]);
      await Promise.all([one.query('rollback'), other.query('rollback')]);
    }
    await appears('settings', /^low: 3 deadlocks were counted since the start of the server$/m);
  });

  it('finds an account that has used up its connections', async () => {
    await run(["create user clerk@'%' identified by 'clerk' with max_user_connections 2", "grant all on shop.* to clerk@'%'"]);
    await connect('clerk', 'clerk');
    await connect('clerk', 'clerk');
    const found = /^high: 'clerk'@'%' uses 2 of the 2 connections that it may have$/m;
    await mend('settings', found, /ALTER USER 'clerk'@'%' WITH MAX_USER_CONNECTIONS 0;/);
  });

  it('finds that the server has few connections left, and has refused clients', async () => {
    await Promise.all(Array.from({ length: 17 }, () => connect()));
    await appears('settings', /^(?:high|medium): \d+ of 20 connections are used, \d+ at most so far$/m);
    for (let more = 0; more < 4; more += 1) await connect().catch(() => undefined);
    await closeAll();
    await appears(
      'settings',
      /^(?:high|medium): \d+ of 20 connections are used, 2\d at most so far; \d+ clients? (?:was|were) refused$/m,
    );
  });

  it('answers an account that may have one connection only', async () => {
    const account = await createAccount(engine(), 'single');
    await run(["alter user single@'%' with max_user_connections 1"]);
    const single = await openTools([{ ...account, name: 'single', tls: 'disable' }]);
    try {
      const checks = ['activity', 'locks', 'indexes', 'tables', 'replication', 'settings', 'privileges'];
      const texts = await Promise.all([
        ...[undefined, ...checks].map(async (check) => (await single.call('diagnose', check ? { check } : {})).text),
        ...[1, 2, 3].map(async (value) => (await single.call('query', { sql: `select ${value}` })).text),
        single.call('list_tables').then(({ text }) => text),
      ]);
      for (const text of texts) expect(text).not.toMatch(/: failed: |too many|max_user/);
    } finally {
      await single.close();
    }
  });

  if (!isMaria) {
    it('finds an account whose plugin the server does not have, and tables that keep nothing', async () => {
      await run([
        "create user ghost@'%' identified by 'ghost'",
        "update mysql.user set plugin = 'gone_auth' where user = 'ghost'",
        'flush privileges',
        'create table gone (id int primary key) engine = blackhole',
      ]);
      const locked = /^medium: 'ghost'@'%' logs in with gone_auth, which this server does not have$/m;
      await mend('settings', locked, /DROP USER 'ghost'@'%'/);
      await mend('tables', /^high: 1 table has the engine BLACKHOLE: gone$/m, /ALTER TABLE gone ENGINE=InnoDB;/);
    });

    it('finds a redo log that is disabled', async () => {
      await run(['alter instance disable innodb redo_log']);
      await mend('settings', /^high: the redo log of InnoDB is disabled$/m, /ALTER INSTANCE ENABLE INNODB REDO_LOG;/);
    });

    it('finds a constraint that is not enforced', async () => {
      await run([
        'create table rated (id int primary key, stars int, constraint rated_stars check (stars between 1 and 5) not enforced)',
      ]);
      await mend(
        'tables',
        /^low: constraint rated_stars of rated is not enforced$/m,
        /ALTER TABLE rated ALTER CHECK rated_stars ENFORCED;/,
      );
    });
  }
});
