import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBackend } from '../../src/backend/backend.ts';
import { parseServerConnection } from '../server-connection.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const signal = new AbortController().signal;
const signature = 'public.report(text)';
const body = (result: string) => `create or replace function report(t text) returns bigint language plpgsql as
  $$ declare n bigint; begin execute 'select ${result} from ' || quote_ident(t) into n; return n; end $$`;

describe.each(['postgres14', 'postgres18'] as const)('functions that a person trusts, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  let folder: string;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_trust');
    folder = await mkdtemp(join(tmpdir(), 'dbmole-trust-'));
  });
  beforeEach(async () => {
    await database.run(
      'drop schema public cascade; create schema public; create table item (id int); insert into item values (1), (2)',
    );
    await database.run(body('count(*)'));
  });
  afterAll(async () => {
    await database.dispose();
    await rm(folder, { recursive: true });
  });

  /** Reads as the superuser, with one process after the other. */
  async function read(sql: string, trust: object, file = 'trusted.json', between?: () => Promise<unknown>) {
    const login = { name: 'trusting', type: 'postgres', ...database.superuser, tls: 'disable', trust };
    const config = parseServerConnection(login);
    const target = { config, connectHost: config.host, connectPort: config.port ?? 5432, serverName: config.host };
    const backend = await createBackend(target, signal, { trustPath: join(folder, file) });
    const sink = { columns: () => undefined, row: () => true };
    const once = async () =>
      await backend.read({ sql, params: [], timeoutMs: 20_000, keepPerCell: 100, maxRows: 10 }, sink, { signal }).then(
        () => 'read',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
    try {
      const first = await once();
      if (between === undefined) return first;
      await between();
      return await once();
    } finally {
      await backend.dispose();
    }
  }

  const call = "select report('item')";

  it('are refused to a superuser without it, with the way out', async () => {
    expect(await read(call, {})).toMatch(/puts together at run time, and this user is a superuser/);
    expect(await read(call, { functions: ['public.other(text)'] })).toMatch(/this user is a superuser/);
    expect(await read(call, { functions: ['public.report(int)'] })).toMatch(/this user is a superuser/);
  });

  it('run, and so does what leads to them', async () => {
    expect(await read(call, { functions: [signature] }, 'run.json')).toBe('read');
    await database.run("create view v as select report('item') as n");
    expect(await read('select * from v', { functions: [signature] }, 'run.json')).toBe('read');
  });

  it('do not run any more when their definition changes, in this process and in the next', async () => {
    const trust = { functions: [signature] };
    const changed = await read(call, trust, 'changed.json', () => database.run(body('max(id)')));
    expect(changed).toMatch(/^function report\(\) has changed since it was trusted \(now sha256:[0-9a-f]{64}\)$/);
    expect(await read(call, trust, 'changed.json')).toBe(changed);
    await database.run(body('count(*)'));
    expect(await read(call, trust, 'changed.json')).toBe('read');
    expect(JSON.parse(await readFile(join(folder, 'changed.json'), 'utf8'))).toMatchObject({ version: 1 });
  });

  it('do not run any more when their result has another type', async () => {
    const trust = { functions: ['public.five()'] };
    const five = (type: string) =>
      `drop function if exists five(); create function five() returns ${type} language sql as 'select 5'`;
    await database.run(`create domain odd as int check (pg_try_advisory_lock(value) or true); ${five('int')}`);
    const changed = await read('select five()', trust, 'result.json', () => database.run(five('odd')));
    expect(changed).toMatch(/has changed since it was trusted/);
  });

  it('do not make an aggregate run what was not trusted', async () => {
    await database.run(`create function add(n bigint, t text) returns bigint language sql as 'select n + report(t)';
      create aggregate reports(text) (sfunc = add, stype = bigint, initcond = '0')`);
    const sum = "select reports('item')";
    expect(await read(sum, { functions: ['public.reports(text)'] }, 'sum.json')).toMatch(/this user is a superuser/);
    expect(await read(sum, { functions: [signature] }, 'sum.json')).toBe('read');
  });

  it('run with the definition that is named', async () => {
    const wrong = await read(call, { functions: [`${signature} sha256:${'0'.repeat(64)}`] });
    const [, hash] = /now (sha256:[0-9a-f]{64})/.exec(wrong) ?? [];
    expect(await read(call, { functions: [`${signature} ${hash}`] })).toBe('read');
  });

  it('may belong to an extension, as long as nothing is added to it', async () => {
    await database.run(`create extension if not exists hstore schema public; alter extension hstore add function report(text)`);
    const trust = { extensions: ['hstore'] };
    expect(await read(call, {}, 'extension.json')).toMatch(/this user is a superuser/);
    expect(await read(call, trust, 'extension.json')).toBe('read');
    await database.run(`create function more(t text) returns text language plpgsql as $$ begin execute t; return t; end $$;
      alter extension hstore add function more(text)`);
    expect(await read("select more('select 1')", trust, 'extension.json')).toMatch(/has changed since it was trusted/);
    await database.run('drop extension hstore cascade');
  });

  it('does not vouch for what a setting of its language makes it run', async () => {
    await database.run(`create extension if not exists pltcl;
      create function vouched() returns int language pltcl as 'return 5';
      create function planted() returns void language pltcl as $f$ spi_exec "select pg_advisory_lock(1)" $f$;
      create function by_call() returns int language plpgsql as
        $f$ begin perform set_config('pltcl.start_proc', 'public.planted', true); return vouched(); end $f$;
      create function by_set() returns int language plpgsql as
        $f$ begin set local "PlTcl".start_proc = 'public.planted'; return vouched(); end $f$;
      create function by_own_setting() returns int language plpgsql set pltcl.start_proc = 'public.planted' as
        $f$ begin return vouched(); end $f$`);
    const trust = { functions: ['public.vouched()'] };
    expect(await read('select vouched()', trust, 'settings.json')).toBe('read');
    expect(await read('select by_call()', trust, 'settings.json')).toMatch(/^function by_call\(\) calls set_config\(\)/);
    expect(await read('select by_set()', trust, 'settings.json')).toMatch(/^function by_set\(\) sets pltcl.start_proc/i);
    expect(await read('select by_own_setting()', trust, 'settings.json')).toMatch(
      /^function by_own_setting\(\) sets pltcl.start_proc/,
    );
  });

  it('does not vouch for what is denied by its name', async () => {
    expect(await read('select pg_advisory_lock(1)', { functions: ['pg_catalog.pg_advisory_lock(bigint)'] })).toMatch(
      /acquires or releases a lock/,
    );
  });
});
