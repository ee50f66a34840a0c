import type { SeededRandom } from '../guard/seeded-random.ts';

/** Statements that change something, or reach another file, if they run. `{OUT}` is a folder. */
const effects = [
  'insert into orders (id) values (9000)',
  'update orders set id = id + 5000',
  'delete from orders',
  'replace into orders (id) values (1)',
  "vacuum into '{OUT}/copy.db'",
  "attach '{OUT}/other.db' as other",
  'pragma user_version = 77',
  'pragma application_id(5)',
  'pragma journal_mode = wal',
  'create table made (x)',
  'drop table orders',
  'alter table orders add column made',
  'reindex',
  'with x as (select 1) insert into orders (id) select 9001',
  'with x as (select 1) delete from orders',
  'begin; delete from orders; commit',
  'insert into orders (id) values (9002) returning id',
] as const;

const reads = [
  'select 1',
  'select * from orders',
  'select \'a\' as x, "id" from orders',
  'with x as (select 1 as n) select n from x',
  'values (1, 2)',
  'explain select 1',
  'explain query plan select * from orders',
  'pragma user_version',
  'pragma table_info(orders)',
  "select * from pragma_table_info('orders')",
  'select count(*) from orders where id in (select id from orders)',
  'select [id], `id` from orders -- \' "',
] as const;

/** What hides a text from one reader and shows it to another. */
const openings = [
  '',
  ' ',
  '/* ',
  '/* */',
  '-- ',
  '--\n',
  '-- \r',
  "'",
  '"',
  '`',
  '[',
  '/*/',
  '(',
  ';',
  '; ',
  ';;',
  '\ufeff',
  '\u00a0',
  '\f',
  '\v',
] as const;
const closings = [
  '',
  ' ',
  ' */',
  '*/',
  '\n',
  '\r',
  "'",
  '"',
  '`',
  ']',
  ')',
  ';',
  ' --',
  ' /*',
  "''",
  '""',
  '/**/;',
  '\u2028',
] as const;
const words = [
  ...[
    'explain',
    'explain query plan',
    'with',
    'select',
    'union all',
    'pragma',
    'values',
    'x',
    "x'41'",
    "x'4",
    '0x1',
    '1e',
    ':a',
    '$a(',
    '@b',
    '?1',
    '#',
  ],
  ...[
    'main',
    '.',
    ',',
    '*',
    '=',
    'where',
    'returning',
    'into',
    'from orders',
    'as',
    'not',
    'materialized',
    '\\',
    "\\'",
    '||',
    '->',
    '->>',
  ],
] as const;

/** A statement that may be a read, with an effect somewhere in it, behind something that may hide it. */
export function makeStatement(random: SeededRandom, out: string): string {
  const parts: string[] = [];
  const count = 1 + random.below(4);
  for (let i = 0; i < count; i += 1) {
    parts.push(random.pick(openings));
    if (random.oneIn(3)) parts.push(random.pick(words as unknown as [string, ...string[]]));
    parts.push(random.oneIn(2) ? random.pick(effects) : random.pick(reads));
    if (random.oneIn(4)) parts.push(random.pick(words as unknown as [string, ...string[]]));
    parts.push(random.pick(closings));
  }
  const text = parts.join(random.oneIn(3) ? '' : ' ').replaceAll('{OUT}', out);
  return random.oneIn(4) ? cut(random, text) : text;
}

/** Takes a part of the text away. */
function cut(random: SeededRandom, text: string): string {
  const from = random.below(text.length + 1);
  return text.slice(0, from) + text.slice(from + random.below(8));
}

const columns = ['email', 'phone', 'name', 'id', 'salary', 'note', 'label', 'email_lower', 'profile'] as const;

/** An expression over the columns of one user, most of which keep the value in what they show. */
function makeExpression(random: SeededRandom, alias: string, depth: number): string {
  const column = () => `${alias}.${random.pick(columns)}`;
  if (depth === 0 || random.oneIn(4)) return column();
  const inner = () => makeExpression(random, alias, depth - 1);
  return random.pick([
    () => `(${inner()} || ${inner()})`,
    () => `upper(${inner()})`,
    () => `coalesce(${inner()}, ${inner()})`,
    () => `case when ${inner()} > 'a' then ${inner()} else ${inner()} end`,
    () => `substr(${inner()}, 1, 40)`,
    () => `json_array(${inner()}, ${inner()})`,
    () => `printf('%s %s', ${inner()}, ${inner()})`,
    () => `(select ${makeExpression(random, 'i', depth - 1)} from users i where i.id = ${alias}.id)`,
    () => `cast(${inner()} as text)`,
    () => `iif(${inner()} is null, ${inner()}, ${inner()})`,
    () => `max(${inner()}, ${inner()})`,
    () => `replace(${inner()}, 'x', ${inner()})`,
    () => `(select group_concat(j.value) from json_each(json_array(${inner()})) j)`,
    () => `(select x from (select ${inner()} as x union all select ${inner()}) limit 1)`,
    () => `(${inner()} in (${inner()}, 'x'))`,
  ])();
}

/** A query over protected columns, with what shows one of them in an unusual place. */
export function makeQuery(random: SeededRandom): string {
  const e = () => makeExpression(random, 'u', 1 + random.below(3));
  const plain = () => `u.${random.pick(columns)}`;
  const source = random.pick([
    'users',
    'all_users',
    '(select * from users)',
    '(select * from users order by email limit 3)',
    'users indexed by users_salary',
  ]);
  const from = `from ${source.includes('indexed') ? 'users as u indexed by users_salary' : `${source} u`}`;
  const where = random.pick([
    '',
    ` where ${plain()} is not null`,
    ` where ${e()} <> 'x'`,
    ' where u.id < 3',
    ` where u.id in (select id from users order by ${random.pick(columns)})`,
  ]);
  return random.pick([
    () => `select ${e()}, ${plain()} ${from}${where}`,
    () => `select ${e()} as a, count(*) ${from}${where} group by 1`,
    () => `select max(${e()}), group_concat(${e()}) ${from}${where} group by ${plain()} having count(*) > 0`,
    () => `select distinct ${e()} ${from}${where} order by ${e()}`,
    () => `select ${e()} ${from}${where} order by ${plain()} desc limit 2`,
    () => `with c as (select ${e()} as a, ${plain()} as b ${from}${where}) select * from c x join c y on x.b is not y.a`,
    () => `select ${plain()} ${from} union select ${e()} ${from}${where}`,
    () => `select ${e()} ${from} except select 'x' union all select ${plain()} ${from}`,
    () =>
      `select first_value(${e()}) over (partition by ${plain()} order by ${plain()}), lag(${plain()}) over (order by ${e()}) ${from}${where}`,
    () =>
      `with recursive r(n, a) as (select 1, ${e()} ${from} union all select n + 1, a || 'x' from r where n < 3) select a from r`,
    () => `select o.item, ${e()} ${from} left join orders o on o.user_id = u.id and ${plain()} is not null${where}`,
    () => `select json_group_array(${e()}), count(${plain()}) ${from}${where}`,
    () => `select a from (select ${e()} as a, ${plain()} as b ${from}${where}) order by b`,
    () => `values ((select ${e()} ${from} limit 1)), ((select max(${e()}) ${from}))`,
  ])();
}
