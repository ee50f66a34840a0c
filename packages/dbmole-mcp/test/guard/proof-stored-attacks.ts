import { act, type BodyAttack } from './proof-body-attacks.ts';

/** Queries that the server keeps as trees, in views and in functions in standard SQL: what their names lead to, no reader of texts sees. */
const planned = `create function public.planned(int) returns boolean language plpgsql immutable as
  $f$ begin if $1 = 5 then perform ${act}; end if; return true; end $f$;`;
const atomic = (query: string) =>
  `create function public.g() returns boolean language sql begin atomic ${query}; select true; end;`;
const secured = 'alter table t enable row level security; alter table t force row level security;';

/** The planner computes what is immutable before the server refuses to write. */
const writes: BodyAttack[] = [
  ['a default', 'create table public.t (a int, b boolean default planned(5));', 'insert into public.t (a) values (1)'],
  [
    'a default, in WITH',
    'create table public.t (a int, b boolean default planned(5));',
    'with x as (insert into public.t (a) values (1) returning 1) select 1 from x',
  ],
  [
    'the default of a view',
    'create table public.base (a int, b boolean); create view public.t as select * from base; alter view t alter b set default planned(5);',
    'insert into public.t (a) values (1)',
  ],
  [
    'a rule',
    'create table public.t (a int); create rule r as on update to t where planned(5) is null do instead nothing;',
    'update public.t set a = 1',
  ],
  [
    'a policy',
    `create table public.t (a int); ${secured} create policy p on t for delete using (planned(5)); create view public.v as select * from t;`,
    'delete from public.v',
  ],
].map(
  ([name = '', table = '', write = '']): BodyAttack => ({
    name: `${name} that a write in standard SQL leads to`,
    setup: `${planned} ${table} ${atomic(write)}`,
    read: 'select g()',
    only: { min: 14 },
  }),
);

const filled = `create function public.check_it(text) returns boolean language plpgsql as
    $f$ begin if $1 = 'go' then perform ${act}; end if; return true; end $f$;
  create domain public.dom as text check (public.check_it(value)); create type public.pair as (d dom);
  create table public.t (id int, c pair, a pair[]); insert into t values (1, '(x)', array['(x)'::pair]); grant all on t to public;`;

const fills: BodyAttack[] = [
  `select jsonb_populate_record(c, '{"d": "go"}') is null as x from t`,
  `select jsonb_populate_record(a[1], '{"d": "go"}') is null as x from t`,
  `select x is null as x from t, unnest(a) u, jsonb_populate_recordset(u, '[{"d": "go"}]') x`,
].flatMap((query, i): BodyAttack[] => [
  {
    name: `a part of a row that is filled in a view: ${query}`,
    setup: `${filled} create view public.v as ${query}; grant all on v to public;`,
    read: 'select * from v',
  },
  ...(i === 0
    ? [
        {
          name: `a part of a row that is filled in standard SQL: ${query}`,
          setup: `${filled} ${atomic(query)}`,
          read: 'select g()',
          only: { min: 14 },
        },
      ]
    : []),
]);

/** A setting of a function holds for all that it calls. */
const settings: BodyAttack[] = ['function', 'procedure'].map(
  (kind): BodyAttack => ({
    name: `standard_conforming_strings of a ${kind} in standard SQL`,
    setup: `set check_function_bodies = off; create function public.h() returns int language plpgsql as
        $f$ begin perform '\\'/*', ${act}, '\\'*/||'--'\n; return 1; end $f$;
      create ${kind} public.p() ${kind === 'function' ? 'returns int' : ''} language sql set standard_conforming_strings = off
        begin atomic select public.h(); end; create function public.g() returns int language plpgsql as
        $f$ begin ${kind === 'function' ? 'perform' : 'call'} public.p(); return 1; end $f$;`,
    read: 'select g()',
    only: { min: 14 },
  }),
);

export const storedAttacks: readonly BodyAttack[] = [...writes, ...fills, ...settings];
