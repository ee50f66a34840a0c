import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxStatements } from '../../src/statement/statement-list.ts';
import { type Account, runDirect } from '../direct.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { innocent, listAttacks } from './column-attacks.ts';
import { canary, columns, createColumnsWorld } from './columns-world.ts';
import { listPostgresAttacks, postgresInnocent } from './postgres-column-attacks.ts';

const engines: readonly (readonly [ServerId, number])[] = [
  ['postgres14', 14],
  ['postgres18', 18],
];

describe.each(engines)('protected columns on %s', (id, major) => {
  const engine = useEngine(id, { shared: true });
  let folder: string;
  let account: Account;
  let tools: OpenTools;
  const call = async (tool: string, args: Record<string, unknown>) =>
    (await tools.call(tool, { connection: 'main', ...args })).text;
  const query = async (sql: string, connection = 'main') => await call('query', { sql, connection });
  const run = async (...statements: string[]) => await runDirect({ ...engine(), ...account }, statements, account.database);
  const attacks = [...listAttacks(), ...listPostgresAttacks(major)];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'columns-'));
    account = await createColumnsWorld(engine(), `columns_${id}`);
    const main = { ...account, columns };
    const connections = [
      { ...main, name: 'main' },
      { ...main, name: 'strict', strict: true },
      { ...account, name: 'open' },
    ];
    tools = await openTools(connections, { DBMOLE_EXPORT_DIR: folder });
  }, 60_000);
  afterAll(async () => {
    await tools.close();
    rmSync(folder, { recursive: true });
  });

  it('shows no protected value in any answer', async () => {
    expect(attacks.length).toBeGreaterThanOrEqual(400);
    const shown: string[] = [];
    let masked = 0;
    for (let i = 0; i < attacks.length; i += maxStatements) {
      const sql = attacks.slice(i, i + maxStatements);
      const text = await call('query', { sql });
      if (canary.test(text) || text.includes('E_INTERNAL')) shown.push(`${sql.join('; ')} -> ${text}`);
      masked += text.match(/by policy/g)?.length ?? 0;
      expect(await call('query', { sql, connection: 'open' }), 'the policy is what hides them').toMatch(canary);
    }
    expect(shown).toEqual([]);
    expect(masked).toBeGreaterThan(280);
  }, 120_000);

  it('hides nothing of statements that show other columns', async () => {
    const hidden: string[] = [];
    for (const sql of [...innocent, ...postgresInnocent]) {
      const [text, whole] = [await query(sql), await query(sql, 'open')];
      if (text !== whole || /by policy/.test(text)) hidden.push(`${sql} -> ${text.slice(0, 400)} / ${whole.slice(0, 300)}`);
    }
    expect(innocent.length + postgresInnocent.length).toBeGreaterThanOrEqual(100);
    expect(hidden).toEqual([]);
  }, 60_000);

  it('keeps pseudonyms and names the columns in the first line', async () => {
    const text = await query('select id, email as mail, password, iban, phone from users order by id limit 1');
    expect(text.split('\n')[0]).toContain(
      '3 columns masked by policy (email, iban, phone). 1 column left out by policy (password).',
    );
    const [, header, row = ''] = text.split('\n');
    expect(header).toBe('id,mail,iban,phone');
    expect(row).toMatch(/^1,p_[0-9a-f]{16},\*\*\*1001,\*\*\*$/);
    const [, pseudonym = ''] = row.split(',');
    expect(await query('select contact from contacts where id = 1')).toContain(pseudonym);
  });

  it('shows no value in other answers', async () => {
    const answers = await Promise.all([
      call('describe_table', { tables: ['users', 'people', 'kept', 'generated'], parts: ['stats', 'sample'] }),
      call('describe_table', { tables: ['users', 'contacts', 'everything', 'patients', 'people'] }),
      call('explain', { sql: 'select * from users u join orders o on o.user_id = u.id order by u.email', analyze: true }),
      call('explain', { sql: "select id from users where email = 'x' and phone > 'a'", raw: true }),
      call('explain', { sql: 'select email::int from users', analyze: true }),
      call('search_schema', { text: 'email' }),
      call('query', {
        sql: ['select email from users', 'select u from users u', 'select id from users', 'select email::int from users'],
      }),
      call('diagnose', { check: 'index_advice', sql: 'select * from users where phone = $1 and salary > $2' }),
    ]);
    for (const text of answers) expect(text).not.toMatch(canary);
    expect(answers[0]).toContain('name 1');
    const counted = '(select count(*) from generate_series(1, (select salary - 7070000 from users where id = 3)))';
    for (const sql of [`select ${counted}`, `select * from ${counted} t`])
      expect(await call('explain', { sql, analyze: true })).toMatch(/^E_PROTECTED_COLUMN/);
    expect(await call('explain', { sql: `select ${counted}` })).toMatch(/^Plan/);
    expect(await call('explain', { sql: "select id from users where phone > 'a' limit 3", analyze: true })).toMatch(/^Plan/);
    expect(await call('export_query', { sql: 'select * from users', file: 'users.csv' })).toContain('columns masked by policy');
    expect(readFileSync(join(folder, 'users.csv'), 'utf8')).not.toMatch(canary);
  }, 30_000);

  it('shows no error of code behind a table that has nothing to hide', async () => {
    await run(
      'create table tickets (id int primary key, title text)',
      "insert into tickets values (1, 'one')",
      "create function check_ticket(i int) returns boolean language plpgsql as $$ begin raise exception 'by %', (select email from users where id = i); end $$",
      'create function cast_ticket(i int) returns boolean language sql as $$ select (select email from users where id = i)::int > 0 $$',
      "create function city_ticket(i int) returns boolean language plpgsql as $$ begin raise exception 'in %', (select city from users where id = i); end $$",
      ...['check', 'cast', 'city'].flatMap((name) => [
        `create table ${name}_tickets as select * from tickets`,
        `create policy own on ${name}_tickets using (${name}_ticket(id))`,
        `alter table ${name}_tickets enable row level security`,
        `alter table ${name}_tickets force row level security`,
        `create view ${name}_view as select title from ${name}_tickets`,
      ]),
    );
    for (const name of ['check', 'cast']) {
      for (const sql of [
        `select * from ${name}_tickets`,
        `select title from ${name}_view`,
        `explain analyze select 1 from ${name}_tickets`,
      ]) {
        const text = await query(sql);
        expect(text, sql).toMatch(/^E_/);
        expect(text, sql).not.toMatch(canary);
      }
    }
    // What it reads is not protected.
    expect(await query('select * from city_tickets')).toContain('in city 1');
  }, 30_000);

  it('judges what writes return and copy', async () => {
    const returning = [
      "insert into users (id, name, email) values (500, 'n', 'a@x') returning *",
      'update users set email = lower(email) where id = 2 returning email, phone',
      'with x as (update users set name = name where id < 4 returning *) select * from x',
      'delete from users where id = 500 returning *, users',
      ...(major >= 18 ? ['update users set name = name where id = 1 returning old.email, new.*, old'] : []),
      ...(major >= 17
        ? ['merge into orders o using users u on o.id = u.id when matched then update set total = 1 returning *']
        : []),
      'insert into users (id, email) select 600, email from users where id = 1',
      'insert into users (id, salary) select 601, email::int from users',
      "update users set name = 'x' where email::int = 1",
    ];
    for (const sql of returning) {
      const text = await call('execute', { sql });
      expect(text, sql).not.toMatch(canary);
      expect(text, sql).toMatch(/by policy|^E_(?:CONSTRAINT|INVALID_VALUE)/);
    }
    const refused = [
      'update users set city = email where id = 1',
      'update users set (name, city) = (select phone, email from users limit 1)',
      'update orders o set email = u.email from users u where u.id = o.user_id',
      'insert into orders (id, email) select id + 100, phone from users',
      'insert into orders (id, email) values (900, (select email from users limit 1))',
      'insert into users (id) values (1) on conflict (id) do update set city = users.email',
      'insert into users (id) values (1) on conflict (id) do update set city = excluded.phone',
      'with x as (insert into orders (id, email) select id + 100, email from users returning id) select * from x',
      'create table copied as select id, email from users',
      'create table copied as select * from contacts',
      'select * into copied from users',
      'insert into orders (id, email) values (901, get_email(1))',
      'select get_email(1)',
      'do $$ begin update users set city = email; end $$',
      'call something()',
      "copy users to '/tmp/users'",
      'alter table users rename email to free',
      'alter table users rename to people2',
      'alter table users alter city type text using email',
      'create function f() returns text language sql as $$ select email from users limit 1 $$',
      'create trigger t before update on users for each row execute function f()',
      'create rule r as on update to users do also insert into orders (id) values (1)',
      'alter table users_archive no inherit users',
      'alter table generated alter copy drop expression',
      "delete from patients where diagnosis like 'x%'",
      "select pg_notify('c', email) from users",
      'select keep_note(email) from users',
      'insert into orders (id) select keep_note(phone) from users',
      "select setval('counter', salary) from users",
      "select set_config('a.b', phone, false) from users",
      ...(major >= 15 ? ['merge into orders o using users u on o.id = u.id when matched then update set email = u.email'] : []),
    ];
    for (const sql of refused) expect(await call('execute', { sql }), sql).toMatch(/^E_PROTECTED_COLUMN/);
    const allowed = [
      "update users set email = 'new@x' where id = 3",
      "update orders set state = 'paid' where user_id in (select id from users where email is not null)",
      'insert into orders (id, user_id) select id + 200, id from users',
      'create table copied as select id, name from users',
      'create view one_more as select email from users',
      'create sequence counter',
      "select keep_note('x')",
      "insert into users (id, email) values (nextval('counter') + 1000, 'b@x')",
      'alter table copied add column note text',
      'create index on users (phone)',
      'drop view one_more',
      'drop table copied',
    ];
    for (const sql of allowed) expect(await call('execute', { sql }), sql).not.toMatch(/^E_/);
    expect(await call('execute', { sql: "update users set name = 'y' where id = 1 returning email", dry_run: true })).toContain(
      'by policy',
    );
  }, 30_000);

  it('refuses comparisons and what it cannot trace, if it is strict', async () => {
    const refused = [
      "select id from users where email = 'a'",
      'select id from users order by phone',
      'select count(*) from users group by email',
      'select distinct email from users',
      'select u.id from users u join orders o on o.email = u.email',
      'select email from users union select name from users',
      'select rank() over (order by salary) from users',
      "select count(*) filter (where phone = 'x') from users",
      'select get_email(1)',
      'select * from get_rows()',
    ];
    for (const sql of refused) expect(await query(sql, 'strict'), sql).toMatch(/^E_PROTECTED_COLUMN/);
    const allowed = [
      'select id, email from users',
      'select count(email) from users',
      "select id from users where name = 'x'",
      'select * from safe_users',
    ];
    for (const sql of allowed) expect(await query(sql, 'strict'), sql).not.toMatch(/^E_/);
  });

  it('does not use what it knew of a catalog that has changed', async () => {
    await run(
      'create table shifting (id int, email text, note text)',
      "insert into shifting values (1, 'cnry-a', 'plain')",
      'create view over_shifting as select id, note as shown from shifting',
    );
    const changing = await openTools([{ ...account, name: 'main', columns: { 'shifting.email': 'mask', 'private.*': 'mask' } }]);
    const ask = async (sql: string) => (await changing.call('query', { connection: 'main', sql })).text;
    const statements = [
      'select note from shifting',
      'select * from shifting',
      'select shown from over_shifting',
      'select * from over_shifting',
    ];
    const changes = [
      [
        'alter table shifting rename email to old',
        'alter table shifting rename note to email',
        'alter table shifting rename old to note',
      ],
      ['create or replace view over_shifting as select id, email as shown from shifting'],
      ['alter table shifting rename to public_then', 'create view shifting as select 1 as id, note, email from public_then'],
      ['drop view shifting', 'alter table public_then rename to shifting'],
    ];
    for (const sql of statements) await ask(sql);
    await run('update shifting set note = email');
    for (const sql of [...statements, ...statements]) await ask(sql);
    await run(...(changes[0] ?? []));
    // The name of the protected column is now that of the other one.
    expect(await ask('select email from shifting')).toContain('***');
    for (const sql of statements) expect(await ask(sql), sql).not.toContain('***cnry');
    await run('update shifting set note = $$plain$$', ...(changes[1] ?? []));
    for (const sql of statements) expect(await ask(sql), sql).not.toMatch(canary);
    await run(
      'create table private (id int, value text)',
      "insert into private values (1, 'cnry-p')",
      'create view window_on as select 1 as value',
    );
    expect(await ask('select * from window_on')).not.toContain('***');
    await run('drop view window_on', 'create view window_on as select value from private');
    expect(await ask('select * from window_on')).toContain('***');
    await run('drop view window_on', 'alter table private rename to window_on', 'create table private (id int, value text)');
    await changing.close();
  }, 30_000);

  it('follows a change of the policy', async () => {
    const policies = async (policy: Record<string, unknown>, sql: string) => {
      const own = await openTools([{ ...account, name: 'main', ...policy }]);
      const { text } = await own.call('query', { connection: 'main', sql });
      await own.close();
      return text;
    };
    expect(await policies({ columns: { 'users.city': 'mask' } }, 'select city from users')).toContain('***');
    expect(await policies({ pii: 'common' }, 'select email, phone, city from users')).toContain('2 columns masked');
    expect(await policies({ pii: 'common', columns: { 'users.email': 'show' } }, 'select email from users where id = 1')).toMatch(
      canary,
    );
  });
});
