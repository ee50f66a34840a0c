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

  it('says what became of a change that was stopped', async () => {
    const isPostgres = account.type === 'postgres';
    await tools.call('execute', { sql: 'create table slow (id int)', timeout_ms: 20_000 });
    const slow = isPostgres ? 'select 1 from pg_sleep(5)' : 'select sleep(5)';
    const { text } = await tools.call('execute', { sql: `insert into slow ${slow}` });
    expect(text).toMatch(/^E_TIMEOUT.* did not finish within 250 ms; it was rolled back and nothing was changed\./);
    expect((await tools.call('query', { sql: 'select * from slow', timeout_ms: 20_000 })).text).toBe('No rows.');
    const own = isPostgres ? 'do $$ begin perform pg_sleep(5); end $$' : 'do sleep(5)';
    expect((await tools.call('execute', { sql: own })).text).toMatch(/^E_TIMEOUT.*; what it committed on its own remains\./);
  });

  it('says of a call that only waited that nothing was run', async () => {
    const sql = account.type === 'postgres' ? 'select pg_sleep(9)' : 'select sleep(9)';
    const answers = await Promise.all(Array.from({ length: 12 }, () => tools.call('execute', { sql, timeout_ms: 2_000 })));
    const waited = answers.filter(({ text }) => text.includes('nothing was run'));
    const ran = answers.filter(({ text }) => /rolled back|committed on its own/.test(text));
    const said = answers.map(({ text }) => text).join('\n');
    expect(waited.length, said).toBeGreaterThan(3);
    expect(waited.length + ran.length, said).toBe(12);
  });
});
