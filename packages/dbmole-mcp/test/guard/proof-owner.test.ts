import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const functions = `
create table item (id int, command text);
insert into item values (1, 'select 1');
create function f_run(command text) returns text language plpgsql as
  $$ declare x text; begin execute command into x; return x; end $$;
create function f_where(condition text) returns bigint language plpgsql as
  $$ declare n bigint; begin execute format('select count(*) from item where %s', condition) into n; return n; end $$;
create function f_count(tab text) returns bigint language plpgsql as
  $$ declare n bigint; begin execute format('select count(*) from %I where id = %L', tab, 1) into n; return n; end $$;
create function f_search(words text, size int) returns setof item language plpgsql as
  $$ begin return query execute 'select * from item where command like $1 limit ' || size using '%' || words || '%'; end $$;
create function f_stored() returns text language plpgsql as
  $$ declare s text; x text; begin select command into s from item; execute s into x; return x; end $$;
create function f_each(commands text[]) returns text language plpgsql as
  $$ declare s text; x text; begin foreach s in array commands loop execute s into x; end loop; return x; end $$;
create function f_xml(commands text[]) returns text language sql as
  $$ select string_agg(query_to_xml(c, true, false, '')::text, '') from unnest(commands) c $$;`;

/** The owner of a database without rights elsewhere: code with these rights can still end the owner's sessions. */
describe.each(['postgres14', 'postgres18'] as const)('functions of an owner on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  let guarded: Guarded;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_owner');
    guarded = await openGuarded(database.owner);
    await database.run('create trusted language ours handler plpgsql_call_handler');
    await database.run(`set role proof_owner_owner; ${functions}`);
    await database.run(`set role proof_owner_owner; create function f_ours(command text) returns text language ours as
      'declare x text; begin execute command into x; return x; end'`);
  });
  afterAll(async () => {
    await guarded.backend.dispose();
    await database.dispose();
  });

  const read = async (sql: string) => (await guarded.read(sql)).failure;

  const given = [
    "select f_run('select 1')",
    "select f_where('true')",
    "select f_each(array['select 1'])",
    "select f_xml(array['select 1'])",
    "select f_ours('select 1')",
  ];
  it.each(given)('that run what they are given: %s', async (sql) => {
    expect(await read(sql)).toMatchObject({
      code: 'E_NOT_A_READ',
      message: expect.stringContaining('runs SQL that it is given'),
    });
  });

  it('that could call what acts and was granted to the owner alone', async () => {
    await database.run('create extension pg_visibility; create table vm (a int); insert into vm values (1)');
    await database.run(`create function f_clears() returns int language plpgsql as $f$ begin
      execute 'select pg_truncate_visi' || 'bility_map($1)' using 'vm'::regclass; return 1; end $f$`);
    await database.run('vacuum vm');
    const grant = 'execute on function pg_truncate_visibility_map(regclass)';
    await database.run(`grant ${grant} to proof_owner_owner`);
    try {
      expect(await read('select f_clears()')).toMatchObject({
        code: 'E_NOT_A_READ',
        message: expect.stringContaining('may call pg_truncate_visibility_map()'),
      });
      const [row] = await database.run("select pg_relation_size('vm', 'vm')::int as size");
      expect(row?.size).toBeGreaterThan(0);
    } finally {
      await database.run(`revoke ${grant} from proof_owner_owner; drop function f_clears()`);
    }
  });

  it.each(["select f_count('item')", "select * from f_search('sel', 1)", 'select f_stored()'])('that do not: %s', async (sql) => {
    expect(await read(sql)).toBeUndefined();
  });

  it.each([
    ['set_config', "language plpgsql as $f$ begin perform set_config('app.tenant', 'x', true); return 1; end $f$"],
    ['SET LOCAL', "language plpgsql as $f$ begin set local app.tenant = 'x'; return 1; end $f$"],
    ['SET in a function of SQL', "language sql as $f$ set local app.tenant = 'x'; select 1 $f$"],
    ['SET in the definition', "language sql set app.tenant = 'x' as 'select 1'"],
  ])('that set a setting of an application leave none in the session: %s', async (_, definition) => {
    const isUnset = async () => (await guarded.read("select current_setting('app.tenant', true) is null")).rows;
    await database.run(`create function f_tenant() returns int ${definition}; create view v_tenant as select f_tenant();
      grant select on v_tenant to public`);
    try {
      for (const sql of ['select f_tenant()', 'select * from v_tenant', 'select f_tenant()']) {
        expect(await read(sql)).toBeUndefined();
        expect(await isUnset()).toEqual([['t']]);
      }
    } finally {
      await database.run('drop view v_tenant; drop function f_tenant()');
    }
  });

  it('or a view that gives it to them', async () => {
    await database.run("create view v_run as select f_run('select 1') as x; alter view v_run owner to proof_owner_owner");
    expect(await read('select * from v_run')).toMatchObject({
      message: expect.stringContaining('view v_run leads to function f_run()'),
    });
    await database.run('drop view v_run');
  });

  it('or what they added to an extension', async () => {
    await database.run(
      `set role proof_owner_owner; create extension hstore; create function f_member(command text) returns text language plpgsql as
        $$ declare x text; begin execute command into x; return x; end $$; alter extension hstore add function f_member(text)`,
    );
    expect(await read("select f_member('select 1')")).toMatchObject({
      message: expect.stringContaining('runs SQL that it is given'),
    });
    expect(await read("select 'a=>1'::hstore -> 'a'")).toBeUndefined();
  });

  it('that may call code with the rights of another role', async () => {
    await database.run(
      `create function f_strong() returns text language sql security definer as $$ select pg_read_file('PG_VERSION') $$`,
    );
    expect(await read('select f_stored()')).toMatchObject({
      message: expect.stringContaining('may call f_strong(), which has more rights'),
    });
    expect(await read("select f_count('item')")).toMatchObject({ code: 'E_NOT_A_READ' });
    await database.run('drop function f_strong()');
    expect(await read("select f_count('item')")).toBeUndefined();
    expect(await read('select f_stored()')).toBeUndefined();
  });

  it.each([
    ['autoprewarm_start_worker', 'create extension pg_prewarm', 'drop extension pg_prewarm'],
    [
      'put_line',
      `create schema utl_file; grant usage on schema utl_file to public;
       create function utl_file.put_line(text) returns text[] language c as '$libdir/pg_trgm', 'show_trgm'`,
      'drop schema utl_file cascade',
    ],
  ])('that may call the function %s of an extension, which acts', async (name, prepare, undo) => {
    await database.run(prepare);
    try {
      expect(await read('select f_stored()')).toMatchObject({ message: expect.stringContaining(`this user may call ${name}()`) });
    } finally {
      await database.run(undo);
    }
    expect(await read('select f_stored()')).toBeUndefined();
  });

  it('that can switch to a more powerful role', async () => {
    await database.run('create role proof_owner_strong superuser; grant proof_owner_strong to proof_owner_owner');
    try {
      expect(await read('select f_stored()')).toMatchObject({
        message: expect.stringContaining('this user can become proof_owner_strong, which is a superuser'),
      });
      expect(await read("select f_count('item')")).toMatchObject({ code: 'E_NOT_A_READ' });
    } finally {
      await database.run('drop role proof_owner_strong');
    }
    expect(await read('select f_stored()')).toBeUndefined();
  });

  it('or what runs with the rights of a role that begins to inherit, which decides before version 16', async () => {
    await database.run(`create role proof_owner_heir noinherit; grant pg_write_server_files to proof_owner_heir; grant select on item to proof_owner_heir;
      create function f_heir() returns text language plpgsql security definer set search_path = public as
        $$ declare s text; begin select command into s from item; execute s into s; return s; end $$;
      alter function f_heir() owner to proof_owner_heir`);
    try {
      expect(await read('select f_heir()')).toBeUndefined();
      await database.run('alter role proof_owner_heir inherit');
      const failure = await read('select f_heir()');
      expect(failure?.message ?? '').toContain(id === 'postgres14' ? 'is a member of pg_write_server_files' : '');
    } finally {
      await database.run('drop owned by proof_owner_heir; drop role proof_owner_heir');
    }
  });

  it('who may copy the server as well', async () => {
    await database.run(
      'alter role proof_owner_owner replication; create or replace function f_new() returns int language sql as $$ select 1 $$',
    );
    expect(await read('select f_stored()')).toMatchObject({
      message: expect.stringContaining('this user may make and drop replication slots'),
    });
    expect(await read("select f_count('item')")).toMatchObject({ code: 'E_NOT_A_READ' });
  });
});
