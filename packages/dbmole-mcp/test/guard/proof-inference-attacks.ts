import { act, type BodyAttack } from './proof-body-attacks.ts';

/** What a reader of names alone does not see: values, casts and calls that the server finds by types, and what it computes early. */
const evil = (signature: string, result = 'text') =>
  `create function public.${signature} returns ${result} language plpgsql as $f$ begin perform ${act}; return null; end $f$;`;
const dom = `create function public.check_it(text) returns boolean language plpgsql as
    $f$ begin if $1 = 'go' then perform ${act}; end if; return true; end $f$;
  create domain public.dom as text check (public.check_it(value));`;
const planned = `create function public.planned(int) returns boolean language plpgsql immutable as
  $f$ begin if $1 = 5 then perform ${act}; end if; return true; end $f$;`;
const mood = `create type public.mood as enum ('sad'); create table public.m (m public.mood); insert into public.m values ('sad');
  grant all on public.m to public;`;
const estimatedTable = `create function public.stab(int) returns int language plpgsql stable as
    $f$ begin if $1 = 5 then perform ${act}; end if; return 1; end $f$;
  create table public.t (a int); insert into t values (1); analyze t;`;
const composite = 'create type public.pair as (a int);';

/** The server analyzes these, or plans them, before it refuses to write. */
const refusedLate: BodyAttack[] = [
  ...['create temp table x as', 'create materialized view x as', 'create table x as select 1 union all'].map(
    (start): BodyAttack => ({
      name: `a constant in ${start}`,
      setup: dom,
      body: `begin ${start} select ${start.endsWith('all') ? "cardinality('{go}'::dom[])" : "'{go}'::dom[]"}; return 1; end`,
    }),
  ),
  {
    name: 'a constant in CREATE TABLE AS in SQL',
    setup: `${dom} create function public.g() returns int language sql as $f$ create temp table x as select '{go}'::public.dom[]; select 1 $f$;`,
    read: 'select g()',
  },
  ...['update v set a = 1', 'delete from v', 'insert into v values (1)'].map(
    (write): BodyAttack => ({
      name: `${write}, behind WITH of the same name`,
      setup: `${planned} create table public.base (a int); create view public.v as select * from base where planned(5) with check option;`,
      body: `begin with v as (select 1) ${write}; return 1; end`,
    }),
  ),
];

/** The planner inlines functions in SQL, however volatile they are, and computes what is immutable in them. */
const inlined: BodyAttack[] = [
  ...[
    ['a CHECK', `create function public.g(int) returns boolean language sql as 'select public.planned(5)';`, 'g(a)'],
    [
      'a CHECK with an operator',
      `create function public.g(int, int) returns boolean language sql as 'select public.planned(5)';
      create operator public.### (leftarg = int, rightarg = int, function = public.g);`,
      'a ### 1',
    ],
  ].map(
    ([name = '', functions = '', check = '']): BodyAttack => ({
      name: `${name} that calls a function in SQL`,
      setup: `${planned} ${functions} create table public.t (a int); create table public.part (check (${check})) inherits (t); grant all on t, part to public;`,
      read: 'select * from t where a = 1',
    }),
  ),
  {
    name: 'a CHECK that calls a function in standard SQL',
    setup: `${planned} create function public.g(int) returns boolean language sql return public.planned(5);
      create table public.t (a int); create table public.part (check (g(a))) inherits (t); grant all on t, part to public;`,
    read: 'select * from t where a = 1',
    only: { min: 14 },
  },
  ...[
    ['an index', 'create index i on t (g(a));'],
    ['the condition of an index', 'create index i on t (a) where g(a);'],
    ['statistics', 'create statistics s on (g(a)), a from t;'],
  ].map(
    ([name = '', object = '']): BodyAttack => ({
      name: `${name} with a function in SQL that became volatile`,
      setup: `${planned} create function public.g(int) returns boolean language sql immutable as 'select true';
        create table public.t (a int); insert into t values (1); grant all on t to public; ${object}
        create or replace function public.g(int) returns boolean language sql volatile as 'select public.planned(5)';`,
      read: 'select * from t where a = 1',
    }),
  ),
  {
    name: 'a default with a function in SQL',
    setup: `${planned} create function public.g() returns boolean language sql as 'select public.planned(5)';
      create table public.t (a int, b boolean default g());`,
    body: 'begin insert into public.t (a) values (1); return 1; end',
  },
];

/** A row without a type becomes one of whatever type is wanted. */
const records: BodyAttack[] = [
  'select lower(row(1))',
  'select lower(s) from (select 1 as a) s',
  'with s as (select 1 as a) select lower(s) from s',
  'select lower(s) from (values (1)) s',
  'select lower(j) from (generate_series(1, 1) a cross join (select) b) j',
  'select (row(1)).evil',
  'select s.evil from (select 1 as a) s',
  'select (s).evil from (select 1 as a) s',
  'select row(1) + 1',
  'select case 1 when row(1) then 2 end',
  'select case 1 when s then 2 end from (select 1 as a) s',
].map(
  (read): BodyAttack => ({
    name: `a row that becomes a pair: ${read}`,
    setup: `${composite} ${evil('lower(public.pair)')} ${evil('evil(public.pair)')} ${evil('plus(public.pair, int)', 'int')}
      create operator public.+ (leftarg = public.pair, rightarg = int, function = public.plus);
      ${evil('eq(int, public.pair)', 'boolean')} create operator public.= (leftarg = int, rightarg = public.pair, function = public.eq);`,
    read,
  }),
);

/** The same where a function in FROM returns it, or is a part of it. */
const recordsInFrom: BodyAttack[] = [
  'select lower(s) from two_of() s',
  'select lower(two_of) from two_of()',
  'select s.evil from two_of() s',
  'select (two_of).evil from two_of()',
  'select lower(s) from generate_series(1, 1) with ordinality s(a, b)',
  'select lower(s) from unnest(array[1], array[2]) s',
  'select lower(s) from rows from (generate_series(1, 1), generate_series(1, 1)) s',
  "select lower(s) from jsonb_to_record('{}') as s(a int, b int)",
  "select lower(s) from rows from (jsonb_to_record('{}') as (a int, b int)) s",
  'select lower(row(1, 2)::record)',
  'select lower(s::record) from (select 1, 2) s',
  'select percentile_cont() within group (order by row(1, 2))',
  'select percentile_cont() within group (order by s) from (select 1, 2) s',
].map(
  (read): BodyAttack => ({
    name: `a row that becomes a row of two: ${read}`,
    setup: `create type public.two as (a bigint, b bigint); ${evil('lower(public.two)')} ${evil('evil(public.two)')}
      ${evil('next(text, public.two)')} create aggregate public.percentile_cont(order by public.two) (sfunc = public.next, stype = text);
      create function public.two_of(out a int, out b int) language sql as 'select 1, 2';`,
    read,
  }),
);

/** Values of a type that only a field names. */
const fieldCalls: BodyAttack[] = [
  ['a call', 'select lower(t.mk) from t'],
  ['a cast', 'select lower((t.a).mood) from t'],
  ['a call of a call', 'select lower((t.mk).again) from t'],
].map(
  ([name = '', read = '']): BodyAttack => ({
    name: `${name} that is written as a field`,
    setup: `${mood} create table public.t (a text); insert into t values ('sad'); grant all on t to public; ${evil('lower(public.mood)')}
      create function public.mk(t) returns mood language sql as $f$ select 'sad'::public.mood $f$;
      create function public.again(mood) returns mood language sql as 'select $1';`,
    read,
  }),
);

/** The default of an argument of any type decides what the result is. */
const defaults: BodyAttack[] = [
  ['a constant', "'sad'::public.mood"],
  ['a call', 'public.sad()'],
].map(
  ([name = '', value = '']): BodyAttack => ({
    name: `${name} as the default of an argument of any type`,
    setup: `${mood} create function public.sad() returns mood language sql as $f$ select 'sad'::public.mood $f$; ${evil('lower(public.mood)')}
      create function public.mk(anyelement default ${value}) returns anyelement language sql as 'select $1';`,
    read: 'select lower(mk())',
  }),
);

/** The server's own functions have no names for their parameters, so those of others are meant. */
const namedArguments: BodyAttack[] = [
  "select lower(x => 'A')",
  "select lower(x := 'A'::text)",
  "select * from lower(x => 'A'::text)",
  "select max(x => 'a'::text) over ()",
].map(
  (read): BodyAttack => ({
    name: `an argument by its name: ${read}`,
    setup: `${evil('lower(x text)')} ${evil('step(text, text)')} create aggregate public.max(x text) (sfunc = step, stype = text);`,
    read,
  }),
);

/** A constant without a type becomes one that counts as text, rather than what the server's own functions take. */
const textLike: BodyAttack[] = [
  "select log('100')",
  "select date_trunc('day', '2020-01-01')",
  "select current_date + '1'",
  "select - '1'",
  "select mode() within group (order by 'x')",
].map(
  (read): BodyAttack => ({
    name: `a constant that becomes a citext: ${read}`,
    prepare: `create extension citext; ${evil('log(citext)')} ${evil('date_trunc(text, citext)')} ${evil('plus(date, citext)')} ${evil('minus(citext)')}
      ${evil('step(text, citext)')} create aggregate public.mode(order by citext) (sfunc = step, stype = text);
      create operator public.+ (leftarg = date, rightarg = citext, function = plus); create operator public.- (rightarg = citext, function = minus)`,
    read,
  }),
);

/** A cast to text is used for everything that is text at bottom. */
const casts: BodyAttack[] = [
  'select m::dtext from m',
  'select m::information_schema.character_data from m',
  'select array[m]::dtext[] from m',
  'select array_agg(m)::_text from m',
  'select array_agg(m)::dtexts from m',
  'select row(m)::texts from m',
  'select s::texts from (select m from m) s',
  'select array[s]::texts[] from (select m from m) s',
  'select array[row(m)]::texts[] from m',
].map(
  (read): BodyAttack => ({
    name: `a cast to text: ${read}`,
    setup: `${mood} ${evil('to_text(public.mood)')} ${evil('to_varchar(public.mood)', 'varchar')} create cast (mood as text) with function to_text(mood);
      create cast (mood as varchar) with function to_varchar(mood); create domain public.dtext as text; create domain public.dtexts as text[];
      create type public.texts as (t text);`,
    read,
  }),
);

/** The planner's estimates call what is stable, before the server refuses to write. */
const estimated: BodyAttack[] = [
  ...['for update using (a = stab(5))', 'for delete using (a > stab(5))'].map(
    (policy): BodyAttack => ({
      name: `a stable function in a policy ${policy}`,
      setup: `${estimatedTable} alter table t enable row level security; alter table t force row level security;
        create policy p on t ${policy}; create policy q on t for select using (true); create view public.v as select * from t;`,
      body: `begin ${policy.includes('update') ? 'update v set a = 1' : 'delete from v'}; return 1; end`,
    }),
  ),
  ...['select * from t where a = stab(5)', 'delete from t where a > stab(5)'].map(
    (action): BodyAttack => ({
      name: `a stable function in a rule: ${action}`,
      setup: `${estimatedTable} create table public.target (a int); create rule r as on insert to target do also ${action};`,
      body: 'begin insert into target values (1); return 1; end',
    }),
  ),
  ...[
    'create table public.target (a int, b int default stab(5))',
    'create view public.target as select 1 as a, 2 as b; alter view target alter b set default stab(5)',
  ].map(
    (target): BodyAttack => ({
      name: `a stable function in a default that a rule gets: ${target.slice(0, 22)}`,
      setup: `${estimatedTable} ${target}; create rule r as on insert to target do instead select * from t where t.a = new.b;`,
      body: 'begin insert into target (a) values (1); return 1; end',
    }),
  ),
  ...['a int, b int default stab(5)', 'a int, b boolean default planned(5)'].map(
    (columns): BodyAttack => ({
      name: `what a rule writes to: ${columns}`,
      setup: `${estimatedTable} ${planned} create table public.first (a int); create table public.second (${columns});
        create rule r as on insert to first do also insert into second (a) values (1);
        create rule r as on insert to second do also select * from t where t.a = new.b${columns.includes('boolean') ? '::int' : ''};`,
      body: 'begin insert into first values (1); return 1; end',
    }),
  ),
];

/** A view or a body can lock rows, which applies the policies for updates. */
const locked: BodyAttack[] = ['update', 'no key update', 'share', 'key share'].flatMap((strength): BodyAttack[] => {
  const setup = `${estimatedTable} alter table t enable row level security; alter table t force row level security;
    create policy p on t for update using (a = stab(5)); create policy q on t for select using (true);`;
  const query = `select * from public.t for ${strength}`;
  return [
    {
      name: `a policy for updates, with FOR ${strength.toUpperCase()} in a view`,
      setup: `${setup} create view public.v as ${query};`,
      read: 'select * from v',
    },
    {
      name: `a policy for updates, with FOR ${strength.toUpperCase()} in an explained view`,
      setup: `${setup} create view public.v as ${query};`,
      read: 'explain select * from v',
    },
    {
      name: `a policy for updates, with FOR ${strength.toUpperCase()} in a body`,
      setup: `${setup} create view public.v as select * from t;`,
      body: `begin perform 1 from public.v for ${strength}; return 1; end`,
    },
    {
      name: `a policy for updates, with FOR ${strength.toUpperCase()} in standard SQL`,
      setup: `${setup} create view public.v as select * from t;
        create function public.g() returns setof int language sql begin atomic select a from public.v for ${strength}; end;`,
      read: 'select g()',
      only: { min: 14 },
    },
  ];
});

/** An index may use a function that is stable by now, and its condition is estimated with it. */
const estimatedIndexes: BodyAttack[] = [
  ['b > 0 or a = stab(5)', 'select * from t where b > 0 and c = 3'],
  ['b > 0 or a > stab(5)', 'select max(c) from t where b > 0'],
  ['b > 0 or a = stab(5)', 'explain select c from t where b > 0 order by c limit 3'],
  ['b is not null or a = any(array[stab(5)])', 'select * from t where b is not null and c = 3'],
  ['b > 0 or a = (1 ### 4)', 'select * from t where b > 0 and c = 3'],
].map(
  ([condition = '', read = '']): BodyAttack => ({
    name: `a stable function in the condition of an index: ${read}, where ${condition}`,
    setup: `create function public.stab(int) returns int language plpgsql immutable as
        $f$ begin if $1 = 5 and exists (select from public.cfg where x = 'on') then perform ${act}; end if; return 1; end $f$;
      create function public.plus(int, int) returns int language plpgsql immutable as 'begin return public.stab($1 + $2); end';
      create operator public.### (leftarg = int, rightarg = int, function = plus);
      create table public.t (a int, b int, c int); insert into t select i, i, i from generate_series(1, 500) i; grant all on t to public;
      create index on t (c) where ${condition}; analyze t; alter function stab(int) stable; alter function plus(int, int) stable;
      insert into public.cfg values ('on');`,
    read,
  }),
);

/** Between types of the server, only a superuser can make a cast. */
const serverCasts: BodyAttack[] = [
  'row(5::bigint)::public.t',
  'array[row(5::bigint)]::public.t[]',
  's::public.t from (select 5::bigint) s',
].map(
  (value): BodyAttack => ({
    name: `a cast between types of the server: ${value}`,
    prepare: `create type public.t as (a text); ${evil('to_text(bigint)')} create cast (bigint as text) with function to_text(bigint)`,
    read: `select ${value}`,
    undo: 'drop cast if exists (bigint as text)',
  }),
);

/** The condition of an index is evaluated for each row of a page, whatever became of its function meanwhile. */
const rechecked: BodyAttack[] = [
  ['brin (c) where b > 0 or now_volatile(a)', 'now_volatile(int)', 'c = 3'],
  ['brin (c) where b > 0 or a ### 1', 'op(int, int)', 'c = 3'],
  ['gin (d) where b > 0 or now_volatile(a)', 'now_volatile(int)', `d @> '{"a": 3}'`],
].map(
  ([index = '', changed = '', condition = '']): BodyAttack => ({
    name: `a function that became volatile, in the condition of an index: ${index}`,
    setup: `create function public.now_volatile(int) returns boolean language plpgsql immutable as
        $f$ begin if exists (select from public.cfg where x = 'on') then perform ${act}; end if; return true; end $f$;
      create function public.op(int, int) returns boolean language plpgsql immutable as 'begin return public.now_volatile($1); end';
      create operator public.### (leftarg = int, rightarg = int, function = op); create table public.t (a int, b int, c int, d jsonb);
      insert into t select i, -i, i, jsonb_build_object('a', i) from generate_series(1, 20000) i; grant all on t to public;
      create index on t using ${index}; analyze t; alter function ${changed} volatile; insert into cfg values ('on');`,
    read: `select * from t where b > 0 and ${condition}`,
  }),
);

/** A part of a table counts for the whole by its CHECK, not by its policies, whichever of them is found first. */
const parts: BodyAttack[] = ['part', 'middle'].map(
  (parent): BodyAttack => ({
    name: `a CHECK of a part of ${parent === 'part' ? 'a table' : 'a part'} that has a policy as well`,
    setup: `${planned} ${['planned', 'first', 'second']
      .map(
        (name, i) =>
          `create function public.${['first', 'second', 'third'][i]}(int) returns boolean language plpgsql immutable as 'begin return public.${name}($1); end';`,
      )
      .join(' ')}
      ${evil('pol()', 'boolean')} create table public.t (a int); create table public.middle () inherits (t);
      create table public.part (check (third(5) or a > 0)) inherits (${parent === 'part' ? 't' : 'middle'});
      ${['middle', 'part'].map((name) => `alter table ${name} enable row level security; create policy p on ${name} using (pol());`).join(' ')}
      grant all on t, middle, part to public;`,
    read: 'select * from t where a = 1',
  }),
);

/** On an older server, some words are the names of objects. */
const olderGrammar: BodyAttack[] = [
  ...['select * from system_user', 'select count(*) from (select 1) a, system_user', 'select g()'].map(
    (read): BodyAttack => ({
      name: `a view with the name of a newer word: ${read}`,
      setup: `create function public.evil() returns int language plpgsql as $f$ begin return ${act}; end $f$;
        create view public.system_user as select evil() as x; grant select on public.system_user to public;
        create function public.g() returns int language sql as 'select x from system_user';`,
      read,
      only: { max: 15 },
    }),
  ),
  {
    name: 'the type json where it is no word of the grammar',
    setup: `create schema x; create function x.ck(text) returns boolean language plpgsql as $f$ begin perform ${act}; return true; end $f$;
      create domain x.json as text check (x.ck(value));
      create function public.g() returns text language sql set search_path = x, pg_catalog as $f$ select 'x'::json $f$;`,
    read: 'select g()',
    only: { max: 15 },
  },
];

const changed: BodyAttack[] = [
  ...[
    ['a CHECK', 'create table part (check (1 ### 5 or a > 0)) inherits (t)'],
    ['statistics', 'create statistics s on (1 ### 5), a from t'],
    ['a default', 'alter table t alter b set default (1 ### 5)'],
  ].map(
    ([name = '', change = '']): BodyAttack => ({
      name: `${name} with an operator that was there before`,
      setup: `${planned} create function public.g(int, int) returns boolean language sql immutable as 'select public.planned($2)';
        create operator public.### (leftarg = int, rightarg = int, function = public.g); grant create on schema public to public;
        create table public.t (a int, b boolean); insert into t values (1); grant all on t to public;`,
      change,
      ...(name === 'a default'
        ? { body: 'begin insert into public.t (a) values (1); return 1; end' }
        : { read: 'select * from t where a = 1' }),
    }),
  ),
  {
    name: 'a table that inherits from a row that a function takes',
    setup: `create table public.parent (a int); create table public.child (a int); insert into child values (1); grant all on child to public;
      ${evil('lower(public.parent)')}`,
    change: 'alter table child inherit parent',
    read: 'select lower(child) from child',
  },
  {
    name: 'a function that begins to return rows of several columns',
    setup: `create type public.two as (a bigint, b bigint); ${evil('lower(public.two)')}
      create function public.two_of() returns text language sql as $f$ select 'x' $f$;`,
    change: `drop function two_of(); create function public.two_of(out a int, out b int) language sql as 'select 1, 2'`,
    read: 'select lower(two_of) from two_of()',
  },
  {
    name: 'a domain of information_schema',
    change: `alter domain information_schema.cardinal_number add constraint mine check (${act} = 1) not valid`,
    read: 'select 5::information_schema.cardinal_number',
    undo: 'alter domain information_schema.cardinal_number drop constraint if exists mine',
  },
];

const statistics: BodyAttack[] = [
  {
    name: 'the defaults of columns that were added',
    prepare: `create type public.comp as (a int);
      create function public.lt(comp, comp) returns boolean language plpgsql immutable as $f$ begin perform ${act}; return false; end $f$;
      create function public.cmp(comp, comp) returns int language plpgsql immutable as $f$ begin perform ${act}; return 0; end $f$;
      create operator public.<<< (leftarg = comp, rightarg = comp, function = lt);
      create operator class public.comp_ops default for type comp using btree as operator 1 <<<, function 1 cmp(comp, comp);
      create table public.t (x int); insert into t values (1); alter table t add a comp default row(1), add b comp default row(2)`,
    read: 'select max(attmissingval) from pg_attribute where attrelid::bigint >= 16384 and atthasmissing',
  },
];

const ordered = `create type public.comp as (a int);
  create function public.lt(comp, comp) returns boolean language plpgsql immutable as $f$ begin return $1.a < $2.a; end $f$;
  create function public.eq(comp, comp) returns boolean language plpgsql immutable as $f$ begin return $1.a = $2.a; end $f$;
  create function public.cmp(comp, comp) returns int language plpgsql immutable as $f$ begin perform ${act}; return $1.a - $2.a; end $f$;
  create function public.hash(comp) returns int language plpgsql immutable as $f$ begin perform ${act}; return 1; end $f$;
  create operator public.<<< (leftarg = comp, rightarg = comp, function = lt); create operator public.=== (leftarg = comp, rightarg = comp, function = eq);
  create operator class public.comp_ops default for type comp using btree as operator 1 <<<, operator 3 ===, function 1 cmp(comp, comp);
  create operator class public.comp_hash default for type comp using hash as operator 1 ===, function 1 hash(comp);`;

const comparedStatistics: BodyAttack[] = [
  ['hash_array(a)', 14],
  ['(a).hash_array', 14],
  ['array_sort(a)', 18],
].map(
  ([call, min]): BodyAttack => ({
    name: `${call} of statistics`,
    prepare: `${ordered} create table public.t2 (c comp); insert into t2 select row(i % 2)::comp from generate_series(1, 9) i; analyze t2`,
    read: `select ${call} from (select most_common_vals as a from pg_stats where tablename = 't2') s`,
    only: { min: Number(min) },
  }),
);

const modifiers: BodyAttack[] = ["to_regtype('public.own(5)')", "'public.own(5)'::text::regtype"].map(
  (named): BodyAttack => ({
    name: `the modifier of a type in ${named}`,
    prepare: `create type public.own; create function public.own_in(cstring) returns own language internal immutable strict as 'int4in';
      create function public.own_out(own) returns cstring language internal immutable strict as 'int4out'; ${evil('modify(cstring[])', 'int')}
      create type public.own (input = own_in, output = own_out, like = int4, typmod_in = modify)`,
    read: `select ${named}`,
  }),
);

export const inferenceAttacks: readonly BodyAttack[] = [
  ...refusedLate,
  ...inlined,
  ...records,
  ...recordsInFrom,
  ...fieldCalls,
  ...defaults,
  ...namedArguments,
  ...textLike,
  ...casts,
  ...serverCasts,
  ...estimated,
  ...locked,
  ...estimatedIndexes,
  ...rechecked,
  ...parts,
  ...olderGrammar,
  ...changed,
  ...statistics,
  ...comparedStatistics,
  ...modifiers,
];
