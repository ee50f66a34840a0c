import { describeBlocking, type HeavyCall } from '@dbmole/core/testing';
import { type RunningEngine, useEngine } from '@dbmole/engines';
import { beforeAll, describe } from 'vitest';
import { bin } from './bin.ts';
import { runDirect } from './direct.ts';

const database = 'heavy';

function many(count: number, item: (index: number) => string, separator = ','): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(separator);
}

const query = (title: string, sql: string, expected = /^(?:1 row|Rows? )/, more: Record<string, unknown> = {}): HeavyCall => ({
  title,
  tool: 'query',
  args: () => ({ sql, ...more }),
  expected,
});

/** Long messages to the server, on every engine. */
const requests: readonly HeavyCall[] = [
  query('a statement with 150,000 values', `select 1 in (${many(150_000, String)})`, /250,?000/),
  query('a literal of a megabyte', `select length('${'x'.repeat(990_000)}')`),
  query('200,000 parentheses', `select ${'('.repeat(200_000)}1${')'.repeat(200_000)}`, /250,?000/),
  query('names of 40,000 tables', `select * from ${many(40_000, (index) => `unknown_${index}`)}`, /^E_/),
  {
    title: 'a message of 15 MB',
    tool: 'query',
    args: () => ({ sql: 'select 1', params: ['"\n'.repeat(3_800_000)] }),
    expected: /bytes was refused/,
  },
  {
    title: 'a message with 3,000,000 values',
    tool: 'query',
    args: () => ({ sql: 'select 1', params: Array.from({ length: 1_500_000 }, () => 1) }),
    expected: /25000 values was refused/,
  },
  {
    title: '200,000 arguments',
    tool: 'query',
    args: () => Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`a${index}`, index])),
    expected: /25000 values was refused/,
  },
  {
    title: '20,000 arguments',
    tool: 'query',
    args: () => Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`a${index}`, index])),
    expected: /more than 1000 arguments/,
  },
];

function server({ scheme, host, port, user, password }: RunningEngine, name: string) {
  const connection = { name: 'main', type: scheme, host, port, user, password, database: name };
  return { file: bin, env: { DBMOLE_CONNECTIONS: JSON.stringify([connection]) } };
}

describe('a heavy call on PostgreSQL', () => {
  const engine = useEngine('postgres18');
  beforeAll(async () => {
    await runDirect(engine(), [`create database ${database}`]);
    const body = 'declare n int; begin select count(*) into n from wide where a0 = a; return n; end';
    await runDirect(
      engine(),
      [
        `create table wide (${many(1_500, (index) => `"${'n'.repeat(50)}${index}" text default 'x' check (true)`)})`,
        `do $$ begin for i in 1..20000 loop execute format('create function many_%s(a int, b text) returns int
          language plpgsql stable as %L', i, '${body}'); end loop; end $$`,
        `create function notices() returns int language plpgsql as $$ begin
          for i in 1..100000 loop raise notice 'x%', i; end loop; return 1; end $$`,
        `create function long_error() returns int language plpgsql as $$ begin
          raise exception using message = repeat('password=x ', 3000000), hint = repeat('"', 3000000); end $$`,
      ],
      database,
    );
  });

  describeBlocking(
    () => server(engine(), database),
    [
      { ...query('the first read of a database with 20,000 functions', 'select 1'), isFirst: true },
      ...requests,
      query('two million rows that are skipped', 'select i from generate_series(1, 2000100) i', /^Rows/, { offset: 2_000_000 }),
      query('rows of 1,600 columns', `select ${many(1_600, () => "repeat('\"', 5000)")} from generate_series(1, 20)`, /^Row/, {
        cell_limit: 30_000,
      }),
      query('the end of a cell of 2 MB', "select repeat('\u00e4', 1000000)", /^1 row/, {
        cell_offset: 970_000,
        cell_limit: 30_000,
      }),
      query('a cell of 100 MB', "select repeat('x', 100000000)"),
      query('100,000 notices', 'select notices()'),
      query('an error of 30 MB', 'select long_error()', /^E_ENGINE/),
      query('a column that 1,500 names resemble', `select ${'n'.repeat(49)}0x from wide`, /^E_UNKNOWN_COLUMN/),
      { title: 'a table of 1,500 columns', tool: 'describe_table', args: () => ({ tables: ['wide'] }), expected: /^1 table/ },
    ],
  );
});

describe.each(['mysql97', 'mariadb1011'] as const)('a heavy call on %s', (id) => {
  const engine = useEngine(id);
  beforeAll(async () => {
    await runDirect(engine(), [`create database ${database}`, `create table ${database}.one as select 1 as a`]);
  });
  const numbers = 'with recursive r as (select 1 as n union all select n + 1 from r where n < 900) select a.n, b.n from r a, r b';

  describeBlocking(
    () => server(engine(), database),
    [
      ...requests,
      query('49,000 columns', `select ${many(49_000, () => '1')}`, /^1 row\. Only the first 7850 of 49000 columns fit/),
      query('49,000 columns of a table', `select ${many(49_000, () => 'a')} from one`, /of 49000 columns fit/),
      query('800,000 rows that are skipped', numbers, /^Rows/, { offset: 800_000 }),
      query('a cell of 15 MB', "select repeat('x', 15000000)"),
      query('40,000 divisions by zero', `select ${many(40_000, () => '1/0')}`, /of 40000 columns fit/),
    ],
  );
});
