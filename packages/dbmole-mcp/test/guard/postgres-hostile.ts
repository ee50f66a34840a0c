import { readdirSync, readFileSync } from 'node:fs';
import type { EngineAddress } from '@dbmole/engines';
import { direct, until } from '../engines/postgres-fixture.ts';

/**
 * A schema `evil` that imitates whatever our own SQL may use: operators, types and functions of the server's own names. Each
 * takes an advisory lock, which a read-only transaction does not stop, so the guard must refuse it; and the server counts its calls.
 */
export async function makeHostile(address: EngineAddress): Promise<void> {
  const { database } = address;
  // Counted by the server itself, whatever becomes of the transaction.
  await direct(address, `alter database ${database} set track_functions = 'all'`);
  await direct(address, victims);
  await direct(address, traps);
  await direct(address, `select evil.shadow_functions('{${ownWords().join(',')}}'), evil.shadow_types()`);
}

/** What a role or a database may be given, and what decides how a text is read, a value is written or a statement works. */
export const settings = [
  'standard_conforming_strings = off',
  'backslash_quote = on',
  "client_encoding = 'GBK'",
  'quote_all_identifiers = on',
  'transform_null_equals = off',
  'array_nulls = off',
  'extra_float_digits = -15',
  "bytea_output = 'escape'",
  "intervalstyle = 'sql_standard'",
  "datestyle = 'German'",
  "xmlbinary = 'hex'",
  "xmloption = 'document'",
  'default_transaction_read_only = off',
  "default_transaction_isolation = 'serializable'",
  'session_replication_role = replica',
  'check_function_bodies = off',
  'row_security = off',
  "client_min_messages = 'debug5'",
  "plpgsql.variable_conflict = 'use_column'",
];

const act = `'begin perform pg_catalog.pg_try_advisory_lock(4711); return null; end'`;

/** What is read through all tools. */
const victims = `
create type public.mood as enum ('sad', 'glad');
create domain public.positive as pg_catalog.int4 check (value > 0);
create table public.customers (id int primary key, name text not null, mood public.mood default 'sad', born date);
create table public.orders (id int primary key, customer int references public.customers, amount numeric(10, 2) check (amount > 0), n public.positive);
create index on public.orders (lower(customer::text)) where amount > 5;
create view public.big as select o.id, c.name from public.orders o join public.customers c on c.id = o.customer where o.amount > 100;
create table public.parted (day date) partition by range (day);
create table public.parted_1 partition of public.parted for values from ('2024-01-01') to ('2025-01-01');
create function public.innocent() returns bool language sql stable as 'select 1 = 1';
create function public.innocent_too(a text) returns text language plpgsql stable as 'begin return lower(a); end';
create view public.asks as select public.innocent() as a;
create view public.definitions as select * from pg_views;
create view public.runs as select query_to_xml('select 1 = 1', true, true, '') as x;
comment on table public.orders is 'What was ordered';
insert into public.customers values (1, 'Ada', 'glad', '2000-01-01');
insert into public.orders values (1, 1, 200, 3), (2, 1, 5, 4);
create table public.notes (id int);`;

/** Names that stand before a parenthesis in our sources: functions, and more that does no harm. */
function ownWords(): string[] {
  const folder = new URL('../../src/engines/postgres/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = files.map((name) => readFileSync(new URL(name, folder), 'utf8'));
  return [...new Set(texts.flatMap((text) => text.match(/\b[a-z][a-z0-9_]*(?=\()/g) ?? []))];
}

/** Also over pairs of types for which the server has no operator of its own: an exact fit wins, wherever it is in the path. */
const traps = `
create schema evil;
create function evil.check_value() returns bool language plpgsql as
  'begin perform pg_catalog.pg_try_advisory_lock(4711); return true; end';
create function evil.control() returns int language plpgsql as 'begin return 1; end';
create function evil.step(int8) returns int8 language plpgsql as ${act};
create aggregate evil.count(*) (sfunc = evil.step, stype = int8);
do $do$
declare o record;
begin
  for o in
    with known (t, kind) as (
      select t::regtype, 'number' from unnest('{int2,int4,int8,oid,xid,numeric,float4,float8,regclass,regtype,regnamespace}'::text[]) t
      union all select t::regtype, 'text' from unnest('{text,name,"\\"char\\"",varchar,bpchar}'::text[]) t
    )
    select distinct on (name, l, r) name, l, r, res from (
      select oprname as name, oprleft as l, oprright as r, oprresult as res from pg_operator
        where oprnamespace = 11 and oprresult <> 0 and not exists (
          select from pg_type where oid in (oprleft, oprright, oprresult) and typtype = 'p' and typname !~ '^any(element|array|nonarray|range|enum|compatible.*)?$')
          and (oprleft = 0 or oprresult not in (select oid from pg_type where typname like 'any%'))
          and not exists (select from pg_type where oid in (oprleft, oprright) and typname like 'any%')
      union all select x.name, a.t, b.t, 'bool'::regtype
        from unnest('{=,<>,<,>,<=,>=}'::text[]) x (name), known a, known b where a.kind = b.kind
      union all select x.name, a.t, b.t, a.t from unnest('{+,-,*,/}'::text[]) x (name), known a, known b where a.kind = 'number' and b.kind = 'number'
      union all select x.name, a.t, b.t, 'bool'::regtype from unnest('{~,!~,~*,~~,~~*,!~~}'::text[]) x (name), known a, known b where a.kind = 'text' and b.kind = 'text'
      union all select '||', a.t, b.t, 'text'::regtype from known a, known b where 'text' in (a.kind, b.kind)
    ) x order by name, l, r, res
  loop
    if to_regprocedure(format('evil.%I(%s)', 'op_' || o.res, concat_ws(',', nullif(o.l, 0)::regtype, o.r::regtype))) is null then
      execute format('create function evil.%I(%s) returns %s language plpgsql as %L', 'op_' || o.res,
        concat_ws(',', nullif(o.l, 0)::regtype, o.r::regtype), o.res::regtype, ${act});
    end if;
    execute format('create operator evil.%s (%s rightarg = %s, function = evil.%I)', o.name,
      case when o.l <> 0 then format('leftarg = %s,', o.l::regtype) end, o.r::regtype, 'op_' || o.res);
  end loop;
end $do$;
create function evil.shadow_functions(names text[]) returns void language plpgsql as $f$
declare p record;
begin
  for p in select proname, pg_get_function_identity_arguments(oid) as args, prorettype::regtype as result, proretset from pg_proc
    where pronamespace = 11 and prokind = 'f' and proname = any (names) and proallargtypes is null
      and not exists (select from pg_type where oid in (select unnest(proargtypes) union select prorettype) and typtype = 'p' and typname <> 'anyelement' and typname <> 'void')
      and (prorettype <> 'anyelement'::regtype or 'anyelement'::regtype = any (proargtypes))
  loop
    execute format('create function evil.%I(%s) returns %s %s language plpgsql as %L', p.proname, p.args,
      case when p.proretset then 'setof' end, p.result,
      format('begin perform pg_catalog.pg_try_advisory_lock(4711); %s end', case when p.proretset or p.result::text = 'void' then 'return;' else 'return null;' end));
  end loop;
end $f$;
create function evil.shadow_types() returns void language plpgsql as $f$
declare t record;
begin
  for t in select typname from pg_type where typnamespace = 11 and typtype = 'b' and typcategory <> 'A' and typname <> 'pg_node_tree' loop
    execute format('create domain evil.%I as pg_catalog.%I check (evil.check_value())', t.typname, t.typname);
  end loop;
end $f$;`;

/** Functions of the schema that were called, in sessions that have ended. */
export async function marksIn(address: EngineAddress): Promise<string[]> {
  const calls = async () =>
    await direct(
      address,
      `select f.funcid operator(pg_catalog.=) 'evil.control()'::pg_catalog.regprocedure::pg_catalog.oid as control,
         pg_catalog.concat(f.funcid::pg_catalog.regprocedure, ' ', f.calls) as text
       from pg_catalog.pg_stat_user_functions f where f.schemaname operator(pg_catalog.=) 'evil'::pg_catalog.name`,
    );
  // Counts arrive in their order: after this one, all are there.
  const before = (await calls()).find(({ control }) => control)?.text;
  await direct(address, 'select evil.control()');
  await until(async () => (await calls()).find(({ control }) => control)?.text !== before, 20_000);
  return (await calls()).filter(({ control }) => !control).map(({ text }) => String(text));
}
