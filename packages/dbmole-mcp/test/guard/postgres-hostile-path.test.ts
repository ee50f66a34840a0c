import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EngineAddress, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableParts } from '../../src/catalog/catalog.ts';
import { checkNames } from '../../src/diagnosis/diagnosis.ts';
import { createDatabase, direct } from '../engines/postgres-fixture.ts';
import { type OpenTools, openTools } from '../open-tools.ts';
import { openGuarded } from './postgres-guarded.ts';
import { makeHostile, marksIn, settings } from './postgres-hostile.ts';

/** Every tool, as one who reads a database would use them; `ours` have no statement of the caller's in them. */
const ours: readonly (readonly [string, Record<string, unknown>])[] = [
  ['test_connection', {}],
  ['list_databases', {}],
  ['list_tables', {}],
  ['list_tables', { pattern: 'o*', schema: 'public' }],
  ['list_tables', { kind: 'table', without: 'primary_key' }],
  ['list_tables', { without: 'references' }],
  ['describe_table', { tables: ['public.orders'], parts: ['stats', 'policies', 'triggers'] }],
  ['describe_table', { tables: ['customers', 'public.orders', 'big', 'parted'] }],
  ['describe_table', { tables: ['ordres', 'orders'] }],
  ['search_schema', { text: 'ordered' }],
  ['search_schema', { text: 'customer' }],
];

const theirs: typeof ours = [
  ['execute', { sql: 'create temporary table orders (id int)' }],
  ['query', { sql: 'select id, amount from orders order by id' }],
  ['query', { sql: 'select id, mood from public.customers where id operator(pg_catalog.=) 1' }],
  ['explain', { sql: 'select id from public.orders' }],
  ['explain', { sql: 'select id from public.orders', analyze: true }],
  ['execute', { sql: 'insert into public.notes values (1)' }],
  ['execute', { sql: 'insert into public.notes values (1)', dry_run: true }],
];

const changes = [
  'alter table orders alter column customer set not null',
  'alter table orders alter column customer type bigint',
  'alter table orders add column note text default clock_timestamp()',
  'alter table customers add check (id > 0)',
  'create index on customers (lower(name))',
  'drop table customers',
];

const paths = { before: 'evil, pg_catalog, public', behind: '"$user", public, evil' };

/** Names before pg_catalog in the path win; after it, the better fit wins: here, only operators. */
const anywhere = [
  'select 1 = 1',
  'select id from orders where id in (1, 2)',
  'select id from orders where id between 0 and 2',
  "select name like 'A%' from customers",
  'select nullif(1, 2)',
  'select case id when 1 then 2 end from orders',
  'select o.id from orders o join customers c using (id)',
  'select id is distinct from 1 from orders',
  'select id from orders order by id using <',
  'select innocent()',
  'select * from asks',
  'select * from runs',
  'select schema_to_xml($$public$$, true, true, $$$$)',
];
const byName = [
  "select 'a'::text",
  "select date '2000-01-01'",
  'select cast(1 as oid)',
  "select lower('A')",
  'select count(*) from orders',
];
const before = [
  ...byName,
  "select innocent_too('A')",
  'select pg_catalog.pg_get_viewdef(20000::pg_catalog.int8::pg_catalog.oid)',
  'select viewname from pg_views',
  'select rulename from pg_rules',
  'select view_definition from information_schema.views',
  'select * from definitions',
];
const harmless = [
  'select id, customer from orders order by id',
  'select distinct customer from orders',
  'select customer, max(amount) from orders group by customer',
  'select id operator(pg_catalog.=) 1 from orders',
  'select * from big',
  'select id from orders union select 5',
  "select extract(year from born), substring(name from 2), string_agg(name, ',') over (order by id) from customers",
  'select greatest(id, customer), n from orders',
  'select tablename from pg_tables',
  "select interval '1 day', '5'::int, varchar 'a', current_user",
];

/** Strings that would end elsewhere if the server read them by the settings of the role. */
const strings: readonly (readonly [string, string])[] = [
  ["select '\\', pg_try_advisory_lock(4711) --'", 'E_NOT_A_READ'],
  ["select '\\'', pg_try_advisory_lock(4711), '''", "\\', pg_try_advisory_lock(4711), '"],
  ["select e'é…\\', pg_try_advisory_lock(4711) --'", "é…', pg_try_advisory_lock(4711) --"],
  ["select 'ä\\'", 'ä\\'],
  ["select 0.1::float8, '\\x5c'::bytea, interval '1 year 2 days', date '2001-02-03'", '0.1,\\x5c,1 year 2 days,2001-02-03'],
];

describe.each(['postgres14', 'postgres18'] as const)('a search path with user-defined operators and types, on %s', (id) => {
  // A separate server, because its databases are among the compared answers.
  const server = useEngine(id);
  const databases = new Map<string, EngineAddress>();
  let folder: string;

  const open = async (path: string): Promise<OpenTools> => {
    const address = databases.get(path);
    if (address?.database === undefined) throw new Error(`no database for ${path}`);
    const { host, port, user, password, database } = address;
    const connection = { name: 'main', type: 'postgres' as const, host, port, user, password, database, tls: 'disable' };
    return await openTools([connection], { DBMOLE_EXPORT_DIR: folder });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dbmole-hostile-'));
    const plain = await createDatabase(server(), `hostile_plain_${id}`);
    await makeHostile(plain);
    databases.set('plain', plain);
    for (const [name, path] of Object.entries(paths)) {
      const database = `hostile_${name}_${id}`;
      await direct(server(), `drop database if exists ${database} with (force)`);
      await direct(server(), `create database ${database} template ${plain.database}`);
      await direct(server(), `alter database ${database} set search_path = ${path}`);
      await direct(server(), `alter database ${database} set track_functions = 'all'`);
      databases.set(name, { ...plain, database });
    }
    const changed = `hostile_settings_${id}`;
    await direct(server(), `drop database if exists ${changed} with (force)`);
    await direct(server(), `create database ${changed} template ${plain.database}`);
    for (const setting of settings) await direct(server(), `alter database ${changed} set ${setting}`);
    databases.set('settings', { ...plain, database: changed });
  }, 120_000);
  afterAll(async () => {
    await rm(folder, { recursive: true });
    for (const { database } of databases.values()) await direct(server(), `drop database ${database} with (force)`);
  });

  /** Removes what differs between databases. */
  const listTexts = async (path: string, calls: typeof ours) => {
    const tools = await open(path);
    const texts: string[] = [];
    try {
      for (const [tool, args] of calls) {
        const { text } = await tools.call(tool, args);
        texts.push(text.replaceAll(/[\d.]+ (?:kB|MB|ms|bytes)/g, 'n').replaceAll(/hostile_\w+/g, 'hostile'));
      }
      return texts;
    } finally {
      await tools.close();
    }
  };

  it.each(Object.keys(paths))('runs none of it by our own questions, which are answered as ever: %s', async (path) => {
    const found = await listTexts(path, ours);
    expect(await marksIn(databases.get(path) ?? server())).toEqual([]);
    // Before version 14 such functions look their operators up by the path of the caller.
    const written = `select distinct f.funcname from pg_catalog.pg_stat_user_functions f join pg_catalog.pg_proc p
      on p.oid operator(pg_catalog.=) f.funcid and p.prolang operator(pg_catalog.=) 14::pg_catalog.oid
      where f.schemaname operator(pg_catalog.=) 'pg_catalog'::pg_catalog.name`;
    expect(await direct(databases.get(path) ?? server(), written)).toEqual([]);
    const plain = await listTexts('plain', ours);
    // Such a path needs qualified names, such as pg_catalog.text.
    expect(found.map((text) => text.replaceAll('pg_catalog.', ''))).toEqual(plain);
  });

  it.each(Object.keys(paths))('runs none of it by diagnose, parts of tables and DDL: %s', async (path) => {
    const address = databases.get(path) ?? server();
    await direct(address, 'create schema stats; create extension pg_stat_statements schema stats');
    const checks = ['diagnose', ...checkNames].map((check) => ['diagnose', check === 'diagnose' ? {} : { check }] as const);
    const parts = tableParts.map((part) => ['describe_table', { tables: ['orders', 'customers'], parts: [part] }] as const);
    const calls = [...checks, ...parts, ...changes.map((sql) => ['explain', { sql }] as const)];
    for (const text of await listTexts(path, calls)) expect(text).not.toMatch(/failed|^E_/);
    expect(await marksIn(address)).toEqual([]);
    await direct(address, 'drop schema stats cascade');
  });

  it.each(Object.keys(paths))('runs none of it by reads and what we send with a write: %s', async (path) => {
    const found = await listTexts(path, theirs);
    const tools = await open(path);
    await tools.call('export_query', { sql: 'select id, name from customers', file: `${path}.csv` });
    await tools.close();
    expect(await marksIn(databases.get(path) ?? server())).toEqual([]);
    expect(await readFile(join(folder, `${path}.csv`), 'utf8')).toBe('id,name\r\n1,Ada\r\n');
    expect(found).toEqual(await listTexts('plain', theirs));
  });

  const outcomes = async (path: string, statements: readonly string[]) => {
    const { host, port, user, password, database = '' } = databases.get(path) ?? server();
    const guarded = await openGuarded({ host, port, user, password, database });
    const found: string[] = [];
    for (const sql of statements) {
      const { failure, rows } = await guarded.read(sql);
      found.push(failure?.code ?? rows.map((cells) => cells.join(',')).join('\n'));
    }
    await guarded.backend.dispose();
    return found;
  };

  it.each(Object.keys(paths))(
    'refuses the statements that mean them, also by what they lead to, and no others: %s',
    async (path) => {
      const meant = path === 'before' ? [...anywhere, ...before] : anywhere;
      const others = path === 'before' ? harmless : [...harmless, ...byName];
      const refused = await outcomes(path, meant);
      expect(meant.filter((_, at) => refused[at] !== 'E_NOT_A_READ')).toEqual([]);
      expect(await outcomes(path, others)).toEqual(await outcomes('plain', others));
      expect(await marksIn(databases.get(path) ?? server())).toEqual([]);
    },
  );

  it('reads and answers the same whatever else is set for the role', async () => {
    expect(await listTexts('settings', [...ours, ...theirs])).toEqual(await listTexts('plain', [...ours, ...theirs]));
    const found = await outcomes(
      'settings',
      strings.map(([sql]) => sql),
    );
    expect(found).toEqual(strings.map(([, outcome]) => outcome));
  });
});
