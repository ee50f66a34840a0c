/** Bodies that hide what they do. `act` and `command` are the effect: as an expression, and as a statement in the table `cfg`. */
export interface BodyAttack {
  readonly name: string;
  /** Runs as the role that planted it. */
  readonly setup?: string;
  /** Runs as the superuser. */
  readonly prepare?: string;
  /** By the superuser, after the read has been done once. */
  readonly change?: string;
  readonly undo?: string;
  /** Of `f()`, in PL/pgSQL. */
  readonly body?: string;
  readonly read?: string;
  readonly only?: { readonly min?: number; readonly max?: number };
}

export const act = "pg_catalog.lo_export(4242, 'bodies_effect')";
export const command = `select ${act}`;
const quoted = command.replaceAll("'", "''");

const fetch = 'select x from public.cfg';
const returning = (name: string, result = 'text') =>
  `create function public.${name} returns ${result} language plpgsql as $f$ begin perform ${act}; return 'x'; end $f$;`;
const shadow = (name: string) => returning(name).replace('$f$ begin', '$f$ begin if $1 is null then return null; end if;');
const evil = `create function public.evil() returns int language plpgsql as $f$ begin return ${act}; end $f$;`;
const evilSchema = `create schema x; create function x.eq(int, int) returns boolean language plpgsql as $f$ begin perform ${act}; return true; end $f$;
  create operator x.= (leftarg = int, rightarg = int, function = x.eq);`;
const guardedCheck = `create function public.check_it(text) returns boolean language plpgsql as $f$ begin if $1 = 'go' then perform ${act}; end if; return true; end $f$;`;

const bodies = (name: string, list: readonly string[], rest: Omit<BodyAttack, 'name' | 'body'> = {}): BodyAttack[] =>
  list.map((body, i) => ({ name: `${name} ${i + 1}`, body, ...rest }));

const qualifiedTargets = bodies('a qualified target of INTO', [
  `<<b>> declare c text; begin ${fetch} into b.c; execute c; return 1; end`,
  `<<b>> declare c refcursor; d text; begin open c for ${fetch}; fetch c into b.d; execute d; return 1; end`,
  `<<b>> declare c record; begin for b.c in ${fetch} loop execute c.x; end loop; return 1; end`,
  `<<b>> declare n int; c text; begin select 1, x into b.n, c from public.cfg; execute c; return 1; end`,
  `<<b>> declare c text; begin execute '${fetch}' into b.c; execute c; return 1; end`,
  `<<b>> declare c text; begin select into b.c x from public.cfg; execute c; return 1; end`,
  `<<b>> declare c text; begin select into strict b . c x from public.cfg; execute c; return 1; end`,
  `<<b>> declare r record; begin select 'select 1' as q into b.r; ${fetch} into b.r.q; execute r.q; return 1; end`,
  `<<"B c">> declare c text; begin ${fetch} into "B c".c; execute c; return 1; end`,
  `<<b>> declare c text; begin <<d>> declare c text; begin ${fetch} into b.c; end; execute c; return 1; end`,
  `<<b>> declare c text; n int; begin select x, 1 into b.c, b.n from public.cfg; execute c; return 1; end`,
  `<<b>> declare k cursor for ${fetch}; c text; begin open k; move next from k; move prior from k; fetch next from k into b.c; execute b.c; return 1; end`,
  `declare c text; begin ${fetch} into f.q; execute q; return 1; end`.replace('f.q', 'c').replace('execute q', 'execute c'),
]);

const assignments = bodies('an assignment', [
  `<<b>> declare c text; begin b.c = (${fetch}); execute c; return 1; end`,
  `<<b>> declare c text; begin b . c = (${fetch}); execute c; return 1; end`,
  `<<b>> declare c text[]; begin b.c[1] = (${fetch}); execute c[1]; return 1; end`,
  `<<b>> declare c record; begin select 'x' as q into c; b.c.q = (${fetch}); execute c.q; return 1; end`,
  `declare c text = (${fetch}); begin execute c; return 1; end`,
  `declare c constant text default (${fetch}); begin execute c; return 1; end`,
  `declare c text not null := (${fetch}); begin execute c; return 1; end`,
  `declare c text[] not null := array[(${fetch})]; begin execute c[1]; return 1; end`,
  `declare c public.cfg; begin c.x = (${fetch}); execute c.x; return 1; end`,
]);

const shadowed = bodies('a shadowed variable', [
  `declare c text; begin for c in 1..1 loop null; end loop; ${fetch} into c; execute c; return 1; end`,
  `declare c text; begin for c in reverse 2..1 loop perform c; end loop; ${fetch} into c; execute c; return 1; end`,
  `declare c int; begin declare c text; begin ${fetch} into c; execute c; end; return 1; end`,
  `declare c text; begin declare c int; begin c := 1; end; ${fetch} into c; execute c; return 1; end`,
  `declare c text; k cursor (c int) for select c; begin open k(1); ${fetch} into c; execute c; return 1; end`,
  `declare c text; d alias for c; begin ${fetch} into d; execute c; return 1; end`,
  `declare c text; begin for c in 1..1 loop begin null; end; end loop; while c is null loop ${fetch} into c; end loop; execute c; return 1; end`,
]);

const types = [
  ...['integer', 'uuid', 'xid', 'int4', 'text', 'Date', 'numeric'].map(
    (name): BodyAttack => ({
      name: `a domain that is called ${name}`,
      setup: `create domain public."${name}" as pg_catalog.text;`,
      body: `declare c public."${name}"; begin ${fetch} into c; execute c; return 1; end`,
    }),
  ),
  ...['text', 'int4', 'pg_class'].map(
    (name): BodyAttack => ({
      name: `a domain with a CHECK in another schema that is called ${name}`,
      setup: `${guardedCheck} create schema hidden; create domain hidden.${name} as pg_catalog.text check (public.check_it(value));`,
      body: `declare c hidden.${name} := 'go'; begin return c; end`,
    }),
  ),
  ...['U&"d\\006fm"', '"É"', `"${'d'.repeat(63)}"`, `${'d'.repeat(70)}`, 'É'].map(
    (name): BodyAttack => ({
      name: `a domain with a CHECK that is declared as ${name.slice(0, 20)}${name.length}`,
      setup: `${guardedCheck} create domain public.${name.startsWith('U&') ? 'dom' : name} as pg_catalog.text check (public.check_it(value));`,
      body: `declare c ${name} := 'go'; begin return c; end`,
    }),
  ),
];

const domainRow = `${guardedCheck} create domain public.dom as text check (public.check_it(value)); create type public.pair as (x public.dom);
  create table public.t (c public.dom); insert into public.t values ('x');
  create table public.ta (a public.dom[]); insert into public.ta values ('{x}');
  create table public.tp (p public.pair); insert into public.tp values (row('x'));
  create function public.row_of_t() returns record language plpgsql as $f$ declare r record; begin select * into r from public.t; return r; end $f$;
  create function public.open_t() returns refcursor language plpgsql as $f$ declare r refcursor := 'of_t'; begin open r for select * from public.t; return r; end $f$;`;

const notNull = bodies(
  'a default with NOT NULL',
  [
    `declare x public.mood[] not null := (select array['a'::public.mood] from (select ${act}) q); begin return 1; end`,
    `declare x public.pair array not null default (select array[row(1)::public.pair] from (select ${act}) q); begin return 1; end`,
    `begin declare x public."mood"[3] not null = (select '{a}'::public.mood[] from (select ${act}) q); begin return 1; end; end`,
    `declare x U&"m!006fod" uescape '!' not null := (select 'a'::public.mood from (select ${act}) q); begin return 1; end`,
    `declare x constant public.mood[] not null := (select '{a}'::public.mood[] from (select ${act}) q); begin return 1; end`,
  ],
  { setup: `create type public.mood as enum ('a'); create type public.pair as (x int);` },
);

const recordFields = bodies(
  'a field of a record that is of a domain',
  [
    `declare r record; begin select * into r from public.t; r.c := 'go'; return 1; end`,
    `declare r record; begin for r in select * from public.t loop r.c = 'go'; end loop; return 1; end`,
    `declare k cursor for select * from public.t; begin for r in k loop r.c := 'go'; end loop; return 1; end`,
    `declare r record; begin for r in execute 'select * from public.t' loop r.c := 'go'; end loop; return 1; end`,
    `declare r record; begin select * into r from public.t; select 'go' into r.c; return 1; end`,
    `declare r record; begin select * into r from public.t; foreach r.c in array array['go'] loop null; end loop; return 1; end`,
    `declare r record; begin select * into r from public.ta; r.a := array['go']; return 1; end`,
    `declare r record; begin select * into r from public.tp; r.p.x := 'go'; return 1; end`,
    `declare r record; begin r := public.row_of_t(); r.c := 'go'; return 1; end`,
    `declare r record; k refcursor := public.open_t(); begin fetch k into r; r.c := 'go'; return 1; end`,
    `declare k cursor (v public.dom) for select v; begin open k('go'); return 1; end`,
    `declare k cursor (v dom) for select v; begin for r in k('go') loop return 1; end loop; end`,
  ],
  { setup: domainRow },
);

const hiddenTypes = bodies(
  'a value of a type that the body does not name',
  [
    `declare r record; begin r := public.row_of_m(); return lower(r.m); end`,
    `declare r record; begin r := public.row_of_m(); if r.m = r.m then return 1; end if; return 2; end`,
    `declare k refcursor := public.open_m(); r record; begin fetch k into r; return lower(r.m); end`,
    `declare r record; begin r := public.row_of_m(); return lower(r); end`,
    `declare r record; begin r := public.row_of_m(); return (r).lower; end`,
  ],
  {
    setup: `create type public.mood as enum ('sad'); create table public.moods (m public.mood); insert into public.moods values ('sad');
      ${returning('lower(public.mood)')} ${returning('lower(public.moods)')}
      create function public.eq(public.mood, public.mood) returns boolean language plpgsql as $f$ begin perform ${act}; return true; end $f$;
      create operator public.= (leftarg = public.mood, rightarg = public.mood, function = public.eq);
      create function public.row_of_m() returns record language plpgsql as $f$ declare r public.moods; begin select * into r from public.moods; return r; end $f$;
      create function public.open_m() returns refcursor language plpgsql as $f$ declare r refcursor := 'of_m'; begin open r for select * from public.moods; return r; end $f$;`,
  },
);

const shadowedFunctions: BodyAttack[] = [
  ['quote_literal(varchar)', `execute 'select ' || quote_literal('x'::varchar)`],
  ['quote_ident(varchar)', `execute 'select ' || quote_ident('x'::varchar)`],
  ['quote_nullable(varchar)', `execute 'select ' || quote_nullable('x'::varchar)`],
  ['format(text, varchar)', `execute format('select %L', 'x'::varchar)`],
  ['concat(int, int)', 'execute concat(1, 2)'],
  ['concat_ws(text, int)', `execute concat_ws('', 1)`],
  ['lower(varchar)', `perform lower('x'::varchar)`],
  ['md5(varchar)', `perform 1 where md5('x'::varchar) = 'x'`],
].map(([signature = '', statement]) => ({
  name: `a user's ${signature}`,
  setup: shadow(signature),
  body: `begin ${statement}; return 1; exception when syntax_error then return 2; end`,
}));

const shadowedOperators: BodyAttack[] = [
  ...bodies(
    "a user's ||",
    ['begin return 1 || 2; end', 'begin execute 1 || 2; return 1; end', 'begin return 1 operator(public.||) 2; end'],
    {
      setup: `create function public.glue(int, int) returns text language plpgsql as $f$ begin perform ${act}; return 'select 1'; end $f$;
      create operator public.|| (leftarg = int, rightarg = int, function = public.glue);`,
    },
  ),
];

const literals = bodies('a literal with escapes', [
  `begin execute E'select '\n'\\x70g_catalog.l\\x6f_export(4242, ''bodies_effect'')'; return 1; end`,
  `begin execute U&'select pg_catalog.l\\006f_export'\n'(4242, ''bodies_effect'')'; return 1; end`,
  `begin execute E'select pg_catalog.\\U0000006co_export(4242, \\'bodies_effect\\')'; return 1; end`,
  `begin execute E'select pg_catalog.\\554o_export(4242, ''bodies_effect'')'; return 1; end`,
  `begin execute E'select pg_catalog.\\154o_export(4242, ''bodies_effect'')'; return 1; end`,
  `begin perform query_to_xml(E'select '\n'pg_catalog.\\x6co_export(4242, ''bodies_effect'')', true, true, ''); return 1; end`,
  `begin execute U&'select pg_catalog.!006co_export(4242, ''bodies_effect'')' uescape '!'; return 1; end`,
  `begin execute $a$select $a$ '${''}'; return 1; end`.replace(`$a$select $a$ ''`, `$a$do $b$ begin perform ${act}; end $b$ $a$`),
  `begin execute 'execute ' || 'x'; return 1; exception when others then execute (${fetch}); return 2; end`,
  `begin execute '${quoted}'::text; return 1; end`,
  `begin execute 'select pg_catalog."lo_export"(4242, ''bodies_effect'')'; return 1; end`,
  `begin execute 'select pg_catalog.U&"\\006co_export"(4242, ''bodies_effect'')'; return 1; end`,
]);

const trick = `perform '\\'/*', ${act}, '\\'*/||'--'\n`;
const settings: BodyAttack[] = [
  ...bodies('standard_conforming_strings', [
    `begin set local standard_conforming_strings = off; ${trick}; return 1; end`,
    `begin set standard_conforming_strings to off; ${trick}; return 1; end`,
    `begin set local "Standard_Conforming_Strings" = off; ${trick}; return 1; end`,
    `begin execute 'set local standard_conforming_strings = off'; ${trick}; return 1; end`,
    `begin perform set_config('standard_conforming_strings', 'off', true); ${trick}; return 1; end`,
    `begin update pg_settings set setting = 'off' where name = 'standard_conforming_strings'; ${trick}; return 1; end`,
  ]).filter(({ name }) => !name.endsWith(' 6')),
  {
    name: 'standard_conforming_strings in the caller',
    setup: `set check_function_bodies = off; create function public.g() returns int language plpgsql as $f$ begin ${trick}; return 1; end $f$;`,
    body: 'begin set local standard_conforming_strings = off; return public.g(); end',
  },
  {
    name: 'standard_conforming_strings of the function',
    setup: `set check_function_bodies = off; create function public.g() returns int language plpgsql set standard_conforming_strings = off as $f$ begin ${trick}; return 1; end $f$;`,
    read: 'select g()',
  },
  {
    name: 'standard_conforming_strings of a caller',
    setup: `set check_function_bodies = off; create function public.g() returns int language plpgsql as $f$ begin ${trick}; return 1; end $f$;
      create function public.h() returns int language sql set standard_conforming_strings = off as 'select public.g()';`,
    read: 'select h()',
  },
];

const otherPath = `create schema x; create function x.lower(varchar) returns text language plpgsql as $f$ begin perform ${act}; return 'x'; end $f$;`;
const calling = `perform lower('x'::varchar); return 1`;
const paths: BodyAttack[] = [
  ...bodies(
    'a search path that is set',
    [
      `begin set local schema 'x'; ${calling}; end`,
      `begin set schema 'x'; ${calling}; end`,
      `begin set local search_path = x, public; ${calling}; end`,
      `begin execute 'set local search_path = x'; ${calling}; end`,
      `begin set local "search_path" to default; set local "Search_Path" to x; ${calling}; end`,
      `begin perform set_config('search_path', 'x', true); ${calling}; end`,
    ],
    { setup: otherPath },
  ),
  ...['x', '"X"', '"a,b"', '"a""b"', '"a\nb"', '" x"'].map(
    (name): BodyAttack => ({
      name: `a function with the search path ${name}`,
      setup: `${otherPath.replaceAll(' x.', ` ${name}.`).replace('schema x', `schema ${name}`)}
        create function public.g() returns text language sql set search_path = ${name} as $f$ select lower('x'::varchar) $f$;`,
      read: 'select g()',
    }),
  ),
  ...['FOO', ' foo', 'f'.repeat(70)].map(
    (path): BodyAttack => ({
      name: `a search path from what was current: ${path.slice(0, 5)}`,
      setup: `${otherPath.replaceAll(' x.', ` ${path.trim().toLowerCase()}.`).replace('schema x', `schema ${path.trim().toLowerCase()}`)}
        select set_config('search_path', '${path}', false);
        create function public.g() returns text language sql set search_path from current as $f$ select lower('x'::varchar) $f$;`,
      read: 'select g()',
    }),
  ),
  {
    name: 'a schema that is called like the role that is set',
    setup: otherPath.replaceAll(' x.', ' bodies_planter.').replace('schema x', 'schema bodies_planter'),
    body: `begin set local role bodies_planter; ${calling}; exception when insufficient_privilege then perform ${act}; return 2; end`,
  },
  {
    name: 'a schema that is called like the owner of a function',
    setup: `${otherPath.replaceAll(' x.', ' bodies_planter.').replace('schema x', 'schema bodies_planter')}
      create function bodies_planter.reach() returns text language sql as $f$ select lower('x'::varchar) $f$;
      create function public.g() returns text language sql set search_path = "$user", public as $f$ select bodies_planter.reach() $f$;`,
    prepare: 'alter function public.g() set search_path = bodies_planter, public',
    read: 'select g()',
  },
];

const operators: BodyAttack[] = bodies(
  'a qualified operator',
  [
    'begin return 1 operator(x.=) 2; end',
    'begin perform 1 where 1 operator(x.=) 2; return 1; end',
    'begin perform 1 where 1 operator(x.=) any (array[2]); return 1; end',
    'begin perform 1 where 1 operator(x.=) (select 2); return 1; end',
    'begin if 1 operator("x".=) 2 then return 1; end if; return 2; end',
    `begin execute 'select 1 operator(x.=) 2'; return 1; end`,
    `begin execute format('select 1 operator(%I.=) 2', 'x'); return 1; end`,
    'declare b boolean := 1 operator(x.=) 2; begin return b; end',
    'begin perform 1 from (values (1)) a (n) order by n operator(x.=) 2; return 1; end',
    'begin perform case when 1 operator(x.=) 2 then 1 end; return 1; end',
  ],
  { setup: evilSchema },
);

const fields: BodyAttack[] = bodies(
  'a field that is a call',
  [
    `declare n text := 'evil_field'; begin execute format('select (y).%I from public.cfg y', n); return 1; end`,
    `declare n text := 'evil_field'; begin execute format('select y.%I from public.cfg y', n); return 1; end`,
    `declare n text := 'evil_field'; begin execute 'select (y).' || quote_ident(n) || ' from public.cfg y'; return 1; end`,
    'begin perform (y).evil_field from public.cfg y; return 1; end',
    'begin perform y.evil_field from public.cfg y; return 1; end',
    'begin perform y.evil_field from (select * from public.cfg) y, lateral (select y) z where false or (z.y).evil_field is null; return 1; end',
    'declare r public.cfg; begin select * into r from public.cfg; perform (r).evil_field; return 1; end',
  ],
  {
    setup: `create function public.evil_field(public.cfg) returns int language plpgsql as $f$ begin return ${act}; end $f$;`,
  },
).filter(({ name }) => !name.endsWith(' 6'));

const words: BodyAttack[] = [
  { name: 'merge_action', setup: returning('merge_action()'), read: 'select g()', only: { max: 16 } },
  { name: 'json_object', setup: returning('json_object(int)'), read: 'select g()', only: { max: 15 } },
  { name: 'json_scalar', setup: returning('json_scalar(int)'), read: 'select g()', only: { max: 16 } },
  { name: 'json_array', setup: returning('json_array(int)'), read: 'select g()', only: { max: 15 } },
].map((one) => {
  const call = `${one.name}(${one.name === 'merge_action' ? '' : '1'})`;
  return {
    ...one,
    name: `a word of a newer grammar: ${one.name}`,
    setup: `${one.setup} create function public.g() returns text language sql as 'select ${call}';`,
  };
});

export const bodyAttacks: readonly BodyAttack[] = [
  ...qualifiedTargets,
  ...assignments,
  ...shadowed,
  ...types,
  ...notNull,
  ...recordFields,
  ...hiddenTypes,
  ...shadowedFunctions,
  ...shadowedOperators,
  ...literals,
  ...settings,
  ...paths,
  ...operators,
  ...fields,
  ...words,
  { name: 'a call, for comparison', setup: evil, body: 'begin return public.evil(); end' },
];
