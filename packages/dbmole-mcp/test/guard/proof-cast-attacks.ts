import { act, type BodyAttack } from './proof-body-attacks.ts';

/** Casts whose target the statement writes in another way than the catalog, or does not write. */
const mood = `create type public.mood as enum ('sad'); create table public.m (m public.mood); insert into m values ('sad'); grant all on m to public;`;

const castTo = (
  type: string,
) => `${mood} create function public.sad() returns mood language sql immutable as $f$ select 'sad'::public.mood $f$;
  create function public.to_other(mood) returns ${type} language plpgsql as $f$ begin perform ${act}; return null; end $f$;
  create cast (mood as ${type}) with function to_other(mood);`;

const arrays: BodyAttack[] = [
  ['int[]', 'select m::int[] from m'],
  ['text[]', 'select cast(m as text array) from m'],
  ['varchar[]', 'select m::varchar(10)[] from m'],
  ['int[]', 'select m::int[][3] from m'],
  ['public.mood[]', 'select m::mood[] from m'],
  ['int[]', 'select (m)::pg_catalog._int4 from m'],
].map(([type = '', read = '']) => ({ name: `a cast to the array ${type}: ${read}`, setup: castTo(type), read }));

const json: BodyAttack[] = [
  ['int[]', "select json_value(jsonb '{}', '$.a' returning int[] default sad() on empty)"],
  ['jsonpath', "select json_value(jsonb '{}', m) from m"],
  ['jsonpath', "select json_query(jsonb '{}', m) from m"],
  ['jsonpath', "select json_exists(jsonb '{}', m) from m"],
].map(([type = '', read = '']) => ({ name: `a cast to ${type} in ${read}`, setup: castTo(type), read, only: { min: 17 } }));

/** A domain over a shorter text cuts the literal, where a path finds it before the type of the server. */
const cutting = (type: string, length: number, statement: string): BodyAttack => ({
  name: `a literal that is cut by a domain called ${type}: ${statement}`,
  setup: `create function public.evil() returns int language plpgsql as $f$ begin return ${act}; end $f$; create view public.v as select evil();
    create table public.v2 (x int); create schema x; create domain x.${type} as pg_catalog.varchar(${length});
    create function public.g() returns int language plpgsql set search_path = x, pg_catalog as $f$ begin ${statement}; return 1; end $f$;`,
  read: 'select g()',
});

const cut: BodyAttack[] = [
  cutting('text', 22, "execute 'select * from public.v2'::text"),
  cutting('text', 22, "execute text 'select * from public.v2'"),
  cutting('text', 22, 'execute cast(\'select * from public.v2\' as "text")'),
  cutting('text', 22, "perform query_to_xml('select * from public.v2'::text, true, true, '')"),
  cutting('regclass', 8, "perform table_to_xml('public.v2'::regclass, true, true, '')"),
];

const checking = (when: string) => `create function public.check_it(text) returns boolean language plpgsql as
    $f$ begin if $1 ${when} then perform ${act}; end if; return true; end $f$;
  create domain public.dom as text check (public.check_it(value)); create table public.t (d dom, a dom[]); grant all on t to public;`;

/** Types of variables, as PL/pgSQL accepts them. */
const declared: BodyAttack[] = [
  ...['pg_catalog/**/.record', 'U&"record"', 'pg_catalog. --\n record'].map(
    (type): BodyAttack => ({
      name: `a cast to a column of a variable of the type ${type}`,
      setup: `${checking("= 'go'")} insert into t values ('x', '{x}');`,
      body: `declare r ${type}; begin select * into r from public.t; r.a := '{go}'::text; return 1; end`,
    }),
  ),
  ...['public.t.d%/**/type', 'public.t.d % --\n type'].map(
    (type): BodyAttack => ({
      name: `the first value of a variable of the type ${type}`,
      setup: checking('is null'),
      body: `declare x ${type}; begin return 1; end`,
    }),
  ),
  {
    name: 'an argument of a cursor with a copied type',
    setup: checking("= 'go'"),
    body: "declare c cursor (x public.t.d%/**/type) for select x; begin open c('go'::text); return 1; end",
  },
  {
    name: 'an argument of a cursor behind one with the name of a word',
    setup: checking("= 'go'"),
    body: "declare c cursor (is int, d public.dom) is select d; begin open c(1, 'go'::text); return 1; end",
  },
];

export const castAttacks: readonly BodyAttack[] = [
  ...arrays,
  ...json,
  ...cut,
  ...declared,
  {
    name: 'a cast to an array in a body',
    setup: castTo('int[]'),
    body: 'declare x public.mood; begin return (select y.m::int[] from public.m y); end',
  },
  {
    name: 'a cast to a declared array',
    setup: castTo('int[]').replace('to_other(mood);', 'to_other(mood) as assignment;'),
    body: "declare x int[] := 'sad'::public.mood; begin return x; end",
  },
];
