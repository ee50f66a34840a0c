import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

const engines: readonly ServerId[] = ['postgres18', 'mysql97', 'mariadb1011'];

describe.each(engines)('the policy for writes on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let tools: OpenTools;
  const direct = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);

  beforeAll(async () => {
    account = await createAccount(engine(), `policy_${id}`);
    await direct('create table things (id int primary key)');
    tools = await openTools([
      { ...account, name: 'rows', environment: 'staging', writes: { ddl: 'never' } },
      { ...account, name: 'tables', writes: { dml: 'never' } },
      { ...account, name: 'nothing', writes: 'never' },
      { ...account, name: 'wrong', writes: { dml: 'sometimes' } },
    ]);
  }, 60_000);
  afterAll(() => tools.close());

  it('refuses structure where only data may change', async () => {
    const execute = async (sql: string) => (await tools.call('execute', { connection: 'rows', sql })).text;
    expect(await execute('insert into things values (1)')).toBe('INSERT changed 1 row.');
    expect(await execute('drop table things')).toBe(
      'E_WRITES_NEVER: the statement changes structure, which the connection "rows" does not allow; nothing was run.\n' +
        'Next: Only the user can change "writes" (ddl is never), where the connection is defined.',
    );
    expect(await execute('truncate table things')).toMatch(/^E_WRITES_NEVER: the statement may change structure/);
    expect(String(await direct('select count(*) from things'))).toBe('1');
  });

  it('refuses data where only structure may change', async () => {
    const execute = async (sql: string) => (await tools.call('execute', { connection: 'tables', sql, dry_run: false })).text;
    expect(await execute('delete from things')).toMatch(/^E_WRITES_NEVER: the statement changes data/);
    expect(await execute('create table more (id int)')).toBe('CREATE TABLE done.');
    expect(await execute('drop table more')).toBe('DROP TABLE done.');
  });

  it('is named instead of execute where that would refuse the statement', async () => {
    const query = async (connection: string, sql: string) => (await tools.call('query', { connection, sql })).text;
    expect(await query('rows', 'drop table things')).toMatch(
      /^E_NOT_A_READ.*\n(?:At: .*\n.*\n)?Next: Only the user can change "writes" \(ddl is never\)/,
    );
    expect(await query('rows', 'delete from things')).toMatch(/^E_NOT_A_READ.*\n(?:At: .*\n.*\n)?Next: Call execute to run it/);
    expect(await query('tables', 'delete from things')).toMatch(/Next: Only the user can change "writes" \(dml is never\)/);
    const several = await tools.call('query', { connection: 'rows', sql: ['select 1', 'drop table things'] });
    expect(several.text).toContain('Only the user can change "writes" (ddl is never)');
    expect(several.text).not.toContain('Call execute');
  });

  it('is read-only where nothing may change', async () => {
    expect((await tools.call('execute', { connection: 'nothing', sql: 'delete from things' })).text).toMatch(/^E_READONLY: /);
  });

  it('is listed in short, and a wrong value is named', async () => {
    const { text } = await tools.call('list_connections');
    expect(text).toMatch(/^name,.*,environment,writes,readonly,/m);
    expect(text).toMatch(/^rows,.*,staging,"dml allow, ddl never",false,/m);
    expect(text).toMatch(/^nothing,.*,true,/m);
    expect(text).toMatch(
      /connection ""wrong"".*DBMOLE_CONNECTIONS.*the key ""writes\.dml"" must be one of ""never"", ""ask"", ""allow""/,
    );
  });

  it('cannot be changed or avoided by a tool', async () => {
    const update = await tools.call('update_connection', { name: 'rows', writes: 'allow' });
    expect(update.text).toMatch(/^E_INPUT/);
    const { type, host, port, user, password } = account;
    const twin = await tools.call('add_connection', { name: 'twin', type, host, port, user, password });
    expect(twin.text).toMatch(/^E_PERSON_ONLY: connection "rows" leads to the same place and has "writes"/);
  });
});
