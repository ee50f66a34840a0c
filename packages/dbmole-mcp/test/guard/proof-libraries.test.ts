import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChecker } from '../../src/engines/postgres/guard/checker.ts';
import { openFound } from '../../src/engines/postgres/guard/proof/catalog/graph.ts';
import { rootParams } from '../../src/engines/postgres/guard/proof/catalog/roots.ts';
import { formatRoots } from '../../src/engines/postgres/guard/proof/catalog/roots-sql.ts';
import type { Trust } from '../../src/guard/trust.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const signal = new AbortController().signal;

/** As if an extension had brought it; the library is not there, so nothing of it may run. */
const unreviewed = `
create extension hstore;
create function geo(text) returns text language internal strict as 'upper';
create function geo_mixed(int) returns int language sql as 'select length(geo($1::text))';
create function geo_less(text, int) returns boolean language internal strict as 'texteq';
create function geo_handler() returns fdw_handler language internal strict as 'now';
update pg_proc set prolang = 13, probin = '$libdir/postgis-3', prosrc = proname where proname like 'geo%' and prolang = 12;
create operator <~< (leftarg = text, rightarg = int, function = geo_less);
create foreign data wrapper geo_wrapper handler geo_handler;
create server geo_server foreign data wrapper geo_wrapper;
create foreign table geo_table (x int) server geo_server;
create view geo_view as select x from geo_table;
create function similar(text, text) returns real language c as '$libdir/pg_trgm', 'similarity';
alter extension hstore add function geo(text);
alter extension hstore add function geo_less(text, int);
alter extension hstore add function geo_handler();
alter extension hstore add function similar(text, text);
create table fine (x int);
grant select on all tables in schema public to public;`;

/** Handlers of access methods: the function is called for whatever table uses them. */
const methods = `
create function odd_heap(internal) returns table_am_handler language internal as 'heap_tableam_handler';
create access method odd_heap type table handler odd_heap;
create table odd_rows (x int) using odd_heap;
create function odd_tree(internal) returns index_am_handler language internal as 'hashhandler';
create access method odd_tree type index handler odd_tree;
create operator class odd_ints default for type int using odd_tree as operator 1 =, function 1 hashint4(int);
create table odd_indexed (x int);
create index on odd_indexed using odd_tree (x);`;

const reads = [
  ["select geo('x')", /^function geo\(\) is C code of the extension "hstore", which was not reviewed/],
  ['select geo_mixed(1)', /^function geo_mixed\(\) leads to function geo\(\), which is C code of the extension "hstore"/],
  ["select 'x'::text <~< 1", /^operator <~< leads to function geo_less\(\), which is C code/],
  [
    'select * from geo_view',
    /^view geo_view leads to function geo_handler\(\), which is C code .*, through foreign table geo_table/,
  ],
  ["select similar('a', null)", /^function similar\(\) is C code of the extension "hstore", which was not reviewed/],
] as const;

describe.each(['postgres14', 'postgres18'] as const)('C code of extensions, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  let guarded: Record<'superuser' | 'owner', Guarded>;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_libraries');
    guarded = { superuser: await openGuarded(database.superuser), owner: await openGuarded(database.owner) };
    await database.run(unreviewed);
    await database.run(methods);
  });
  afterAll(async () => {
    await guarded.superuser.backend.dispose();
    await guarded.owner.backend.dispose();
    await database.dispose();
  });

  const check = async (role: 'superuser' | 'owner', sql: string, trust?: Trust) =>
    await createChecker({ trust }).check(sql, guarded[role].backend.catalogRun({ signal }));

  it.each(reads)('is refused to a superuser where it was not reviewed: %s', async (sql, message) => {
    await expect(check('superuser', sql)).rejects.toMatchObject({
      code: 'E_NOT_A_READ',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('the extension "hstore"'),
    });
  });

  it.each(reads)('is left to a user without powers: %s', async (sql) => {
    await expect(check('owner', sql)).resolves.toMatchObject({ premise: expect.any(String) });
  });

  it.each(reads)('runs when a person trusts the extension: %s', async (sql) => {
    const trust = { functions: [], extensions: ['hstore'], known: () => ({}), remember: () => undefined };
    await expect(check('superuser', sql, trust)).resolves.toMatchObject({ premise: expect.any(String) });
  });

  it('counts also where a function says that it is a trigger', async () => {
    await database.run("create function spy(text) returns trigger language internal strict as 'pg_read_file_all'");
    await expect(check('owner', "select spy('x')")).rejects.toMatchObject({ message: expect.stringContaining('pg_read_file') });
  });

  it('does not touch other statements', async () => {
    await expect(check('superuser', "select x from fine where x = 1 and x::text like 'a'")).resolves.toMatchObject({
      premise: expect.any(String),
    });
  });

  it.each(['odd_rows', 'odd_indexed'])('counts for what uses its access method: %s', async (table) => {
    await expect(check('superuser', `select * from ${table}`)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^table odd_\w+ (?:leads to|has an index that leads to) function odd_\w+\(\), which calls the internal/,
      ),
    });
  });

  it('was reviewed in all extensions that come with the server', async () => {
    const names = await database.run("select name from pg_available_extensions where name !~ 'perl|python|pltcl' order by 1");
    for (const { name } of names) await database.run(`create extension if not exists "${name}" cascade`);
    expect(names.length).toBeGreaterThan(40);
    const run = guarded.superuser.backend.catalogRun({ signal });
    const roots = await openFound(run, formatRoots(Number(/\d+$/.exec(id)?.[0])), rootParams);
    const open = roots.filter(({ how }) => how === 'body' || how === 'code').map(({ description }) => description.name);
    expect(open.toSorted()).toEqual(['geo', 'geo_handler', 'geo_less', 'similar']);
  });
});
