import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { direct } from '../engines/postgres-fixture.ts';
import { openTools } from '../open-tools.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const planter = 'diagnose_planter';
const file = 'diagnose_effect';
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

describe.each(['postgres14', 'postgres18'] as const)('diagnose on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'diagnose_planted');
    await direct(server(), `drop role if exists ${planter}`);
    await direct(server(), `create role ${planter}`);
    await database.run('select lo_create(4242)');
  });
  afterAll(async () => {
    await database.dispose();
    await direct(server(), `drop role ${planter}`);
  });

  it.each(Object.entries(plants))('runs nothing of others where pg_stat_statements has %s', async (_what, plant) => {
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
