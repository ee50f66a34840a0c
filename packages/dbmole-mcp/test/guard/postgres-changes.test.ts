import { useEngine } from '@dbmole/engines';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillCase } from './case-file.ts';
import { guardServerIds } from './postgres-cases.ts';
import { attackSettings, createFixture, type PostgresFixture, shadowed } from './postgres-fixture.ts';
import { type Guarded, openGuarded } from './postgres-guarded.ts';

/** What others do to the database after the guard has looked at it, how they undo it, and a read that becomes an attack by it. */
const changes = [
  {
    what: 'the body of a function',
    read: 'select f_label(1)',
    change: `create or replace function f_label(wanted int) returns text language sql as 'select f_dblink()'`,
    undo: `create or replace function f_label(wanted int) returns text language sql as 'select v from t where id = wanted'`,
  },
  {
    what: 'a function far behind another one',
    read: 'select title from v_function',
    change: `create or replace function t_title(t) returns text language sql as 'select f_dblink()'`,
    undo: `create or replace function t_title(t) returns text language sql as 'select $1.v'`,
  },
  {
    what: 'the default of an argument',
    read: 'select f_add(1)',
    change: `create or replace function f_add(a int, b int default f_imm_dblink(1)) returns int language sql as 'select a + b'`,
    undo: `create or replace function f_add(a int, b int default 1) returns int language sql as 'select a + b'`,
  },
  {
    what: 'another function of the same name',
    read: `select f_any('x'::text)`,
    change: `create function f_any(text) returns text language sql as 'select f_dblink()'`,
    undo: 'drop function f_any(text)',
  },
  {
    what: 'a view',
    read: 'select * from v_t',
    change: 'create or replace view v_t as select 1 as id, x::varchar::text as v from v_dblink',
    undo: 'create or replace view v_t as select id, v from t where id < 4',
  },
  {
    what: 'a view in the place of a table',
    read: 'select * from docs',
    change: 'alter table docs rename to docs_before; create view docs as select * from v_dblink',
    undo: 'drop view docs; alter table docs_before rename to docs',
  },
  {
    what: 'the check of a domain',
    read: 'select 5::posint',
    change: 'alter domain posint add constraint evil check (f_bool(value)) not valid',
    undo: 'alter domain posint drop constraint evil',
  },
  {
    what: 'a cast',
    read: 'select to_json(mood) from t',
    change: `create function mood_json(mood) returns json language sql as 'select to_json(f_dblink())';
      create cast (mood as json) with function mood_json(mood)`,
    undo: 'drop cast (mood as json); drop function mood_json(mood)',
  },
  {
    what: 'an operator',
    read: 'select 1 <+> 2',
    change: `drop operator <+> (int, int); create operator <+> (leftarg = int, rightarg = int, function = op_evil)`,
    undo: `drop operator <+> (int, int); create operator <+> (leftarg = int, rightarg = int, function = f_add)`,
  },
  {
    what: 'an aggregate',
    read: 'select my_sum(id) from t',
    change: 'create or replace aggregate my_sum(int) (sfunc = agg_step, stype = int, initcond = 0)',
    undo: 'create or replace aggregate my_sum(int) (sfunc = int4pl, stype = int, initcond = 0)',
  },
  {
    what: 'the condition of an index',
    read: 'select * from t where id = 1',
    change: 'create index pwn on t (id) where f_imm_dblink(1) = 1',
    undo: 'drop index pwn',
  },
  {
    what: 'the check of a partition',
    read: `select * from event where at = '2024-05-01'`,
    change: 'alter table event_2024 add constraint evil check (n > f_imm_dblink(0)) not valid',
    undo: 'alter table event_2024 drop constraint evil',
  },
  {
    what: 'the statistics of a table',
    read: 'select * from customer where id = 1',
    change: 'create statistics pwn on (id + f_imm_dblink(1)) from customer',
    undo: 'drop statistics pwn',
  },
  {
    what: 'the policy of a table',
    read: 'select * from account',
    change: 'create policy evil on account using (f_bool(id))',
    undo: 'drop policy evil on account',
  },
] as const;

describe.each(guardServerIds)('while others change the database, on %s', (id) => {
  const engine = useEngine(id, { settings: attackSettings });
  let fixture: PostgresFixture;
  let other: Client;
  let guarded: Guarded;

  beforeAll(async () => {
    fixture = await createFixture(engine());
    other = new Client(fixture.login('owner'));
    await other.connect();
    guarded = await openGuarded(fixture.login('owner'));
  });
  afterAll(async () => {
    await guarded.backend.dispose();
    await other.end();
    await fixture.dispose();
  });

  const readCode = async (sql: string) => (await guarded.read(sql)).failure?.code ?? 'allowed';
  const witnesses = async () => (await other.query('select count(*)::int as n from witness')).rows[0]?.n;

  it.each(changes)('notices this change before the next read: $what', async ({ read, change, undo }) => {
    expect(await readCode(read)).toBe('allowed');
    await other.query(change);
    try {
      // Making it may have called it.
      const before = await witnesses();
      expect(await readCode(read)).toBe('E_NOT_A_READ');
      expect(await witnesses()).toBe(before);
    } finally {
      await other.query(undo);
    }
    expect(await readCode(read)).toBe('allowed');
  });

  it('a read does not block writers', async () => {
    const reading = guarded.read('select pg_sleep(0.5) from t join v_join using (id) limit 1');
    await other.query('begin');
    await other.query('lock table t, child in exclusive mode nowait');
    await other.query('update t set v = v');
    await other.query('rollback');
    expect((await reading).failure).toBeUndefined();
  });

  it.each([
    'select * from t for update',
    'select * from t for key share',
    'lock table t in access exclusive mode',
    'select pg_advisory_lock(1)',
    'reindex table t',
    'vacuum full t',
    'prepare transaction $$x$$',
  ])('an attack waits for no lock: %s', async (sql) => {
    await other.query('begin');
    await other.query('lock table t in access exclusive mode');
    await other.query('select pg_advisory_xact_lock(1)');
    expect(await readCode(sql)).toMatch(/^E_(NOT_A_READ|SYNTAX)$/);
    await other.query('rollback');
  });

  describe('as a role that finds other names first', () => {
    let elsewhere: Guarded;

    beforeAll(async () => {
      elsewhere = await openGuarded({ ...fixture.login('owner'), ...shadowed });
    });
    afterAll(() => elsewhere.backend.dispose());

    it.each([
      ["select lower('X')", 'E_NOT_A_READ'],
      ['select "lower"($$X$$)', 'E_NOT_A_READ'],
      ["select pg_catalog.lower('X')", 'allowed'],
      ["select upper('x')", 'allowed'],
      ['select {CALL}', 'E_NOT_A_READ'],
    ])('%s: %s', async (sql, code) => {
      const { failure } = await elsewhere.read(fillCase(sql, fixture.values()));
      expect(failure?.code ?? 'allowed').toBe(code);
    });
  });
});
