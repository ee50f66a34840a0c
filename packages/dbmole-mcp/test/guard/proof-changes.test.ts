import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChecker, withGuardErrors } from '../../src/engines/postgres/guard/checker.ts';
import { createGuard } from '../../src/engines/postgres/guard/guard.ts';
import { openProof } from '../../src/engines/postgres/guard/proof/catalog/load.ts';
import { formatPremise, nothingWatched, openSeen } from '../../src/engines/postgres/guard/proof/catalog/premise.ts';
import { openParser } from '../../src/engines/postgres/guard/thread/parser.ts';
import type { CatalogQuestion } from '../../src/guard/read-statement.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { createProofDatabase, type ProofDatabase, withGuarded } from './proof-database.ts';

const signal = new AbortController().signal;

/** What is there before; what is done behind our back; the read, before and after. */
interface Change {
  readonly before?: string;
  readonly change: string;
  readonly read: string;
  /** Instead of the same read. */
  readonly readBefore?: string;
  readonly refusedBefore?: boolean;
  readonly refusedAfter: boolean;
  /** What dropping all user objects does not undo. */
  readonly undo?: string;
  /** The first version that has it. */
  readonly since?: number;
}

const evil = "language plpgsql as $$ begin if false then perform ext.dblink_exec('x', 'y'); end if; return 1; end $$";
const good = 'language plpgsql as $$ begin return 1; end $$';
const evilImmutable = evil.replace('plpgsql', 'plpgsql immutable');

const changes: Readonly<Record<string, Change>> = {
  'a function that is replaced': {
    before: `create function f() returns int ${good}`,
    change: `create or replace function f() returns int ${evil}`,
    read: 'select f()',
    refusedAfter: true,
  },
  'a view with another name': {
    before: `create function g() returns int ${evil}; create view v as select g() as x`,
    change: 'alter view v rename to w',
    read: 'select * from w',
    refusedAfter: true,
  },
  'a domain with another name': {
    before: `create function g(int) returns int ${evil}; create domain d as int check (g(value) = 1)`,
    change: 'alter domain d rename to e',
    read: 'select 1::e',
    refusedAfter: true,
  },
  'a schema with another name': {
    before: `create schema old; create function old.g() returns int ${evil}`,
    change: 'alter schema old rename to early',
    read: 'select early.g()',
    refusedAfter: true,
  },
  'how values of the server are sorted': {
    before: `create function h(int, int, text, boolean, boolean) returns boolean ${evil.replace('return 1', 'return true')}; create table t (x int)`,
    change: 'alter operator family integer_ops using btree add function 3 (int, text) h(int, int, text, boolean, boolean)',
    read: 'select x from t order by x',
    refusedAfter: true,
  },
  'a table of tables of rows with a user operator': {
    before: `create type pair as (a int); create table paired (p pair); create function pair_eq(pair, pair) returns boolean
      ${evil.replace('return 1', 'return true')}; create operator = (leftarg = pair, rightarg = pair, function = pair_eq)`,
    change: 'create table nested (x paired)',
    read: 'select (x).p = (x).p from nested',
    refusedAfter: true,
  },
  'a table of what becomes such a row without a word': {
    before: `create type pair as (a int); create type other as (b int); create function other_pair(other) returns pair language sql as
      'select row(1)::pair'; create cast (other as pair) with function other_pair(other) as implicit;
      create function abs(pair) returns int ${evil}`,
    change: 'create table others (o other)',
    read: 'select abs(o) from others',
    refusedAfter: true,
  },
  'a row that becomes a number': {
    before: `create function g(bigint) returns int ${evil}; create table t (x int); create function h(t) returns bigint language sql as 'select 1::bigint'`,
    change: 'create cast (t as bigint) with function h(t) as implicit',
    read: 'select t.g from t',
    refusedAfter: true,
  },
  'a new part of a table whose key calls out': {
    before: `create function g(int) returns int ${evilImmutable}; create table parts (id int) partition by range ((id + g(1)))`,
    change: 'create table part partition of parts for values from (1) to (9)',
    read: 'select * from part',
    refusedAfter: true,
  },
  'what texts go through': {
    before:
      "create function h(int, int, cstring, internal, int, bool) returns int language internal as 'pg_advisory_unlock_int8'",
    change: "create default conversion ours for 'LATIN1' to 'EUC_JP' from h",
    read: "select convert('x', 'LATIN1', 'EUC_JP')",
    refusedAfter: true,
  },
  'a language by another name of what acts': {
    before: "create function h() returns language_handler language internal as 'pg_reload_conf'",
    change: "create trusted language ours handler h; create function f() returns boolean language ours as 'hello'",
    read: 'select f()',
    refusedAfter: true,
  },
  'an operator that becomes the opposite of another': {
    before: `create function same(int, int) returns boolean language plpgsql as 'begin return $1 = $2; end';
      create function other(int, int) returns boolean ${evil.replace('return 1', 'return true')};
      create operator === (leftarg = int, rightarg = int, function = same)`,
    change: 'create operator !== (leftarg = int, rightarg = int, function = other, negator = ===)',
    read: 'select not (x === 1) from (values (1)) v (x)',
    refusedAfter: true,
  },
  'an operator that is added to a family': {
    before: `create type comp as (a int); create function cmp(comp, comp) returns int ${good};
      create function same(comp, comp) returns boolean ${evil.replace('return 1', 'return true')};
      create operator === (leftarg = comp, rightarg = comp, function = same);
      create operator class comp_ops default for type comp using btree as function 1 cmp(comp, comp); create table t (c comp)`,
    change: 'alter operator family comp_ops using btree add operator 3 === (comp, comp)',
    read: 'select array_position(array[c], c) from t',
    refusedAfter: true,
  },
  'the default of a domain': {
    before: `create function g() returns int ${evilImmutable}; create domain _d as int; create table t (x int, y _d);
      create function f() returns int language plpgsql as 'begin insert into t (x) values (1); return 1; end'`,
    change: 'alter domain _d set default g()',
    read: 'select f()',
    refusedAfter: true,
  },
  'a virtual column with an XPath': {
    since: 18,
    before: 'create table t (x xml)',
    change: "alter table t add y xml[] generated always as (xpath('//a', x)) virtual",
    read: 'select * from t',
    refusedAfter: true,
  },
  'a new expression of a virtual column': {
    since: 18,
    before: 'create table t (x xml, y xml[] generated always as (array[x]) virtual)',
    change: "alter table t alter y set expression as (xpath('//a', x))",
    read: 'select * from t',
    refusedAfter: true,
  },
  'a function of the server itself': {
    change: `create or replace function pg_catalog.cbrt(float8) returns float8 ${evil}`,
    read: 'select cbrt(8)',
    refusedAfter: true,
    undo: "create or replace function pg_catalog.cbrt(float8) returns float8 language internal immutable strict parallel safe as 'dcbrt'",
  },
  'a function that is replaced by a better one': {
    before: `create function f() returns int ${evil}`,
    change: `create or replace function f() returns int ${good}`,
    read: 'select f()',
    refusedBefore: true,
    refusedAfter: false,
  },
  'a function that is dropped for another one': {
    before: `create function f(int) returns int ${evil}`,
    change: `drop function f(int); create function f(int) returns int ${good}`,
    read: 'select f(1)',
    refusedBefore: true,
    refusedAfter: false,
  },
  'a function that is renamed': {
    before: `create function f() returns int ${good}; create function g() returns int ${evil}`,
    change: 'alter function f() rename to h; alter function g() rename to f',
    read: 'select f()',
    refusedAfter: true,
  },
  'a view that is replaced': {
    before: `create function g() returns int ${evil}; create view v as select 1 as x`,
    change: 'create or replace view v as select g() as x',
    read: 'select * from v',
    refusedAfter: true,
  },
  'a view in front of a table': {
    before: `create function g() returns int ${evil}; create schema early; create table t (x int)`,
    change: 'create view early.t as select g() as x',
    read: 'select * from early.t',
    refusedAfter: true,
  },
  'an operator': {
    before: `create function g(int, int) returns int ${evil}`,
    change: 'create operator ### (leftarg = int, rightarg = int, function = g)',
    read: 'select 1 ### 2',
    refusedAfter: true,
  },
  'a cast': {
    before: `create type kind as (x int); create function g(kind) returns int ${evil}; create table t (k kind)`,
    change: 'create cast (kind as int) with function g(kind) as implicit',
    read: 'select k from t',
    refusedAfter: true,
  },
  'a check of a domain': {
    before: `create function g(int) returns int ${evil}; create domain d as int`,
    change: 'alter domain d add check (g(value) = 1)',
    read: 'select 1::d',
    refusedAfter: true,
  },
  'a domain over another': {
    before: `create function g(int) returns int ${evil}; create domain d as int check (g(value) = 1)`,
    change: 'create domain e as d',
    read: 'select 1::e',
    refusedAfter: true,
  },
  'a column of a domain': {
    before: `create function g(int) returns int ${evil}; create domain d as int check (g(value) = 1); create type c as (x int)`,
    change: 'alter type c add attribute y d',
    read: "select '(1,2)'::c",
    refusedAfter: true,
  },
  'a policy': {
    before: `create function g() returns int ${evil}; create table t (x int)`,
    change: 'create policy p on t using (g() = 1); alter table t enable row level security',
    read: 'select * from t',
    refusedAfter: true,
  },
  'an index': {
    before: `create function g(int) returns int ${evilImmutable}; create table t (x int)`,
    change: 'create index on t ((x + g(1)))',
    read: 'select * from t',
    refusedAfter: true,
  },
  'a check of a table': {
    before: `create function g(int) returns int ${evilImmutable}; create table t (x int)`,
    change: 'alter table t add check (x > g(1))',
    read: 'select * from t',
    refusedAfter: true,
  },
  'a part of a table': {
    before: `create function g(int) returns int ${evilImmutable}; create table t (x int); create table u (x int check (x > g(1)))`,
    change: 'alter table u inherit t',
    read: 'select * from t',
    refusedAfter: true,
  },
  'a foreign table': {
    before: 'create table t (x text); create server files foreign data wrapper file_fdw',
    change: "create foreign table f (x text) server files options (filename '/dev/null')",
    read: 'select * from f',
    refusedAfter: true,
  },
  'a domain over the target of a cast': {
    before: `create function f(bigint) returns boolean ${evil.replace('return 1', 'return true')};
      create cast (bigint as boolean) with function f(bigint)`,
    change: 'create domain d as boolean',
    read: 'select 8::bigint::d',
    refusedAfter: true,
    undo: 'drop cast (bigint as boolean)',
    readBefore: 'select 8::bigint',
  },
  'a column of the target of a cast': {
    before: `create function f(bigint) returns boolean ${evil.replace('return 1', 'return true')};
      create cast (bigint as boolean) with function f(bigint); create table t (a int)`,
    change: 'alter table t add column b boolean',
    read: 'select row(1, 8::bigint)::t',
    refusedAfter: true,
    undo: 'drop cast (bigint as boolean)',
    readBefore: 'select row(1)::t',
  },
  'nothing that matters': {
    before: `create function g() returns int ${good}`,
    change: 'create table t (x int); insert into t values (1); alter table t add y int; analyze t; drop table t',
    read: 'select g()',
    refusedAfter: false,
  },
};

describe.each([
  ['postgres14', 14],
  ['postgres18', 18],
] as const)('a catalog that changes, on %s', (id, major) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_changes');
    await database.run('create schema ext; create extension dblink schema ext; create extension file_fdw schema ext');
  });
  afterAll(() => database.dispose());

  async function clear(): Promise<void> {
    await database.run('drop schema if exists early cascade; drop server if exists files cascade');
    await database.run('drop schema public cascade; create schema public; grant all on schema public to public');
  }

  describe.each(Object.entries(changes).filter(([, { since = 0 }]) => since <= major))(
    '%s',
    (_name, { before = 'select 1', change, read, readBefore = read, refusedBefore, refusedAfter, undo = 'select 1' }) => {
      it('is seen by the next read', async () => {
        await clear();
        await database.run(before);
        await withGuarded(database.superuser, async (guarded) => {
          expect((await guarded.read(readBefore)).failure?.code === 'E_NOT_A_READ').toBe(refusedBefore ?? false);
          await database.run(change);
          const { failure } = await guarded.read(read);
          await database.run(undo);
          expect(failure?.code).toBe(refusedAfter ? 'E_NOT_A_READ' : undefined);
        });
      });
    },
  );

  it('does not run what was allowed before the change', async () => {
    await clear();
    await database.run('create table t (x int); create sequence ran');
    await database.run(`create function f() returns int ${good}`);
    await withGuarded(database.superuser, async ({ read }) => {
      expect((await read('select f()')).failure).toBeUndefined();
      const changed = "create or replace function f() returns int language sql as 'select pg_advisory_lock(815)::text::int'";
      await database.run(changed);
      expect((await read('select f()')).failure).toMatchObject({
        code: 'E_NOT_A_READ',
        message: expect.stringMatching(/advisory/),
      });
    });
  });

  it('asks the server once for a hundred statements at the same time, and again when something changed', async () => {
    await clear();
    await withGuarded(database.superuser, async ({ backend }) => {
      let asked = 0;
      const run = backend.catalogRun({ signal });
      const counted: CatalogQuestion = async (sql, params) => {
        asked++;
        return await run(sql, params);
      };
      const guard = createGuard(createChecker());
      await guard.check('select 1', counted);
      const once = asked;
      await Promise.all(Array.from({ length: 100 }, () => guard.check('select 2', counted)));
      expect(asked).toBe(once);
      const cold = createGuard(createChecker());
      asked = 0;
      const accepted = await Promise.all(Array.from({ length: 100 }, () => cold.check('select 3', counted)));
      expect(asked).toBeLessThanOrEqual(once);
      expect(new Set(accepted.map(({ premise }) => premise)).size).toBe(1);
    });
  });

  it('is what tells of a change, and of nothing else', async () => {
    await clear();
    await withGuarded(database.superuser, async ({ backend }) => {
      const run = backend.catalogRun({ signal });
      const premise = formatPremise(await openSeen(run, nothingWatched), nothingWatched);
      const holds = async () => (await run(`select ${premise}`))[0]?.[0];
      expect(await holds()).toBe('t');
      await database.run('create table t (x int); insert into t values (1)');
      expect(await holds()).toBe('t');
      await database.run(`create function f() returns int ${good}`);
      expect(await holds()).toBe('f');
    });
  });

  it('holds while other transactions come and go, and while one is under way', async () => {
    await clear();
    await withGuarded(database.superuser, async ({ backend }) => {
      const run = backend.catalogRun({ signal });
      const { premise } = await openProof(run, await openParser());
      const holds = async () => (await run(`select ${premise}`))[0]?.[0];
      expect(await holds()).toBe('t');
      for (let i = 0; i < 5; i++) await database.run('create table t (x int); drop table t');
      expect(await holds()).toBe('t');
    });
  });
});

describe.each(['postgres14', 'postgres18'] as const)('a server that does not say, %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  let guarded: Guarded;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_silent');
    guarded = await openGuarded(database.owner);
  });
  afterAll(async () => {
    await guarded.backend.dispose();
    await database.dispose();
  });

  it.each(['pg_proc', 'pg_rewrite', 'pg_language', 'pg_foreign_table'])(
    'runs nothing when %s cannot be read',
    async (catalog) => {
      const run = guarded.backend.catalogRun({ signal });
      await database.run(`revoke select on pg_catalog.${catalog} from public`);
      try {
        const failure = await openProof(withGuardErrors(run), await openParser()).catch((error: unknown) => error);
        expect(failure).toMatchObject({
          kind: 'refused',
          code: 'E_GUARD_UNAVAILABLE',
          engineCode: '42501',
          message: expect.stringContaining(`permission denied for table ${catalog}`),
          hint: expect.stringContaining('may read pg_catalog'),
        });
      } finally {
        await database.run(`grant select on pg_catalog.${catalog} to public`);
      }
      expect((await openProof(run, await openParser())).premise).toContain('pg_proc');
    },
  );
});
