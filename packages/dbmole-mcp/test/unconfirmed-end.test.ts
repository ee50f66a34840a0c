import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

describe('a statement that the server does not stop', () => {
  const engine = useEngine('postgres18', { shared: true });
  let account: Account;
  let tools: OpenTools;
  const frozen: number[] = [];

  beforeAll(async () => {
    account = await createAccount(engine(), 'unconfirmed_end');
    tools = await openTools([{ ...account, name: 'main' }]);
  });
  afterAll(async () => {
    thaw();
    await tools.close();
  });

  const list = async () => (await tools.call('list_connections')).text;
  const findPids = async (condition: string) => {
    const sql = `select pid from pg_stat_activity where usename = '${account.user}' and ${condition}`;
    return (await runDirect(engine(), [sql])).map(([pid]) => Number(pid));
  };
  function thaw(): void {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  }

  /** Each of them runs in a process that hears nothing any more. */
  async function freeze(count: number): Promise<string[]> {
    const sql = 'select pg_sleep(60) /* frozen */';
    const calls = Array.from({ length: count }, () => tools.call('query', { sql, timeout_ms: 5_000 }));
    await expect.poll(() => findPids("state = 'active' and query like '%frozen%'"), { timeout: 5_000 }).toHaveLength(count);
    for (const pid of await findPids("state = 'active' and query like '%frozen%'")) frozen.push(pid);
    for (const pid of frozen) process.kill(pid, 'SIGSTOP');
    return (await Promise.all(calls)).map(({ text }) => text);
  }

  it('is noted until it has ended', async () => {
    const [answer] = await freeze(1);
    expect(answer).toMatch(/^E_TIMEOUT: .*, so it may still be running\./);
    expect(await list()).toContain('1 statement that was given up may still be running');
    expect((await tools.call('query', { sql: 'select 1 as one' })).text).toContain('one');
    thaw();
    await expect.poll(list, { timeout: 20_000 }).not.toContain('may still be running');
  });

  it('keeps its session, and no other takes the place of it', async () => {
    await freeze(4);
    const more = async () => (await tools.call('query', { sql: 'select 1', timeout_ms: 300 })).text;
    await expect.poll(more, { timeout: 10_000 }).toMatch(/^E_POOL_BUSY: all 4 sessions .*still running in the database: 4\)/);
    expect(await list()).toContain('4 statements that were given up may still be running');
    expect(await findPids('true')).toHaveLength(4);
    thaw();
    await expect.poll(list, { timeout: 20_000 }).not.toContain('may still be running');
    expect((await tools.call('query', { sql: 'select 1 as one' })).text).toContain('one');
  });
});
