import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTools, openTools } from '../open-tools.ts';
import { shopSql } from './shop-sqlite.ts';
import { fingerprint, readSql, runSql, useSqlite } from './sqlite-file.ts';

describe('execute on SQLite', () => {
  const node = useSqlite(24);
  let tools: OpenTools;
  let folder: string;
  let file: string;
  const execute = async (sql: string | readonly string[], more: object = {}) =>
    (await tools.call('execute', { connection: 'main', sql, ...more })).text;
  const count = (table: string) => readSql(node(), file, `select count(*) as n from ${table}`)[0]?.n;

  beforeAll(async () => {
    const own = { type: 'sqlite', file: './data/app.db' };
    tools = await openTools([
      { name: 'main', ...own },
      { name: 'guarded', ...own, readonly: true },
      { name: 'limited', ...own, maxRows: 3 },
      { name: 'data', ...own, writes: { dml: 'allow', ddl: 'never' } },
      { name: 'asking', ...own, writes: 'ask' },
    ]);
    folder = join(tools.folder, 'data');
    mkdirSync(folder);
    file = join(folder, 'app.db');
    runSql(node(), file, shopSql);
  });
  afterAll(() => tools.close());

  it('changes rows, commits, and says how many', async () => {
    expect(await execute("insert into exact values (1, 'a'), (2, 'b'), (3, 'c')")).toBe('INSERT changed 3 rows.');
    expect(await execute('update exact set b = 7 where a = ?', { params: [1] })).toBe('UPDATE changed 1 row.');
    expect(await execute('delete from exact where a = 99')).toBe('DELETE changed 0 rows.');
    expect(await execute('insert into exact values (4, 5) returning a, b')).toContain('a,b\n4,5');
    expect(await execute('with n as (select 5 as a) insert into exact select a, a from n')).toBe('INSERT changed 1 row.');
    expect(count('exact')).toBe(5);
  });

  it('takes everything back in a dry run, definitions included', async () => {
    const before = fingerprint(folder);
    expect(await execute("update orders set status = 'x' where id < 4", { dry_run: true })).toContain(
      'Dry run: UPDATE would change 3 rows; rolled back.',
    );
    expect(await execute('drop table order_lines', { dry_run: true })).toMatch(/^Dry run: DROP TABLE/);
    expect(await execute('vacuum', { dry_run: true })).toContain('E_NO_DRY_RUN');
    expect(fingerprint(folder)).toEqual(before);
  });

  it('commits all statements of a list, or none', async () => {
    expect(await execute(['create table made (a)', 'insert into made values (1)'])).toContain('All 2 statements were committed.');
    expect(await execute(['insert into made values (2)', 'insert into nowhere values (1)'])).toContain('E_UNKNOWN_TABLE');
    expect(await execute(['insert into made values (3)', 'vacuum'])).toContain('E_IMPLICIT_COMMIT');
    expect(count('made')).toBe(1);
  });

  it('enforces foreign keys and checks, and says which', async () => {
    expect(await execute('insert into orders (id, customer_id, total) values (999, 12345, 1)')).toContain('E_CONSTRAINT');
    expect(await execute('insert into orders (id, customer_id, total) values (999, 1, -1)')).toContain('CHECK constraint failed');
  });

  it('obeys the policy of the connection', async () => {
    const before = fingerprint(folder);
    const code = async (connection: string, sql: string) => (await tools.call('execute', { connection, sql })).text.split(':')[0];
    expect(await code('guarded', 'delete from exact where a = 1')).toBe('E_READONLY');
    expect(await code('main', 'delete from audits')).toBe('E_NO_WHERE');
    expect(await code('main', 'update audits set order_id = 1 where 1 = 1')).toBe('E_NO_WHERE');
    // Each row has a trigger that adds one.
    expect(await code('limited', "update orders set status = 'x' where id < 3")).toBe('E_TOO_MANY_ROWS');
    expect(await code('data', 'create table a (b)')).toBe('E_WRITES_NEVER');
    expect(await code('main', 'begin')).toBe('E_REFUSED');
    expect(fingerprint(folder)).toEqual(before);
  });

  it('shows a person what a change would do', async () => {
    const text = (await tools.call('execute', { connection: 'asking', sql: "update orders set status = 'x' where id < 3" })).text;
    expect(text).toContain('E_APPROVAL_NEEDED');
    expect(text).toContain(
      'UPDATE orders: 2 of 200 rows, also changes rows by triggers and foreign keys (2); triggers audit_orders (orders)',
    );
  });

  it('runs nothing that reaches other files, or that can damage this one', async () => {
    const before = fingerprint(folder);
    const out = join(tools.folder, 'evil.db');
    for (const sql of [
      `attach '${out}' as evil`,
      `vacuum into '${out}'`,
      'pragma writable_schema = on',
      'pragma journal_mode = off',
      "select load_extension('x')",
      'insert into audits select 1; delete from orders',
      'explain select 1',
    ])
      expect([sql, await execute(sql)]).toEqual([sql, expect.stringMatching(/^E_(?:REFUSED|NOT_A_READ|MULTIPLE_STATEMENTS)/)]);
    expect(fingerprint(folder)).toEqual(before);
    expect(
      await execute('create trigger t after delete on exact begin insert into audits values (1); delete from made; end'),
    ).toBe('CREATE TRIGGER done.');
    expect(await execute('vacuum')).toBe('VACUUM done.');
  });
});
