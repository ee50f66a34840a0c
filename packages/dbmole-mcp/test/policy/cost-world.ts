import type { RunningEngine } from '@dbmole/engines';
import { type Account, createAccount, runDirect } from '../direct.ts';

export const bigRows = 30_000;

/** A database with a table of 30,000 rows, small ones, a view and partitions, with fresh statistics. */
export async function createCostWorld(engine: RunningEngine, name: string): Promise<Account> {
  const account = await createAccount(engine, name);
  const digits = Array.from({ length: 10 }, (_, i) => `select ${i} as d`).join(' union all ');
  const numbers = (tables: number) =>
    `select ${Array.from({ length: tables }, (_, i) => `d${i}.d * ${10 ** i}`).join(' + ')} as i from ` +
    Array.from({ length: tables }, (_, i) => `(${digits}) d${i}`).join(' cross join ');
  const isPostgres = account.type === 'postgres';
  const partition = isPostgres
    ? [
        'create table part (id int, a int) partition by range (id)',
        'create table part_1 partition of part for values from (0) to (5000)',
        'create table part_2 partition of part for values from (5000) to (100000)',
        'create index on part (id)',
      ]
    : [
        'create table part (id int primary key, a int) partition by range (id) ' +
          '(partition part_1 values less than (5000), partition part_2 values less than maxvalue)',
      ];
  const text = isPostgres
    ? (parts: string) => parts.replaceAll('+', '||')
    : (parts: string) => `concat(${parts.replaceAll('+', ',')})`;
  await runDirect(
    { ...engine, ...account },
    [
      'create table small (id int primary key, name varchar(20))',
      `insert into small select i, ${text("'n' + i")} from (${numbers(2)}) n`,
      'create table big (id int primary key, customer int, note varchar(100), day date)',
      `insert into big select i, i % 1000, ${text("'n' + i")}, '2024-01-01' from (${numbers(5)}) n where i < ${bigRows}`,
      'create index by_customer on big (customer)',
      "create view odd as select * from big where note like '%1%'",
      ...partition,
      `insert into part select i, 1 from (${numbers(4)}) n`,
      ...(isPostgres ? ['analyze'] : ['analyze table big', 'analyze table small', 'analyze table part']),
    ],
    account.database,
  );
  return account;
}

export type EngineKind = 'postgres' | 'mysql' | 'mariadb';

interface CostCase {
  sql: string;
  /** On these engines only; undefined: on all. */
  on?: readonly EngineKind[];
}

const each = (texts: readonly string[], on?: readonly EngineKind[]): CostCase[] =>
  texts.map((sql) => (on === undefined ? { sql } : { sql, on }));

/** Reads of at most 5,000 rows. */
export const cheapReads: readonly CostCase[] = [
  ...each([
    'select 1',
    'select * from big limit 10',
    'select * from big',
    '(select * from big limit 3)',
    'select * from big where id = 5',
    'select * from big where customer = 5',
    'select * from big where customer = 5 order by note limit 3',
    'select * from big order by id limit 5',
    'select * from small where name = (select max(name) from small)',
    'select * from small s join big b on b.customer = s.id where s.id < 10',
    'select count(*) from small s where exists (select 1 from big b where b.customer = s.id)',
    'select (select count(*) from big b where b.customer = s.id) from small s',
    'with few as (select * from big where customer < 5) select count(*) from few',
    'select * from part where id = 7000',
    'select * from big where id in (select id from small) order by id',
    'select count(*) from part where id < 100',
    'explain select count(*) from big',
  ]),
  ...each(['show work_mem', 'explain (costs off) select count(*) from big', 'values (1), (2)'], ['postgres']),
  ...each(['show tables', 'describe big', 'help contents'], ['mysql', 'mariadb']),
  ...each(['table big', 'select distinct customer from big'], ['mysql']),
];

/** Reads of more, some of them in disguise. */
export const costlyReads: readonly CostCase[] = [
  ...each([
    'select count(*) from big',
    'select max(note) from big',
    "select * from big where note = 'a' limit 10",
    'select * from big order by note limit 5',
    'select note, count(*) from big group by note limit 3',
    'select * from odd where customer + 1 = 2',
    'select count(*) from odd',
    'select count(*) from part',
    'select * from small s join big b on b.note = s.name',
    'select (select count(*) from big b where b.note = s.name) from small s where s.id < 3',
    'with heavy as (select note, count(*) as c from big group by note) select * from heavy limit 1',
    'select note from big union select name from small limit 1',
    "select 1 from small where exists (select 1 from big where big.note = 'x' and big.day > '2025-01-01')",
    'select sum(customer) over () from big limit 1',
    '-- select 1 limit 1\nselect count(*) from big',
    '/* limit 1 */ select count(*) from big',
    'select count(*) as "limit" from big where note <> \'limit 1\'',
    '((select count(*) from big))',
    'select count(*) from big;',
  ]),
  ...each(
    [
      'explain analyze select count(*) from big',
      'explain (analyze, costs off) select count(*) from big',
      'explain /* a /* b */ c */ analyze verbose select count(*) from big',
      'explain (analyze false) select count(*) from big',
      '/*+ SeqScan(big) */ select count(*) from big',
      'select count(*) from big where random() < 2',
      'with all_of_it as materialized (select * from big) select * from all_of_it order by note limit 1',
      'select * from small s cross join lateral (select max(b.note) from big b where b.day > s.name::date) q',
      'select count(*) from only big tablesample system (100)',
      'select * from big order by id offset 29000',
      'values ((select count(*) from big))',
    ],
    ['postgres'],
  ),
  ...each(
    [
      'select sql_calc_found_rows * from big limit 1',
      'select count(*) from big limit 1',
      'select /* x */ count(*) from big # limit 1',
      "show tables where (select count(*) from big where note <> 'x') > 0",
      'checksum table big',
      'select straight_join * from big a join big b on a.note = b.note limit 1',
    ],
    ['mysql', 'mariadb'],
  ),
  ...each(
    [
      'explain analyze select count(*) from big',
      'explain /* x */ analyze format=tree select count(*) from big',
      'desc analyze select count(*) from big',
      'select /*+ NO_INDEX(big) */ * from big where customer = 5',
      'table big order by note limit 1',
      'select * from small s, lateral (select max(b.note) from big b where b.note > s.name) q',
    ],
    ['mysql'],
  ),
  ...each(['analyze select count(*) from big', 'analyze format=json select count(*) from big'], ['mariadb']),
];
