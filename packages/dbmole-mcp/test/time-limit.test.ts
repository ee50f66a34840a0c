import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];

describe.each(engines)('the time limit of a connection to %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let tools: OpenTools;
  beforeAll(async () => {
    account = await createAccount(engine(), `limit_${id}`);
    tools = await openTools([{ ...account, name: 'short', timeoutMs: 250 }]);
  });
  afterAll(() => tools.close());

  const sleep = (args: object) =>
    tools.call('execute', { sql: account.type === 'postgres' ? 'select pg_sleep(5)' : 'do sleep(5)', ...args });

  it('ends a call that asks for no time of its own', async () => {
    expect((await sleep({})).text).toMatch(/^E_TIMEOUT.*\b250 ms/);
  });

  it('gives way to what a call asks for', async () => {
    expect((await sleep({ timeout_ms: 700 })).text).toMatch(/^E_TIMEOUT.*\b700 ms/);
  });
});
