import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

/** Functions that act, for values that are not rows, and columns of the same names. */
const objects = `
create type state as enum ('new', 'paid');
create table sale (id int primary key, state state, amount numeric);
insert into sale values (1, 'new', 10), (2, 'paid', 20);
create function amount(bigint) returns int language sql as 'select pg_advisory_lock($1); select 1';
create function state(state) returns int language sql as 'select pg_advisory_lock(1); select 1';
create function name(text) returns int language sql as 'select pg_advisory_lock(1); select 1';
create function sales(wanted int) returns setof sale language sql as 'select * from sale where id = wanted';
create type pair as (a int);
create function relname(int, int) returns pair language sql as 'select row(1)::pair';
create function label(variadic sale[]) returns int language sql as 'select pg_advisory_lock(1); select 1';
create type mood as enum ('sad');
create function abs(mood) returns int language sql as 'select pg_advisory_lock(1); select 1';
create function note(text) returns int language sql as 'select pg_advisory_lock(1); select 1';
create function labels() returns int language sql as 'select s.label from sale s';
create function cast_item() returns int language sql as 'select int4.amount from sale s cross join lateral cast(5 as int)';
create function cast_column() returns int language sql as 'select c.amount from (select 5 as c) q, cast(q.c as bigint)';
create function cast_inside() returns int language sql as 'select int4.amount from (cast(5 as int) cross join sale) where true';
create function trim_item() returns int language sql as $$ select btrim.note from trim(' a ') $$;
create function casts() returns numeric language sql as
  'select s.amount from sale s where s.amount > 1 order by s.id, cast(s.id as int)';
create function total(s sale) returns numeric language sql as 'select s.amount';
create function paid() returns bigint language sql as
  $$ select count(*) from (select * from sale) s where s.state = 'paid' and s.amount > 0 $$;
create function each_sale() returns numeric language plpgsql as
  'declare r sale; sum numeric := 0; begin for r in select * from sale loop sum := sum + r.amount; end loop; return sum; end';`;

describe.each(['postgres14', 'postgres18'] as const)('columns that are named as functions that act, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;
  let guarded: Guarded;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_columns');
    await database.run(`set role proof_columns_owner; ${objects}`);
    guarded = await openGuarded(database.owner);
  });
  afterAll(async () => {
    await guarded.backend.dispose();
    await database.dispose();
  });

  it.each([
    'select s.amount, s.state, sale.amount from sale s join sale using (id)',
    'select 1 from sale where exists (select from sale s where s.amount > 1 and s.state = $$new$$)',
    'with s as (select * from sale) select s.amount, q.name, v.amount from s, (select 1 as name) q, (values (1)) v(amount)',
    'select s.amount, n from sale s, generate_series(1, 2) n where s.id = n',
    `select x.name, y.amount, z.name, u.name from json_to_recordset('[{"name": "a"}]') x(name text),
      rows from (generate_series(1, 2), unnest('{a}'::text[])) y(amount, note), unnest('{a}'::text[]) z(name),
      unnest('{b}'::text[]) with ordinality u(name, n)`,
    'select amount, state, (row(1, 2)).f1 from sales(1) x',
    'select paid(), each_sale(), casts(), total(s), s.total from sale s',
  ])('are read: %s', async (sql) => {
    expect((await guarded.read(sql)).failure).toBeUndefined();
  });

  it.each([
    // Whether a function in FROM gives rows is not known.
    'select x.amount, y.state from sales(1) x, sales(wanted => 2) y',
    'select sales.amount from sales(1)',
    'select (sales(1)).amount',
    'select x.amount from generate_series(1, 2) x',
    'select x.state from unnest(enum_range(null::state)) x',
    'select x.amount from abs(5::bigint) x, sales(1) y',
    'select s.id from sale s where (select max(s.amount) from generate_series(1, 2) s) is null',
    'select (s.id).amount from sale s',
    'select (sales(q)).amount from (select 5::bigint as sales) q',
    'select (relname(c::pg_catalog.pg_class)).note from pg_class c',
    'select x.note from pg_class c, relname(c::pg_catalog.pg_class) x',
    'select s.label from sale s',
    "select abs(mood('sad'))",
    'select labels()',
    'select cast_item()',
    'select cast_column()',
    'select cast_inside()',
    'select trim_item()',
  ])('may not be what is meant: %s', async (sql) => {
    expect((await guarded.read(sql)).failure).toMatchObject({ code: 'E_NOT_A_READ' });
  });
});
