import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableParts } from '../../src/catalog/catalog.ts';
import { direct } from '../engines/postgres-fixture.ts';
import { openTools } from '../open-tools.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const planter = 'questions_planter';
const file = 'questions_effect';
/** Files of the server outlast a database. */
const clear = `copy (select) to program 'cat > /dev/null; rm -f ${file}'`;
const evil = (result: string) => `create function public.evil() returns ${result} language plpgsql as
  $f$ begin perform pg_catalog.lo_export(4242, '${file}'); return null; end $f$;`;

/** By a role that may only create objects, except where the owner of the extension changes its view. */
const plants = {
  'a view that its version does not have': `create extension pg_stat_statements version '1.8'; set role ${planter};
    ${evil('timestamptz')} create view public.pg_stat_statements_info as select public.evil() as stats_reset, 0::bigint as dealloc;`,
  'its view, replaced by its owner': `create extension pg_stat_statements; ${evil('boolean')} do $d$ begin
    execute 'create or replace view public.pg_stat_statements as '
      || rtrim(pg_get_viewdef('public.pg_stat_statements'::regclass), ';') || ' where public.evil()'; end $d$`,
};

describe.each(['postgres14', 'postgres18'] as const)('our own questions on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'own_questions');
    await direct(server(), `drop role if exists ${planter}`);
    await direct(server(), `create role ${planter}`);
    await database.run(`select lo_create(4242); ${clear}`);
  });
  afterAll(async () => {
    await database.dispose();
    await direct(server(), `drop role ${planter}`);
  });

  it('run no cast of a type that others created', async () => {
    await database.run(`drop schema public cascade; create schema public; grant all on schema public to public; set role ${planter};
      create type public.mood as enum ('a', 'b');
      create function public.evil(public.mood) returns json language plpgsql as
        $f$ begin perform pg_catalog.lo_export(4242, '${file}'); return '1'; end $f$;
      create cast (public.mood as json) with function public.evil(public.mood);
      create table public.t (id int, n int); insert into public.t select i, i % 2 from generate_series(1, 100) i;
      alter table public.t add column m public.mood default 'a'; analyze public.t`);
    const changes = ['m set not null', 'm type text', 'm set statistics 5', 'm drop default'].map((one) => `alter column ${one}`);
    const actions = [...changes, 'add primary key (m)', 'add check (m is not null)', 'drop column m', 'add column k public.mood'];
    const tools = await openTools([{ name: 'main', type: 'postgres', tls: 'disable', ...database.superuser }]);
    try {
      for (const action of actions) await tools.call('explain', { sql: `alter table public.t ${action}` });
      for (const part of tableParts) await tools.call('describe_table', { tables: ['public.t'], parts: [part] });
      for (const text of ['mood', 't', 'm']) await tools.call('search_schema', { text });
      for (const tool of ['list_tables', 'diagnose', 'test_connection']) await tools.call(tool, {});
    } finally {
      await tools.close();
    }
    expect(await database.run(`select (pg_stat_file('${file}', true)).size`)).toEqual([{ size: null }]);
  });

  it('call no functions that only have the names of HypoPG', async () => {
    const fake = (head: string) =>
      `create function public.${head} language plpgsql as $f$ begin perform pg_catalog.lo_export(4242, '${file}'); return; end $f$;`;
    await database.run(`drop schema public cascade; create schema public; create extension citext;
      update pg_extension set extname = 'hypopg' where extname = 'citext';
      ${fake('hypopg_reset() returns void')} ${fake('hypopg_create_index(text, out indexrelid oid, out indexname text) returns setof record')}
      create function public.hypopg_relation_size(oid) returns bigint language sql as 'select 1::bigint';
      create table public.t (id int, n int); insert into public.t select i, i from generate_series(1, 20000) i; analyze public.t`);
    const tools = await openTools([{ name: 'main', type: 'postgres', tls: 'disable', ...database.superuser }]);
    try {
      const { text } = await tools.call('diagnose', { check: 'index_advice', sql: 'select * from public.t where n = 5' });
      expect(text).toContain('CREATE INDEX CONCURRENTLY ON t (n)');
    } finally {
      await tools.close();
    }
    expect(await database.run(`select (pg_stat_file('${file}', true)).size`)).toEqual([{ size: null }]);
  });

  it.each(Object.entries(plants))('lead to nothing of others where pg_stat_statements has %s', async (_what, plant) => {
    await database.run(`drop schema public cascade; create schema public; grant all on schema public to public; ${plant}`);
    const tools = await openTools([{ name: 'main', type: 'postgres', tls: 'disable', ...database.superuser }]);
    try {
      for (const check of [undefined, 'slow_queries']) {
        const { isError } = await tools.call('diagnose', check === undefined ? {} : { check });
        expect(isError).not.toBe(true);
      }
    } finally {
      await tools.close();
    }
    expect(await database.run(`select (pg_stat_file('${file}', true)).size`)).toEqual([{ size: null }]);
  });
});
