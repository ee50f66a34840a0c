import { act, type BodyAttack, command } from './proof-body-attacks.ts';

/** What hides in other objects than bodies. */
const evil = `create function public.evil() returns int language plpgsql as $f$ begin return ${act}; end $f$;`;
const evilView = (name: string) => `${evil} create view ${name} as select public.evil() as x;`;
const planned = `create function public.planned(int) returns boolean language plpgsql immutable as
  $f$ begin if $1 = 5 then perform ${act}; end if; return true; end $f$;`;
const table = 'create table public.t (a int, b boolean);';
const noBreak = '\u00a0';

const immutable = `alter function pg_catalog.lo_export(oid, text) immutable; grant execute on function pg_catalog.lo_export(oid, text) to public;
  grant select on large object 4242 to public;`;
const volatile = `alter function pg_catalog.lo_export(oid, text) volatile; revoke execute on function pg_catalog.lo_export(oid, text) from public`;
const insert = 'begin insert into public.t (a) values (1); return 1; end';
const update = 'begin update public.t set a = 1; return 1; end';

/** Extensions whose functions run what they are given (pgTAP), and languages of others. */
const given: BodyAttack[] = [
  ...['plpgsql', 'sql'].map(
    (language): BodyAttack => ({
      name: `a function in ${language} of an extension that runs what it is given`,
      prepare: `create function public.lives_ok(text) returns text language ${language} as
          ${language === 'sql' ? "$f$ select query_to_xml($1, true, true, '')::text $f$" : "$f$ begin execute $1; return 'ok'; end $f$"};
        alter extension plpgsql add function public.lives_ok(text)`,
      read: `select lives_ok($x$${command}$x$)`,
      undo: 'alter extension plpgsql drop function public.lives_ok(text)',
    }),
  ),
  {
    name: 'a function of an extension that runs what a table has',
    prepare: `create function public.run_all() returns text language plpgsql as $f$ declare r record; begin
        for r in select x from public.cfg loop execute r.x; end loop; return 'ok'; end $f$;
      alter extension plpgsql add function public.run_all()`,
    read: 'select run_all()',
    undo: 'alter extension plpgsql drop function public.run_all()',
  },
  {
    name: 'a trusted language with the handler of another one',
    prepare: `create trusted language ours handler plpgsql_call_handler;
      create function public.g() returns int language ours as $f$ begin return ${act}; end $f$`,
    read: 'select g()',
    undo: 'drop language ours cascade',
  },
];

const named: BodyAttack[] = [
  ...[`E'\\u00a0v'`, `U&'\\00a0v'`, `'"V"'`, `'public . v'`, `'public.v'::regclass`, `E'\\tv'`].map((text): BodyAttack => {
    const name = text.includes('00a0') ? `"${noBreak}v"` : text.includes('V') ? '"V"' : 'v';
    return {
      name: `table_to_xml(${text})`,
      setup: evilView(`public.${name}`),
      read: `select table_to_xml(${text}, true, false, '')`,
    };
  }),
  {
    name: 'table_to_xml of a long name',
    setup: evilView(`public.${'v'.repeat(63)}`),
    read: `select table_to_xml('${'v'.repeat(70)}', true, false, '')`,
  },
  {
    name: 'table_to_xml of a long quoted name',
    setup: evilView(`public.${'v'.repeat(63)}`),
    read: `select table_to_xml('"${'v'.repeat(70)}"', true, false, '')`,
  },
  {
    name: 'table_to_xml of a name of blanks beyond ASCII',
    setup: evilView(`public."${noBreak.repeat(31)}"`),
    read: `select table_to_xml('"${noBreak.repeat(40)}"', true, false, '')`,
  },
  {
    name: 'table_to_xml in a schema of such a name',
    setup: `create schema "${noBreak.repeat(31)}"; ${evilView(`"${noBreak.repeat(31)}".v`)}`,
    read: `select table_to_xml('"${noBreak.repeat(40)}".v', true, false, '')`,
  },
  {
    name: 'table_to_xml of such a name in a body',
    setup: evilView(`public."${noBreak.repeat(31)}"`),
    body: `begin return table_to_xml('"${noBreak.repeat(40)}"', true, false, ''); end`,
  },
];

/** Objects of the server itself that were replaced. */
const replaced: BodyAttack[] = [
  {
    name: 'a view of information_schema',
    prepare: `create or replace view information_schema.enabled_roles as
      select 'x'::information_schema.sql_identifier as role_name where ${act} = 1`,
    read: 'select * from information_schema.enabled_roles',
    undo: `create or replace view information_schema.enabled_roles as
      select cast(a.rolname as information_schema.sql_identifier) as role_name from pg_authid a where pg_has_role(a.oid, 'USAGE')`,
  },
  {
    name: 'a view over it',
    prepare: `create or replace view information_schema.enabled_roles as
      select 'x'::information_schema.sql_identifier as role_name where ${act} = 1; create view public.v as select * from information_schema.enabled_roles`,
    read: 'select * from v',
    undo: `drop view public.v; create or replace view information_schema.enabled_roles as
      select cast(a.rolname as information_schema.sql_identifier) as role_name from pg_authid a where pg_has_role(a.oid, 'USAGE')`,
  },
  {
    name: 'a domain of information_schema',
    prepare: `alter domain information_schema.cardinal_number add constraint mine check (${act} = 1) not valid`,
    read: 'select 5::information_schema.cardinal_number',
    undo: 'alter domain information_schema.cardinal_number drop constraint mine',
  },
  {
    name: 'a standard function',
    prepare: `create or replace function pg_catalog.pg_sleep_for(interval) returns void language sql begin atomic select ${act}; end`,
    read: "select pg_sleep_for('0')",
    undo: `create or replace function pg_catalog.pg_sleep_for(interval) returns void language sql parallel safe strict
      as 'select pg_catalog.pg_sleep(extract(epoch from pg_catalog.clock_timestamp() + $1 - pg_catalog.clock_timestamp())::float8)'`,
  },
  ...[
    ['interval_pl_date(interval, date) returns timestamp', "interval '1 day' + current_date", 'select $2 + $1'],
    ['polygon(circle) returns polygon', "'<(0,0),1>'::circle::polygon", 'select pg_catalog.polygon(12, $1)'],
    ['textanycat(text, anynonarray) returns text', "'a'::text || 1", 'select $1 || $2::pg_catalog.text'],
  ].map(
    ([signature = '', expression = '', before = '']): BodyAttack => ({
      name: `the function behind ${expression}`,
      prepare: `create or replace function pg_catalog.${signature} language plpgsql stable strict as $f$ begin perform ${act}; return null; end $f$`,
      read: `select ${expression}`,
      undo: `create or replace function pg_catalog.${signature} language sql immutable strict as '${before}'`,
    }),
  ),
];

/** What changes after the first read. */
const later: BodyAttack[] = [
  {
    name: 'the handler of a foreign data wrapper',
    prepare: `create extension file_fdw; create foreign data wrapper w; create server s foreign data wrapper w;
      create foreign table public.ft (x text) server s`,
    change: `alter foreign data wrapper w handler file_fdw_handler; alter foreign table public.ft options (program 'touch bodies_effect')`,
    read: 'select * from ft',
    undo: 'drop foreign data wrapper w cascade; drop extension file_fdw',
  },
  {
    name: 'the names of languages',
    setup: evil,
    change: 'alter language internal rename to other; alter language plpgsql rename to internal',
    read: 'select evil()',
    undo: 'alter language internal rename to plpgsql; alter language other rename to internal',
  },
  {
    name: 'a CHECK with a function of the server that is not volatile any more',
    prepare: `${immutable} create table public.t (a int); create table public.part () inherits (public.t)`,
    change: `alter table public.part add check (a <> ${act})`,
    read: 'select * from t where a = 1',
    undo: volatile,
  },
  {
    name: 'a default with such a function',
    prepare: `${immutable} create table public.t (a int, b int)`,
    change: `alter table public.t alter b set default ${act}`,
    body: insert,
    undo: volatile,
  },
];

/** What the planner computes before the server refuses to write. */
const plannedWrites: BodyAttack[] = [
  { name: 'a default', setup: `${planned} ${table} alter table t alter b set default public.planned(5);`, body: insert },
  {
    name: 'a default behind a view',
    setup: `${planned} ${table} alter table t alter b set default public.planned(5); alter table t rename to base; create view public.t as select * from base;`,
    body: insert,
  },
  {
    name: 'a default behind two views',
    setup: `${planned} ${table} alter table t alter b set default public.planned(5); alter table t rename to base;
      create view public.v as select * from base; create view public.t as select * from v;`,
    body: insert,
  },
  {
    name: 'the default of a view',
    setup: `${planned} create table public.base (a int, b boolean); create view public.t as select * from base; alter view t alter b set default public.planned(5);`,
    body: insert,
  },
  {
    name: 'the default of a domain',
    setup: `${planned} create domain public.dom as boolean default public.planned(5); create table public.t (a int, b public.dom);`,
    body: insert,
  },
  {
    name: 'a rule',
    setup: `${planned} ${table} create rule r as on update to t where public.planned(5) is null do instead nothing;`,
    body: update,
  },
  ...[
    ['a default of the server', `alter table t alter b type int using 1; alter table t alter b set default ${act};`, insert],
    ['a condition of a rule with it', `create rule r as on update to t where ${act} = 0 do instead nothing;`, update],
    ['a domain with it as default', `create domain public.dom as int default ${act}; alter table t add c public.dom;`, insert],
  ].map(
    ([name = '', rest = '', body = '']): BodyAttack => ({
      name: `${name}, not volatile any more`,
      prepare: `${immutable} ${table} ${rest}`,
      body,
      undo: volatile,
    }),
  ),
];

const foldedReads: BodyAttack[] = [
  [
    'a CHECK',
    `create table public.t (a int); create table public.part (check (a <> ${act})) inherits (public.t)`,
    'select * from t where a = 7',
    14,
  ],
  [
    'a default of an argument',
    `create function public.g(a int default ${act}) returns int language sql as 'select 1'`,
    'select g()',
    14,
  ],
  [
    'a policy',
    `create table public.t (a int); create policy p on public.t using (${act} = 1); alter table public.t enable row level security; create view public.v as select ${act} from public.t`,
    'select * from v',
    14,
  ],
].map(
  ([name, prepare, read, min]): BodyAttack => ({
    name: `${name} with a function of the server that is not volatile any more`,
    prepare: `${immutable} ${prepare}`,
    read: String(read),
    undo: volatile,
    only: { min: Number(min) },
  }),
);

const machineCode: BodyAttack[] = [
  {
    name: 'connectby by another name',
    prepare: `create extension tablefunc; create function public.cb(text, text, text, text, int) returns setof record language c
      as '$libdir/tablefunc', 'connectby_text'`,
    read: `select * from cb('(select pg_catalog.lo_export(4242, ''bodies_effect'') as k, 0 as p) q', 'k', 'p', '0', 0) as t (k int, p int, l int)`,
    undo: 'drop extension tablefunc cascade; drop function public.cb',
  },
  {
    name: 'a denied function by another name',
    prepare: `create function public.write_it(oid, text) returns int language internal as 'be_lo_export'`,
    read: "select write_it(4242, 'bodies_effect')",
  },
];

/** A table has a type for its rows, and that type may have a cast like any other. */
const rowCasts: BodyAttack[] = [
  'lower(t)',
  'upper(x) from t x --',
  'length(t)',
  "count(*) filter (where starts_with(t, 'x'))",
].map((call) => ({
  name: `a cast of the rows of a table: ${call}`,
  setup: `create table public.t (a int); insert into public.t values (1); create function public.to_text(public.t) returns text
    language plpgsql as $f$ begin perform ${act}; return 'x'; end $f$; create cast (public.t as text) with function public.to_text(public.t) as implicit;`,
  read: `select ${call} from t`,
}));

/** Values of these types are made of others without being named. */
const madeCasts: BodyAttack[] = [
  ['an array of rows', 't[]', 'lower(array_agg(t))', ''],
  ['an array of rows', 't[]', 'length(array(select t from t))', ''],
  ['an array of an enumeration', 'e[]', 'lower(array_agg(x))', ''],
  ['an array of an enumeration', 'e[]', 'lower(array[x])', ''],
  ['an array of a domain', 'd[]', 'lower(array_agg(y))', ''],
  ['a multirange', 'rm', 'initcap(range_agg(z))', 'multirange'],
  ['a range', 'r', 'initcap(range_merge(m))', 'multirange'],
].map(([what, source, call, isLater]) => ({
  name: `a cast of ${what}: ${call}`,
  setup: `create type public.e as enum ('a'); create domain public.d as int; create type public.r as range (subtype = int4${isLater && ', multirange_type_name = rm'});
    create table public.t (x e, y d, z r${isLater && ', m rm'}); insert into public.t values ('a', 1, '[1,2]'${isLater && ", '{[1,2]}'"});
    create function public.to_text(${source}) returns text language plpgsql as $f$ begin perform ${act}; return 'x'; end $f$;
    create cast (${source} as text) with function public.to_text(${source}) as implicit;`,
  read: `select ${call} from t`,
}));

/** A type without an order of its own is sorted by the operator class of one that it is binary-coercible to. */
const sortedCasts: BodyAttack[] = ['order by j', 'group by j'].map((clause) => ({
  name: `the operator class of a type that json is binary-coercible to: ${clause}`,
  prepare: `create extension ltree; create function public.same(lquery, lquery) returns boolean language sql immutable as 'select true';
    create function public.compare(lquery, lquery) returns int language plpgsql as $f$ begin perform ${act}; return 0; end $f$;
    ${['<', '<=', '=', '>=', '>'].map((name) => `create operator public.${name} (leftarg = lquery, rightarg = lquery, function = public.same);`).join(' ')}
    create operator class public.ours default for type lquery using btree as operator 1 public.<, operator 2 public.<=, operator 3 public.=,
      operator 4 public.>=, operator 5 public.>, function 1 public.compare(lquery, lquery);
    create cast (json as lquery) without function as implicit`,
  read: `select 1 from (values (json '1'), (json '2')) x (j) ${clause}`,
  undo: 'drop extension ltree cascade',
}));

export const objectAttacks: readonly BodyAttack[] = [
  ...rowCasts,
  ...madeCasts,
  ...sortedCasts,
  ...given,
  ...named,
  ...replaced,
  ...later,
  ...plannedWrites,
  ...foldedReads,
  ...machineCode,
];
