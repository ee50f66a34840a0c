import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from './direct.ts';
import { type OpenTools, openTools } from './open-tools.ts';

describe.each(['postgres14', 'postgres18'] as const)('a connection with a schema on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let tools: OpenTools;

  beforeAll(async () => {
    account = await createAccount(engine(), `default_schema_${id}`);
    await runDirect(
      engine(),
      [
        'create schema app; create schema other',
        "create table public.t (v text); insert into public.t values ('public')",
        "create table app.t (v text); insert into app.t values ('app')",
        "create table other.t (v text); insert into other.t values ('other'); create table other.u as select 'u' as v",
        'create function other.latch() returns int language plpgsql as $$ begin perform pg_advisory_lock(1); return 2; end $$',
        `grant usage on schema app, other to ${account.user}; grant select on all tables in schema public, app, other to ${account.user}`,
      ],
      account.database,
    );
    const { user, password, host, port, database } = account;
    const url = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}?sslmode=disable`;
    tools = await openTools([
      { ...account, name: 'plain' },
      { ...account, name: 'field', schema: 'app, other' },
      { name: 'url', url: `${url}&schema=app` },
      { name: 'options', url: `${url}&options=-csearch_path%3Dother` },
    ]);
  }, 60_000);
  afterAll(() => tools.close());

  const query = async (connection: string, sql: string) => (await tools.call('query', { connection, sql })).text;

  it.each([
    ['plain', 'public'],
    ['field', 'app'],
    ['url', 'app'],
    ['options', 'other'],
  ])('%s reads names without a schema from %s, call after call', async (connection, expected) => {
    for (let call = 0; call < 3; call++)
      expect(await query(connection, 'select v from t')).toMatch(new RegExp(`^${expected}$`, 'm'));
  });

  it('looks into several in turn', async () => {
    expect(await query('field', 'select v from u')).toMatch(/^u$/m);
    expect((await tools.call('list_tables', { connection: 'field' })).text).toMatch(/\bu\b/);
  });

  it('holds for changes as well', async () => {
    const { text } = await tools.call('execute', { connection: 'url', sql: 'update t set v = v', dry_run: true });
    expect(text).toContain('permission denied for table t');
  });

  it('does not lead around the guard', async () => {
    for (const name of ['field', 'options'])
      expect(await query(name, 'select latch()')).toMatch(/^E_NOT_A_READ.*pg_advisory_lock/);
  });

  it('is shown in the list', async () => {
    expect((await tools.call('list_connections')).text).toMatch(/^field,.*"app, other"/m);
  });
});
