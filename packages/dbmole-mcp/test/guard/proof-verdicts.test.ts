import { Failure } from '@dbmole/core';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Checker, createChecker } from '../../src/engines/postgres/guard/checker.ts';
import { type CatalogQuestion, premiseCode } from '../../src/guard/read-statement.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const signal = new AbortController().signal;
type Login = 'superuser' | 'owner';

/** Nothing that is accepted runs: some of it would crash the server. */
interface Verdict {
  readonly name: string;
  readonly as?: Login;
  readonly setup: string;
  readonly read: string;
  readonly undo: string;
}

const assembled = `declare s text; begin select 'select ' || 'lo_exp' || 'ort(1, ''x'')' into s; execute s; return true; end`;
const planned = `create function planned(int) returns boolean language plpgsql immutable as
  $f$ begin perform pg_terminate_backend($1); return true; end $f$;`;
const policy = (clause: string, body: string) => `${planned} create table t (a int); alter table t enable row level security;
  alter table t force row level security; create policy seen on t for select using (true); create policy p on t ${clause};
  create function f() returns int language plpgsql as $f$ begin ${body}; return 1; end $f$`;

const refused: readonly Verdict[] = [
  {
    name: 'an internal function that is called with nulls',
    setup: "create function boom(text) returns int language internal called on null input as 'textlen'",
    read: 'select boom(null)',
    undo: 'drop function boom',
  },
  {
    name: 'an internal function that is said to give a set',
    setup: "create function boom(int, int) returns setof int language internal as 'int4pl'",
    read: 'select boom(1, 2)',
    undo: 'drop function boom',
  },
  {
    name: 'a function of the server that is called with nulls since it was altered',
    setup: 'alter function pg_catalog.textlen(text) called on null input',
    read: 'select textlen(null)',
    undo: 'alter function pg_catalog.textlen(text) strict',
  },
  {
    name: 'a function of a library that is called with nulls',
    setup: `create extension pg_trgm; create function boom(text, text) returns real language c called on null input
      as '$libdir/pg_trgm', 'similarity'`,
    read: "select boom(null, 'a')",
    undo: 'drop function boom; drop extension pg_trgm',
  },
  {
    name: 'a denied function in another schema',
    setup: 'alter function pg_catalog.pg_terminate_backend(int, bigint) set schema public',
    read: 'select public.pg_terminate_backend(0)',
    undo: 'alter function public.pg_terminate_backend(int, bigint) set schema pg_catalog',
  },
  {
    name: 'an internal function with other arguments',
    setup: "create function boom(bigint) returns int language internal as 'textlen'",
    read: 'select boom(65537)',
    undo: 'drop function boom',
  },
  {
    name: 'a policy for UPDATE that the planner computes',
    as: 'owner',
    setup: policy('for update using (planned(5))', 'update t set a = 1'),
    read: 'select f()',
    undo: 'drop function f; drop table t; drop function planned',
  },
  {
    name: 'a policy for INSERT that the planner computes',
    as: 'owner',
    setup: policy('for insert with check (planned(5))', 'insert into t values (1)'),
    read: 'select f()',
    undo: 'drop function f; drop table t; drop function planned',
  },
  {
    name: 'a policy for DELETE that the planner computes',
    as: 'owner',
    setup: policy('for delete using (planned(5))', 'delete from t'),
    read: 'select f()',
    undo: 'drop function f; drop table t; drop function planned',
  },
  {
    name: 'a CHECK that cannot be checked, in a function of a superuser that makes values of any type',
    as: 'owner',
    setup: `create function u(int) returns boolean language plpgsql as $f$ ${assembled} $f$; create domain dd as int check (u(value));
      create table t (c dd); reset role; create function d(x anyelement) returns text language plpgsql security definer
        as $f$ begin x := '5'; return x::text; end $f$`,
    read: 'select d(c) from t',
    undo: 'drop function d; drop table t; drop domain dd; drop function u',
  },
  ...['sqltext', 'int[]', 'public.pair'].map(
    (type): Verdict => ({
      name: `SQL that is given as ${type}`,
      as: 'owner',
      setup: `create domain sqltext as text; create type pair as (x text); create function run(q ${type}) returns text language plpgsql as
        $f$ declare s text := ''; x text; begin s := ${type === 'int[]' ? 'chr(q[1]) || chr(q[2])' : type === 'sqltext' ? 'q' : 'q.x'};
          execute s into x; return x; end $f$`,
      read: 'select run(null)',
      undo: `drop function run; drop domain sqltext; drop type pair`,
    }),
  ),
  {
    name: 'the name of a function that is given',
    as: 'owner',
    setup: `create function run(f text, a text) returns text language plpgsql as
      $f$ declare x text; begin execute format('select %I(%L)', f, a) into x; return x; end $f$`,
    read: "select run('pg_terminate_backend', '1')",
    undo: 'drop function run',
  },
];

const accepted: readonly Verdict[] = [
  {
    name: 'an aggregate with two arguments',
    setup: `create function st(int, text, int) returns int language sql as 'select $1'; create aggregate ag(text, int) (sfunc = st, stype = int)`,
    read: "select ag('a', 1)",
    undo: 'drop aggregate ag(text, int); drop function st',
  },
  ...["pg_get_partition_constraintdef('part'::regclass)", "bt_index_check('part_pkey')"].map(
    (call): Verdict => ({
      name: `${call} where no key acts`,
      setup: `create extension amcheck; create table parent (a int primary key) partition by range (a);
        create table part partition of parent for values from (1) to (5)`,
      read: `select ${call}`,
      undo: 'drop table parent; drop extension amcheck',
    }),
  ),
  { name: 'an input that is tried', setup: '', read: "select pg_input_is_valid('5', 'int')", undo: '' },
];

/** What happens after a question of the first check; the second read must be refused, or its premise must not hold. */
const races: readonly { readonly change: string; readonly read: string; readonly undo: string }[] = [
  { change: 'alter domain d rename to e', read: 'select 5::e', undo: 'alter domain e rename to d' },
  { change: 'alter view v rename to w', read: 'select * from w', undo: 'alter view w rename to v' },
  { change: 'create table made (x d)', read: "select json_populate_record(made, '{}') from made", undo: 'drop table made' },
];

/** Other files change what belongs to the whole server, and with that a load can see one change too many. */
function rejectUnlessChanging(error: unknown): false {
  if (error instanceof Failure && error.code === premiseCode) return false;
  throw error;
}

describe.each(['postgres14', 'postgres18'] as const)('what is accepted on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  let guarded: Record<Login, Guarded>;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_verdicts');
    guarded = { superuser: await openGuarded(database.superuser), owner: await openGuarded(database.owner) };
  });
  afterAll(async () => {
    await guarded.superuser.backend.dispose();
    await guarded.owner.backend.dispose();
    await database.dispose();
  });

  const questionOf = (login: Login) => guarded[login].backend.catalogRun({ signal });
  const verdictOf = async (sql: string, run: CatalogQuestion, checker: Checker = createChecker()) => {
    const premise = (await checker.check(sql, run).catch(() => undefined))?.premise;
    return premise !== undefined && (await run(`select ${premise}`))[0]?.[0] === 't';
  };
  const check = async ({ as = 'superuser', setup, read, undo }: Verdict) => {
    await database.run(`${as === 'owner' ? 'set role proof_verdicts_owner;' : ''} ${setup}`);
    try {
      return await verdictOf(read, questionOf(as));
    } finally {
      await database.run(undo);
    }
  };

  it.each(refused)('is not $name', async (one) => expect(await check(one)).toBe(false));
  it.each(accepted)('accepts the harmless read $name', async (one) => expect(await check(one)).toBe(true));

  it.each(['superuser', 'replication'])('changes when a role gets the power %s', async (power) => {
    await database.run(
      `set role proof_verdicts_owner; create function u() returns boolean language plpgsql as $f$ ${assembled} $f$`,
    );
    const run = questionOf('owner');
    const checker = createChecker();
    try {
      expect(await verdictOf('select u()', run, checker)).toBe(true);
      await database.run(`alter role proof_verdicts_owner ${power}`);
      expect(await verdictOf('select u()', run, checker)).toBe(false);
    } finally {
      await database.run(`alter role proof_verdicts_owner no${power}; drop function u`);
    }
  });

  // The catalog is read in the same order from every version, and each of its questions costs a proof.
  const raced = id === 'postgres18' ? races : [];
  it.each(raced)('is nothing that changed while the catalog was read: $change', async ({ change, read, undo }) => {
    await database.run(`create function c(int) returns boolean language plpgsql as
        $f$ begin if $1 = 0 then perform lo_export(1, 'x'); end if; return true; end $f$;
      create domain d as int check (c(value)); create view v as select lo_export(1, 'x') as x`);
    const run = questionOf('superuser');
    const wrong: number[] = [];
    for (let at = 1, asked = at; asked >= at; at++) {
      asked = 0;
      const racing: CatalogQuestion = async (sql, params) => {
        const rows = await run(sql, params);
        if (++asked === at) await database.run(change);
        return rows;
      };
      const checker = createChecker();
      const isLoaded = await checker.check('select 1', racing).then(() => true, rejectUnlessChanging);
      if (asked >= at && isLoaded && (await verdictOf(read, run, checker))) wrong.push(at);
      if (asked >= at) await database.run(undo);
      if (!isLoaded) at -= 1;
    }
    await database.run('drop view v; drop domain d; drop function c');
    expect(wrong).toEqual([]);
  });
});
