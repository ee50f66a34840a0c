import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, createAccount, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';

const engines: readonly ServerId[] = ['postgres14', 'postgres18', 'mysql80', 'mysql97', 'mariadb1011'];

describe.each(engines)('the most rows that a statement may change on %s', (id) => {
  const engine = useEngine(id, { shared: true });
  let account: Account;
  let tools: OpenTools;
  const direct = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);
  const execute = async (sql: string, more = {}) => (await tools.call('execute', { connection: 'main', sql, ...more })).text;
  const state = async () => String(await direct('select count(*), sum(a) from things'));
  const isPostgres = () => account.type === 'postgres';

  beforeAll(async () => {
    account = await createAccount(engine(), `max_rows_${id}`);
    await direct(
      'create table things (id int primary key, a int)',
      `insert into things values ${Array.from({ length: 10 }, (_, i) => `(${i}, 1)`).join(', ')}`,
      'create table parts (id int primary key, thing int, foreign key (thing) references things (id) on delete cascade)',
      'insert into parts values (1, 9), (2, 9), (3, 9), (4, 9)',
    );
    tools = await openTools([{ ...account, name: 'main', maxRows: 3, noWhere: 'allow' }]);
  }, 60_000);
  afterAll(() => tools.close());

  it('is kept: more are rolled back, and so many are committed', async () => {
    const before = await state();
    for (const sql of [
      'update things set a = 2',
      'delete from things where id < 4',
      'insert into things select id + 100, 1 from things',
    ])
      expect([sql, await execute(sql)]).toEqual([
        sql,
        expect.stringMatching(
          /^E_TOO_MANY_ROWS: the statement changed (more than 3|\d+) rows, and this connection allows 3, and this client cannot ask the user\./,
        ),
      ]);
    expect(await state()).toBe(before);
    expect(await execute('update things set a = 1 where id < 0')).toBe('UPDATE changed 0 rows.');
    expect(await execute('insert into things values (20, 1), (21, 1), (22, 1)')).toBe('INSERT changed 3 rows.');
    expect(await execute('delete from things where id >= 20')).toBe('DELETE changed 3 rows.');
    expect(await state()).toBe(before);
  });

  it('leaves dry runs, which say how many there are', async () => {
    expect(await execute('delete from things where id < 5', { dry_run: true })).toMatch(/^Dry run: DELETE would change 5 rows/);
  });

  it('counts cascades and triggers where the engine does', async () => {
    if (!isPostgres()) return expect(await execute('delete from things where id = 77')).toBe('DELETE changed 0 rows.');
    const before = await state();
    expect(await execute('delete from things where id = 9')).toMatch(/^E_TOO_MANY_ROWS/);
    await direct(
      'create table log (id int)',
      "create function fill() returns trigger language plpgsql as 'begin insert into log select generate_series(1, 5); return new; end'",
      'create trigger fills after update on things for each row execute function fill()',
    );
    expect(await execute('update things set a = 5 where id = 1')).toMatch(/^E_TOO_MANY_ROWS/);
    await direct('drop trigger fills on things');
    expect(await execute('with x as (update things set a = 2 returning id) select * from x')).toMatch(/^E_TOO_MANY_ROWS/);
    expect(await state()).toBe(before);
    // An error of the statement itself stays one.
    expect(await execute('update things set a = 1 / 0 where id = 1')).toMatch(/^E_\w+ \(22012/);
  });

  it('refuses what cannot be taken back', async () => {
    const before = await state();
    const statements = isPostgres()
      ? ['truncate parts', "do 'begin delete from parts; end'", 'vacuum things']
      : ['truncate table parts', 'do sleep(0)', 'call anything()', 'optimize table things'];
    for (const sql of statements)
      expect([sql, await execute(sql)]).toEqual([
        sql,
        expect.stringMatching(/^E_TOO_MANY_ROWS: .*this client cannot ask the user/),
      ]);
    if (!isPostgres()) {
      await direct('create table plain (id int) engine = MyISAM', 'insert into plain values (1)');
      expect(await execute('delete from plain')).toMatch(/^E_TOO_MANY_ROWS: one of its tables has no transactions/);
    }
    expect(await state()).toBe(before);
    expect(await execute('create table more (id int)')).toBe('CREATE TABLE done.');
  });

  it('cannot be raised by a tool, and is listed', async () => {
    expect((await tools.call('list_connections')).text).toMatch(/maxRows/);
    const { type, host, port, user, password } = account;
    const twin = await tools.call('add_connection', { name: 'twin', type, host, port, user, password });
    expect(twin.text).toMatch(/^E_PERSON_ONLY: connection "main" leads to the same place and has "noWhere"/);
  });
});
