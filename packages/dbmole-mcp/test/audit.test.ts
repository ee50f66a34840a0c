import { readFile } from 'node:fs/promises';
import { runProgram } from '@dbmole/core';
import { createFakeTerminal } from '@dbmole/core/testing';
import type { RunningEngine } from '@dbmole/engines';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../src/server.ts';
import { type Account, runDirect } from './direct.ts';
import { openTools } from './open-tools.ts';

/** Longer than what any answer of the audit may be. */
const longest = 1_200;
const password = 'Reader-pw-7';
const documentedReader = `audit_reader_${process.pid}`;

function accountOf(engine: RunningEngine, user: string, secret: string, database: string): Account {
  const { host, port } = engine;
  return { type: engine.scheme === 'postgres' ? 'postgres' : 'mysql', host, port, user, password: secret, database };
}

/** What `test_connection` says below who answered. */
async function audit(account: Account): Promise<string[]> {
  const tools = await openTools([{ ...account, name: 'audited', tls: 'disable' }]);
  try {
    const [line = '', identity = '', ...lines] = (await tools.call('test_connection')).text.split('\n');
    expect(line).toContain('audited answers');
    expect(identity).toContain(account.user);
    expect(lines.join('\n').length).toBeLessThanOrEqual(longest);
    expect(lines.join('\n')).not.toMatch(/CREATE (?:ROLE|USER)|GRANT SELECT|REVOKE/);
    return lines;
  } finally {
    await tools.close();
  }
}

async function readTable(account: Account, table: string): Promise<string> {
  const tools = await openTools([{ ...account, name: 'reader', tls: 'disable' }]);
  try {
    return (await tools.call('query', { sql: `select * from ${table}` })).text;
  } finally {
    await tools.close();
  }
}

/** What a person would paste after writing a password, with the statements that concern other accounts. */
async function statementsFor(account: Account): Promise<string[]> {
  const env = { DBMOLE_CONNECTIONS: JSON.stringify([{ ...account, name: 'audited', tls: 'disable' }]) };
  const terminal = createFakeTerminal({ argv: ['doctor', 'audited', '--role'], env });
  expect(await runProgram(definition, terminal)).toBe(0);
  const lines = terminal.printed.split('\n').filter((line) => !/^-- .*:$/.test(line));
  return lines.map((line) => line.replace(/^-- /, '')).flatMap(splitLine);
}

function splitLine(line: string): string[] {
  const sql = line.replace(/ -- .*$/, '').replace('<password>', password);
  return sql.split(/(?<=;) (?=[A-Z])/).filter((statement) => statement.trim() !== '');
}

/** The block of SQL below a heading of the page. */
async function documented(heading: string, database: string): Promise<string[]> {
  const page = await readFile(new URL('../../../docs/safety.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const [, block = ''] = /```sql\n(.*?)```/s.exec(section) ?? [];
  const lines = block.split('\n').filter((line) => !/^\s*(--|$)/.test(line));
  expect(lines.length).toBeGreaterThan(1);
  return lines.flatMap(splitLine).map((sql) => sql.replace(/\bshop\b/g, database).replaceAll('mole_reader', documentedReader));
}

for (const id of ['postgres18', 'postgres14'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    const database = `audit_${id}_${process.pid}`;
    const owner = `audit_owner_${process.pid}`;
    const strong = `audit_strong_${process.pid}`;
    const readers = new Set<string>();
    const admin = () => accountOf(engine(), engine().user, engine().password, database);

    beforeAll(async () => {
      await runDirect(engine(), [
        `create role ${owner} login createrole password '${password}'`,
        `create role ${strong} login noinherit password '${password}'`,
        `create database ${database} owner ${owner}`,
        `grant pg_write_server_files, pg_signal_backend, ${owner} to ${strong}`,
      ]);
      await runDirect(
        engine(),
        [
          `create schema "Odd Space" authorization ${owner}`,
          `grant usage on schema "Odd Space" to ${strong}`,
          'create extension dblink',
          'create function reset_all() returns int language sql security definer as $$ select 1 $$',
          'create function looks() returns int language sql stable security definer as $$ select 1 $$',
          `set role ${owner}`,
          'create table "Odd Space".orders (id serial primary key, note text)',
          'insert into "Odd Space".orders (note) values (\'kept\')',
          'create table "Odd Space".customers (id int, name text)',
          `grant select, update (name) on "Odd Space".customers to ${strong}`,
        ],
        database,
      );
    });
    afterAll(async () => {
      await runDirect(engine(), [
        `drop database ${database} with (force)`,
        ...[owner, strong, ...readers].map((role) => `drop role ${role}`),
      ]);
    });

    async function becomeReader(statements: readonly string[]): Promise<Account> {
      const user = /CREATE ROLE (\w+)/.exec(statements.join('\n'))?.[1] ?? '';
      readers.add(user);
      await runDirect(engine(), statements, database);
      return accountOf(engine(), user, password, database);
    }

    it('says of a superuser that it is one', async () => {
      const [powers = ''] = await audit(admin());
      expect(powers).toMatch(
        /^This account can also: do anything on the whole server, as it is a superuser; write to 2 tables \(/,
      );
      expect(powers).toContain('"Odd Space".customers, "Odd Space".orders');
      expect(powers).not.toContain('reach out');
    });

    it('says of an owner what it owns, and what everybody may do', async () => {
      const text = (await audit(accountOf(engine(), owner, password, database))).join('\n');
      for (const part of [
        'create and change other roles',
        `alter and drop database ${database}, which it owns`,
        'write to 2 tables',
        'and alter and drop the 2 that it owns',
        '"Odd Space"',
        'reach out of the server with dblink',
        'run 1 function (public.reset_all) with the rights of postgres',
        'create temporary tables',
        'Every role may call ',
      ])
        expect(text).toContain(part);
      expect(text).not.toContain('superuser');
      expect(text).not.toContain('looks');
    });

    it('says of an account with single rights which they are', async () => {
      const [powers] = await audit(accountOf(engine(), strong, password, database));
      expect(powers).toContain('write files of the server (pg_write_server_files)');
      expect(powers).toContain("end other people's sessions (pg_signal_backend)");
      expect(powers).toContain('write to 1 table ("Odd Space".customers)');
      expect(powers).toContain(`act as 1 other role (${owner})`);
      expect(powers).not.toContain('orders');
    });

    it('gives statements that make a role which can only read', async () => {
      await runDirect(engine(), ['drop extension dblink'], database);
      const statements = await statementsFor(accountOf(engine(), owner, password, database));
      const reader = await becomeReader(statements);
      expect(await audit(reader)).toEqual(['It can only read.']);
      expect(await readTable(reader, '"Odd Space".orders')).toContain('kept');
    });

    it('agrees with the page on how such a role is made', async () => {
      await runDirect(
        engine(),
        [
          `grant create, temporary on database ${database} to public`,
          'grant create on schema public to public',
          "create table public.notes as select 'kept' as note",
        ],
        database,
      );
      const reader = await becomeReader(await documented('PostgreSQL', database));
      expect(await audit(reader)).toEqual(['It can only read.']);
      expect(await readTable(reader, 'public.notes')).toContain('kept');
    });
  });
}

for (const id of ['mysql97', 'mariadb1011'] as const) {
  describe(id, () => {
    const engine = useEngine(id, { shared: true });
    const database = `audit_${id}_${process.pid}`;
    const names = { owner: `audit_o_${process.pid}`, strong: `audit_s_${process.pid}`, role: `audit_r_${process.pid}` };
    /** Another one for whom takes `_` for any character. */
    const other = database.replace('_', 'x');
    const readers = new Set<string>();

    beforeAll(async () => {
      await runDirect(engine(), [
        `create database ${database}`,
        `create database ${other}`,
        `create table ${database}.orders (id int, note text)`,
        `insert into ${database}.orders values (1, 'kept')`,
        `create user ${names.owner}@'%' identified by '${password}'`,
        `grant all on ${database}.* to ${names.owner}@'%'`,
        `create role ${names.role}`,
        `create table ${database}.customers (id int)`,
        `grant delete on ${database}.customers to ${names.role}`,
        `create user ${names.strong}@'%' identified by '${password}'`,
        `grant file, process on *.* to ${names.strong}@'%'`,
        `grant select, update (note) on ${database}.orders to ${names.strong}@'%' with grant option`,
        `grant ${names.role} to ${names.strong}@'%'`,
      ]);
    });
    afterAll(async () => {
      await runDirect(engine(), [
        `drop database ${database}`,
        `drop database ${other}`,
        `drop role ${names.role}`,
        ...[names.owner, names.strong, ...readers].map((user) => `drop user ${user}@'%'`),
      ]);
    });

    async function becomeReader(statements: readonly string[]): Promise<Account> {
      const user = /CREATE USER (\w+)/.exec(statements.join('\n'))?.[1] ?? '';
      readers.add(user);
      await runDirect(engine(), statements);
      return accountOf(engine(), user, password, database);
    }

    async function expectReader(reader: Account): Promise<void> {
      const unsure = 'It may not see whether the server has native functions, which every account can call.';
      expect(await audit(reader)).toEqual(['It can only read.', unsure]);
      expect(await readTable(reader, 'orders')).toContain('kept');
      // A name of a database is a pattern in a GRANT, and `_` would take any character.
      const failed = await readTable({ ...reader, database: other }, 'orders');
      expect(failed).toMatch(/E_AUTH|denied/i);
    }

    it('says of the root account that it can do anything, or nearly', async () => {
      const { user, password: secret } = engine();
      const text = (await audit(accountOf(engine(), user, secret, database))).join('\n');
      expect(text).toMatch(
        /do anything on the whole server|read and write files of the server .*create, change and drop accounts/,
      );
      expect(text).toContain('give its rights to others');
      expect(text).not.toContain('It may not see');
    });

    it('says of an owner where it may write', async () => {
      const [powers] = await audit(accountOf(engine(), names.owner, password, database));
      expect(powers).toBe(`This account can also: write to database ${database} (ALL PRIVILEGES).`);
    });

    it('says what an account may do beside, by itself and by roles', async () => {
      const text = (await audit(accountOf(engine(), names.strong, password, database))).join('\n');
      expect(text).toMatch(/read and write files of the server (?:in \/\S+ |anywhere )?\(FILE/);
      expect(text).toContain('see the statements of other accounts (PROCESS)');
      expect(text).toContain('give its rights to others');
      // MariaDB shows the rights of a role to those alone who have taken it.
      const byRole =
        id === 'mysql97'
          ? ['write to 2 tables (']
          : [`write to 1 table (${database}.orders)`, `take 1 role (\`${names.role}\`), whose rights it may not see`];
      for (const part of byRole) expect(text).toContain(part);
    });

    it('gives statements that make an account which can only read', async () => {
      await expectReader(await becomeReader(await statementsFor(accountOf(engine(), names.owner, password, database))));
    });

    it('agrees with the page on how such an account is made', async () => {
      const pattern = database.replaceAll('_', '\\_');
      await expectReader(await becomeReader(await documented('MySQL and MariaDB', pattern)));
    });
  });
}
