import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDelayingProxy } from './delaying-proxy.ts';
import { type Account, createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

/** This is far longer than the work in between, so that the time of a call tells how many it waited for. */
const roundTripMs = 150;
const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

describe.each(engines)('a call on a known session of %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let proxy: Awaited<ReturnType<typeof startDelayingProxy>>;
  let tools: OpenTools;

  beforeAll(async () => {
    account = await createAccount(engine(), `round_trips_${process.pid}`);
    proxy = await startDelayingProxy(engine(), roundTripMs / 2);
    tools = await openTools([{ ...account, name: 'far', port: proxy.port, tls: 'disable' }]);
    await tools.call('execute', { sql: 'create table items (id int primary key, name text, made timestamp)' });
  });
  afterAll(async () => {
    await tools.close();
    await proxy.close();
    const isPostgres = account.type === 'postgres';
    await runDirect(engine(), [`drop database ${account.database}`, `drop ${isPostgres ? 'role' : 'user'} ${account.user}`]);
  });

  const placeholder = () => (account.type === 'postgres' ? '$1' : '?');

  it.each<[string, (call: number) => Record<string, unknown>, number]>([
    ['query', () => ({ sql: 'select id, name from items' }), 1],
    ['query', (call) => ({ sql: `select id, name from items where id > ${call}` }), 1],
    ['query', (call) => ({ sql: `select made from items where id > ${call}` }), 1],
    ['query', (call) => ({ sql: `select id, name from items where id > ${placeholder()}`, params: [call] }), 1],
    ['query', (call) => ({ sql: 'select id, name from items', limit: 10 + call, timeout_ms: 20_000 + call }), 1],
    ['list_tables', () => ({}), 1],
    ['describe_table', () => ({ tables: ['items'] }), 1],
    ['test_connection', () => ({}), 2],
  ])('waits for few answers of the server: %s', async (tool, readArgs, maxTrips) => {
    const times: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      const started = performance.now();
      const { isError, text } = await tools.call(tool, readArgs(call));
      times.push(performance.now() - started);
      expect(isError ? text : '').toBe('');
    }
    // The first calls make the session known.
    expect(Math.floor(Math.min(...times.slice(2)) / roundTripMs)).toBeLessThanOrEqual(maxTrips);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(roundTripMs);
  });
});
