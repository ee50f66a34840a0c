import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFunctionDenial, findReach } from '../../src/engines/postgres/guard/denials.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const acting = (
  signature: string,
  result: string,
  value: string,
) => `create function ${signature} returns ${result} language plpgsql immutable as
  $f$ begin if (select acts from public.switch) then raise exception 'it acted'; end if; return ${value}; end $f$;`;

/** Everything that runs code acts once the switch is on. */
const objects = `create table switch (acts boolean); insert into switch values (false);
  ${acting('eq(int, int)', 'boolean', '$1 = $2')} ${acting('lt(int, int)', 'boolean', '$1 < $2')} ${acting('cmp(int, int)', 'int', '$1 - $2')}
  ${acting('hash(int, bigint)', 'bigint', '$1')} ${acting('hash(int)', 'int', '$1')} ${acting('key(int)', 'int', '$1')}
  ${acting('held(text)', 'boolean', 'true')}
  create operator === (leftarg = int, rightarg = int, function = eq); create operator <# (leftarg = int, rightarg = int, function = lt);
  create operator class sorted for type int using btree as operator 1 <#, operator 3 ===, function 1 cmp(int, int);
  create operator class hashed for type int using hash as operator 1 ===, function 1 hash(int), function 2 hash(int, bigint);
  create domain d as text check (held(value)); create type pair as (a d); create type r as range (subtype = int, subtype_opclass = sorted);
  create table ranges (a int) partition by range (a sorted); create table range1 partition of ranges for values from (1) to (5);
  create table lists (a int) partition by list (a sorted); create table list1 partition of lists for values in (1, 2);
  create table hashes (a int) partition by hash (a hashed); create table hash1 partition of hashes for values with (modulus 2, remainder 0);
  create table keys (a int) partition by range (key(a)); create table key1 partition of keys for values from (1) to (5);
  create table t (a int check (key(a) > 0), b d, c r); insert into t values (1, 'x', '[1,2]'); create index i on t (key(a)) where key(a) > 0;
  create index sorted_i on t (a sorted); create statistics s on (key(a)), a from t; create policy p on t using (held('x'));
  alter table t enable row level security; analyze t; create view v as select held('x') as x, b from t; update switch set acts = true`;

/** The functions that act when they are given the number or the name of such an object. */
const search = `do $d$ declare f record; value text; args text; i int; begin
  create table hits (name text);
  for f in select p.proname as name, p.proargtypes::oid[]::regtype[]::text[] as types from pg_proc p
    where p.oid < 16384 and p.prokind = 'f' and p.pronargs between 1 and 3 and p.pronamespace = 'pg_catalog'::regnamespace
      and (p.provolatile <> 'i' or p.proargtypes[0] in (26, 2205, 2206)) and p.proname !~ $n$^(has_|pg_stat_get|pg_sleep|lo_|pg_.*(terminate|cancel|
        promote|backup|nextoid|handler|validator|reload|rotate|advisory|slot|origin|switch|log_|import|export|read|_ls|file|sync|summar|restore|emit))$n$
      and p.proargtypes::oid[] <@ array['oid', 'regclass', 'regtype', 'regprocedure', 'text', 'name', 'int', 'smallint', 'bigint', 'bool']::regtype[]::oid[]
  loop
    for value in select oid::text from pg_class where relnamespace = 'public'::regnamespace union all select oid::text from pg_constraint
      where conrelid = 't'::regclass union all select oid::text from pg_type where typname in ('d', 'pair', 'r', 't')
      union all select unnest(array['public.d', 't', 'public.v', 'x', '5', 'public'])
    loop
      args := case when f.types[0] like 'reg%' then value || '::oid' else quote_literal(value) end || '::' || f.types[0];
      for i in 1 .. coalesce(array_upper(f.types, 1), 0) loop
        args := args || ', ' || case when f.types[i] in ('text', 'name', 'regtype') then quote_literal('public.d')
          when f.types[i] = 'regclass' then quote_literal('t') when f.types[i] = 'boolean' then 'true' else '1' end || '::' || f.types[i];
      end loop;
      begin
        execute format('select count(x) from (select pg_catalog.%I(%s) as x) y', f.name, args) into i;
      exception when others then
        if sqlerrm like '%it acted%' then insert into hits values (f.name); end if;
      end;
    end loop;
  end loop; end $d$`;

describe.each(['postgres14', 'postgres18'] as const)('functions of %s that run what they find by a name or a number', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_lookup');
    await database.run(objects);
  });
  afterAll(() => database.dispose());

  it('are all known', async () => {
    await database.run(search);
    const names = (await database.run('select distinct name from hits')).map(({ name }) => String(name));
    const isKnown = (name: string) => findFunctionDenial('pg_catalog', name) ?? findReach({ schema: 'pg_catalog', name });
    expect(names).toContain('pg_get_partition_constraintdef');
    expect(names.filter((name) => isKnown(name) === undefined)).toEqual([]);
  });
});
