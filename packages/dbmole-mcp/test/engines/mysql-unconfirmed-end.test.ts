import { setTimeout as delay } from 'node:timers/promises';
import { type RunningEngine, useEngine } from '@dbmole/engines';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { failureOf, mysqlEngines, read, readValue } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

const statement = 'SELECT SLEEP(60) /* frozen */';

const asleep = "state = 'User sleep'";

/** The condition does not match its own text: the server lists a statement for a moment after it was answered. */
async function countThreads(server: RunningEngine, condition = "info LIKE CONCAT('%fro', 'zen%')"): Promise<number> {
  const sql = `SELECT COUNT(*) FROM information_schema.processlist WHERE ${condition}`;
  return Number((await runDirect(server, [sql]))[0]?.[0]);
}

describe.each(mysqlEngines)('a statement that %s does not stop', (id) => {
  const server = useEngine(id, { restartable: true });
  const openSession = useSessions(server);
  const thaw = () => server().control?.signal('SIGCONT');
  afterEach(thaw);

  /** The server hears nothing once they all run. */
  async function freezeWhenRunning(count: number, condition?: string): Promise<void> {
    await expect.poll(() => countThreads(server(), condition), { timeout: 5_000 }).toBe(count);
    server().control?.signal('SIGSTOP');
    // Its threads stop one after the other.
    await delay(100);
  }

  it.each([
    ['the caller', {}, { name: 'AbortError' }],
    ['the time limit', { timeoutMs: 2_500 }, { kind: 'timeout' }],
  ])('is given up for %s, and its end is reported later', async (giver, limits, failure) => {
    const session = await openSession();
    const aborter = new AbortController();
    const failing = failureOf(read(session, statement, { signal: aborter.signal, ...limits }));
    // While it is only prepared, nothing is running that could be given up.
    await freezeWhenRunning(1, asleep);
    if (giver === 'the caller') aborter.abort();
    expect(await failing).toMatchObject(failure);
    expect(session.alive).toBe(false);
    const waiting = new Promise((resolve) => setTimeout(() => resolve('still running'), 300));
    expect(await Promise.race([session.pendingEnd, waiting])).toBe('still running');
    thaw();
    await session.pendingEnd;
    expect(await countThreads(server(), asleep)).toBe(0);
  });

  it('is not pending when it could be stopped', async () => {
    const session = await openSession();
    expect(await failureOf(read(session, statement, { timeoutMs: 300 }))).toMatchObject({ kind: 'timeout' });
    expect([session.alive, session.pendingEnd]).toEqual([true, undefined]);
    expect(await readValue(session, 'SELECT 7')).toBe('7');
  });

  describe('is reported by the tools', () => {
    let tools: OpenTools;
    beforeAll(async () => {
      const { host, port, user, password } = server();
      tools = await openTools([{ name: 'main', type: 'mysql', host, port, user, password }]);
    });
    afterAll(() => tools.close());

    it('until it has ended, and keeps its place among the sessions', async () => {
      // The guard lets no SLEEP pass.
      const sql = `SELECT COUNT(*) /* frozen */ FROM ${Array.from({ length: 9 }, (_, n) => `information_schema.columns c${n}`)}`;
      const list = async () => (await tools.call('list_connections')).text;
      const calls = Array.from({ length: 4 }, () => tools.call('query', { sql, timeout_ms: 2_500 }));
      await freezeWhenRunning(4);
      for (const { text } of await Promise.all(calls)) expect(text).toMatch(/^E_TIMEOUT: .*, so it may still be running\./);
      const more = async () => (await tools.call('query', { sql: 'SELECT 1', timeout_ms: 300 })).text;
      await expect.poll(more, { timeout: 10_000 }).toMatch(/^E_POOL_BUSY: all 4 sessions .*still running in the database: 4\)/);
      expect(await list()).toContain('4 statements that were given up may still be running');
      thaw();
      await expect.poll(list, { timeout: 10_000 }).not.toContain('may still be running');
      expect((await tools.call('query', { sql: 'SELECT 1 AS one' })).text).toContain('one');
    });
  });
});
