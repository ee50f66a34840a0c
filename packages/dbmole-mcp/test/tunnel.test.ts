import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeTunnelled, readText, ServerProcess } from '@dbmole/core/testing';
import { type ServerId, useEngine, useTopology } from '@dbmole/engines';
import { describe, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { countSessions, createAccount, runDirect } from './direct.ts';

const engines: readonly [ServerId, 'postgres' | 'mysql', RegExp][] = [
  ['postgres18', 'postgres', /PostgreSQL 18/],
  ['mysql97', 'mysql', /MySQL 9\.7/],
  ['mariadb1011', 'mysql', /MariaDB 10\.11/],
];

describe.each(engines)('%s', (id, type, answers) => {
  const engine = useEngine(id, { shared: true });
  const topology = useTopology();

  describeTunnelled({
    name: 'dbmole-mcp',
    file: bin,
    envVar: 'DBMOLE_CONNECTIONS',
    answers,
    connection() {
      const { host, port, user, password } = engine();
      return { type, host, port, user, password };
    },
    topology,
  });

  it('a write whose way is lost is not sent again, and said to be in doubt; the next call works', async () => {
    const { bastion, privateKeyFile: privateKey, knownHostsFile } = topology();
    const account = await createAccount(engine(), `lost_way_${process.pid}`);
    const ssh = { host: bastion.host, port: bastion.port, user: bastion.user, privateKey };
    const server = new ServerProcess({
      file: bin,
      env: { DBMOLE_CONNECTIONS: JSON.stringify([{ ...account, name: 'shop', tls: 'disable', ssh }]) },
    });
    try {
      mkdirSync(join(server.home, '.ssh'));
      copyFileSync(knownHostsFile, join(server.home, '.ssh', 'known_hosts'));
      await server.initialize();
      const execute = async (sql: string) => readText(await server.callTool('execute', { sql }));
      await execute('create table orders (note text)');
      const sleep = type === 'postgres' ? 'pg_sleep(8)' : 'sleep(8)';
      const answer = execute(`insert into orders select concat('once', ${sleep})`);
      await expect.poll(() => countSleeping(account.user), { timeout: 20_000 }).toBe(1);
      await bastion.killSessions();
      expect(await answer).toContain('E_OUTCOME_UNKNOWN');
      await expect.poll(() => countSessions(engine(), account.user), { timeout: 20_000 }).toBe(0);
      expect(readText(await server.callTool('query', { sql: 'select count(*) as orders from orders' }))).toMatch(/^[01]$/m);
    } finally {
      await server.stop();
    }
  });

  async function countSleeping(user: string): Promise<number> {
    const sleeping =
      type === 'postgres'
        ? `pg_stat_activity where usename = '${user}' and state = 'active' and query like 'insert%'`
        : `information_schema.processlist where user = '${user}' and info like 'insert%'`;
    const [row] = await runDirect(engine(), [`select count(*) from ${sleeping}`]);
    return Number(row?.[0]);
  }
});
