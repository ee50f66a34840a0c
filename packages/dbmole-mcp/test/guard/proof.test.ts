import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Guarded, openGuarded } from './postgres-guarded.ts';
import { createProofDatabase, type ProofDatabase } from './proof-database.ts';

const engines = { postgres14: 14, postgres18: 18 } as const satisfies Partial<Record<ServerId, number>>;
const roles = ['superuser', 'owner'] as const;

/** The statement, and what the refusal says. */
const refused: readonly (readonly [string, RegExp])[] = [
  ['select f_sql()', /^function f_sql\(\) calls dblink_exec\(\), which runs statements over a connection of its own$/],
  ['select f_plpgsql()', /^function f_plpgsql\(\) calls dblink_exec\(\)/],
  ['select f_immutable(1)', /^function f_immutable\(\) calls dblink_exec\(\)/],
  ['select f_atomic()', /^function f_atomic\(\) leads to dblink_exec\(\), which runs statements/],
  ['select f_return()', /^function f_return\(\) leads to function f_sql\(\), which calls dblink_exec\(\), which runs statements/],
  [
    'select * from f_deeper()',
    /^function f_deeper\(\) leads to function f_sql\(\), which calls dblink_exec\(\), .*, through function f_nested\(\)$/,
  ],
  ['select f_radians()', /^function f_radians\(\) leads to function radians\(\), which calls dblink_exec\(\)/],
  ['select f_default()', /^function f_default\(\) leads to function f_sql\(\), which/],
  ['select f_string()', /^function f_string\(\) leads to function f_sql\(\), which/],
  ['select f_builtin(1)', /^function f_builtin\(\) calls pg_terminate_backend\(\), which controls the server$/],
  ["select f_variadic('a', 'b')", /^function f_variadic\(\) leads to/],
  ['select public.f_sql()', /^function f_sql/],
  ['select f_calls()', /^function f_calls\(\) leads to function f_sql\(\), .*, through procedure p_nested\(\)$/],
  ['select f_copies()', /^function f_copies\(\) runs COPY$/],
  ['select (select count(*) from item where name = f_sql())', /^function f_sql/],
  ['explain select f_immutable(1)', /^function f_immutable/],

  ['select * from v_direct', /^view v_direct leads to dblink_exec\(\), which runs statements over a connection of its own$/],
  ['select * from public.v_remote', /^view v_remote leads to dblink\(\)/],
  ['table v_function', /^view v_function leads to function f_sql\(\), which/],
  ['select * from v_view', /^view v_view leads to dblink_exec\(\), .*, through view v_direct$/],
  ['select * from v_builtin', /^view v_builtin leads to pg_try_advisory_lock\(\)/],
  ['select * from v_secret', /^view v_secret leads to pg_hba_file_rules/],
  ['select * from v_order', /^view v_order leads to function f_immutable\(\), which/],
  ['with x as (select * from v_view) select * from x', /^view v_view/],

  ['select 1 === 2', /^operator === leads to function f_sql\(\), .*, through function op\(\)$/],
  ['select 1 operator(public.===) 2', /^operator ===/],
  ['select !!! 1', /^operator !!! leads to function f_immutable\(\), which/],
  ['select !@ id from item', /^operator !@ leads to pg_try_advisory_lock\(\), which/],
  ['select id::bigint::boolean from item', /^the cast from bigint to bool leads to pg_try_advisory_lock\(\), which/],
  ['select agg_lock(id) from item', /^aggregate agg_lock\(\) leads to pg_try_advisory_lock\(\), which/],
  ['select * from v_operator', /^view v_operator leads to function f_sql\(\), .*, through operator === and function op\(\)$/],
  ['select * from paired a join paired b on a.p = b.p', /^operator = leads to/],
  ['select (1, 2)::pair = (1, 2)::pair', /^operator = leads to/],
  ['select row(1)::money_like::int', /^the cast from money_like to int4 leads to function f_immutable\(\), which/],
  ['select cast(m as int) from priced', /^the cast from money_like to int4/],
  [
    'select upper(l) from labelled',
    /^table labelled has a column whose type leads to .*, through type label and the cast from label to text/,
  ],
  ["select upper(row('x')::label)", /^type label leads to/],
  ['select agg_step(id) from item', /^aggregate agg_step\(\) leads to function f_sql\(\), .*, through function step\(\)$/],
  ['select agg_finish(id) over () from item', /^aggregate agg_finish/],

  ['select 5::checked', /^domain checked has a CHECK that leads to function f_immutable\(\), which/],
  ['select cast(5 as rechecked)', /^domain rechecked leads to .*, through domain checked/],
  ["select '{5}'::checked[]", /^domain checked/],
  ['select 5::locked', /^domain locked has a CHECK that leads to pg_try_advisory_lock\(\)/],
  ["select '(5)'::with_checked", /^type with_checked leads to/],
  ["select * from json_to_record('{}') as x (c checked)", /^domain checked/],
  ["select json_populate_record(null::t_checked, '{}')", /^type t_checked leads to/],
  ["select json_populate_record(t, '{}') from t_checked t", /type t_checked leads to/],
  ['select item.f_comp from item', /^function f_comp/],
  ['select i.f_comp from item as i', /^function f_comp/],
  ['select (i).f_comp from item as i', /^function f_comp/],
  ['select (f_get(1)).f_comp', /^function f_comp/],
  ['select item.f_row from item', /^function f_row/],

  ['select * from secured', /^table secured has a policy that leads to/],
  ['select * from v_secured', /^view v_secured leads to .*, through table secured and/],
  ['select * from indexed', /^table indexed has an index that leads to function f_immutable\(\), which/],
  ['select * from partial where id = 1', /^table partial has an index/],
  ['select * from measured', /^table measured has statistics that lead to function f_immutable\(\), which/],
  ['select * from kid', /^table kid has a CHECK/],
  ['select * from parent', /^table parent has a part that leads to .*table kid/],
  ['select * from parts', /^table parts has a partition key/],

  ['select r from ranked order by r', /^table ranked has a column whose type leads to .*function rank_compare\(\)/],
  ['select distinct (1, 2)::rank', /^type rank leads to/],
  ['select * from ranged', /^table ranged has a column whose type leads to .*function distance\(\)/],
  ['select * from odd_index', /^table odd_index has an index that leads to .*function backwards\(\)/],

  ["select '[2,1]'::odd_range", /^type odd_range leads to .*function backwards\(\)/],
  ['select odd_range(2, 1)', /^(?:type|function) odd_range(?:\(\))? leads to/],
  ['select * from odd_parts where id = 1', /^table odd_parts has a partition key that leads to .*function backwards\(\)/],
  ['select id from item order by id using >>>>', /^operator >>>> leads to .*function backwards\(\)/],

  ['select abs((1, 2)::pair)', /^function abs\(\) leads to/],
  ["select audit.lower('A')", /^function audit\.lower\(\) leads to/],
  ['select x from audit.item', /^view audit\.item leads to/],
  ["select table_to_xml('v_direct', true, false, '')", /^view v_direct leads to dblink_exec/],
  ["select schema_to_xml('public', true, false, '')", /^schema_to_xml\(\) chooses what it reads at run time and could reach: /],
  ["select f_xml('item')", /^function f_xml\(\) calls table_to_xml\(\), which reads a table chosen at run time$/],
  ['select * from v_xml', /^view v_xml leads to /],

  [
    "select a = '{5}' from arrayed",
    /^a constant or parameter without a cast may be coerced to a type used by arrayed: type _checked leads to/,
  ],
  ["select coalesce(r, '(5)') from arrayed", /^a constant or parameter without a cast/],
  [
    "select array_append(array[c], '5') from plainly",
    /^a constant or parameter without a cast may be coerced to a type used by plainly/,
  ],
  ["select lag(c, 1, '5') over () from plainly", /^a constant or parameter without a cast/],
  ["select coalesce(p, '(5,x)') from plainly p", /^a constant or parameter without a cast/],
  ['select f_forms(id) from item', /^function f_forms\(\) (?:makes values of the types that it is given, which can be|leads to)/],

  ['select f_joined()', /^function f_joined\(\) runs SQL that it puts together at run time, and this user/],
  ['select f_joined_own()', /^function f_joined_own\(\) runs SQL that it puts together at run time, and this user/],
  [
    "select f_anything('select 1')",
    /^function f_anything\(\) runs SQL that it puts together at run time, and this user (?:is a superuser|may call dblink)/,
  ],
  ["select f_definer('select 1')", /^function f_definer\(\) runs SQL that it puts together at run time/],
  ['select f_known(1)', /^function f_known\(\) runs SQL that it puts together at run time, and this user/],
  ["select f_count('item')", /^function f_count\(\) runs SQL that it puts together at run time, and this user/],
  ['select * from v_evil_pivot', /^view v_evil_pivot leads to function f_sql\(\), which/],

  [
    "select f_internal('PG_VERSION')",
    /^function f_internal\(\) is pg_read_file by another name, and that reads or writes files of the server$/,
  ],
  ["select f_c('', '')", /^function f_c\(\) is dblink_exec by another name/],
  [
    "select f_loose('item')",
    /^function f_loose\(\) is bt_index_check by another name, and that chooses what it reads at run time$/,
  ],
  ['select f_free()', /^function f_free\(\) is written in plfree, which can do whatever the server can$/],
  ['select hidden(1)', /^function hidden\(\) leads to function f_sql\(\), which/],
  ['select pg_catalog.hidden(1)', /^function hidden/],
  ['select * from ft_program', /^foreign table ft_program reads a file or runs a program of the server$/],
  ['select * from ft_parent', /^table ft_parent has a part that leads to foreign table ft_program/],
];

/** What a person would call a read; they run. */
const allowed: readonly string[] = [
  'select * from item',
  'select i.id, i.name, i.* from item i',
  'select count(*), sum(price), max(at) from item where name = $$f_sql()$$',
  'select label_of(i), i.label_of, (i).label_of, i from item i',
  'select * from v_item',
  'select * from mv_remote where false',
  "select * from f_search('o')",
  'select * from f_get(1)',
  'select f_atomic_fine(1), f_owner()',
  'select 1 = 1, 1 <+> 2, total(id), abs(-1), 2 + 2 from item',
  "select lower('A'), log(10), pg_catalog.lower('A')",
  'select * from priced_item',
  'select id, p::int, (p).x, area(p), (p).area from priced_item as q (id, amount, m, h, c, l, a, p)',
  'select 5::positive, row(1, 2)::point_like::int',
  'select n from t_checked',
  'select a, r, a[1] = 5, r is null, cardinality(a) from arrayed where id = 1',
  "select c, name from plainly where name = 'x' and c = '5' and coalesce(c, '5') in ('5', '6') or c is null or name like 'a' || 'b'",
  'select f_gives(c), array[c], plainly, (select array_agg(c) from plainly) from plainly',
  "select table_to_xml('item', true, false, ''), table_to_xml('public.item'::regclass, true, false, ''), table_to_xmlschema('item', true, false, '')",
  'select id from priced',
  'select t.id from item t join priced_item p using (id) where p.amount = t.id or p.m in ($$low$$, $$high$$)',
  "select h -> 'a', h ? 'a', c = 'abc', c like 'A%', l <@ 'a', a && array[1], a @> '{1}' from priced_item",
  "select similarity('abc', 'abd'), 'abc' % 'abd', word_similarity('a', 'b'), unaccent('é'), levenshtein('a', 'b'), soundex('x')",
  "select uuid_generate_v4() is not null, crypt('x', gen_salt('bf', 4)), digest('x', 'sha256'), gen_random_bytes(4)",
  'select count(*) from normal_rand(5, 1, 2)',
  "select hstore('a', 'b'), akeys('a=>1'), (each('a=>1')).key, sort(array[2, 1]), subpath('a.b.c', 1)",
  'select gbt_decompress is not null from (select 1 as gbt_decompress) x',
  'select * from v_pivot',
  "select f_known_library('abc', 'abd')",
  'select * from secured_fine',
  'select * from pg_stat_activity where pid = 0',
  'select * from pg_locks limit 1',
  'select * from pg_stats limit 1',
  'select * from pg_sequences',
  'select relname, pg_size_pretty(pg_total_relation_size(oid)) from pg_class limit 3',
  "select table_name, column_name from information_schema.columns where table_schema = 'public' limit 3",
  'select * from information_schema.routines limit 1',
  "select pg_get_viewdef('v_direct'), pg_get_functiondef('f_sql'::regproc), 'v_direct'::regclass",
  'select calls from pg_stat_statements limit 1',
  "select 'f_sql()' as f_sql, 1 as v_direct",
  'with v_direct as (select 1 as x) select x from v_direct',
  'explain (format json) select * from v_item',
];

describe.each(['postgres14', 'postgres18'] as const)('what objects lead to, on %s', (id) => {
  const server = useEngine(id, { shared: true });
  let database: ProofDatabase;

  beforeAll(async () => {
    database = await createProofDatabase(server(), 'proof_test', 'proof');
  });
  afterAll(() => database.dispose());

  describe.each(roles)('as %s', (role) => {
    let guarded: Guarded;

    beforeAll(async () => {
      guarded = await openGuarded(database[role]);
    });
    afterAll(() => guarded.backend.dispose());

    it.each(refused)('refuses the read %s', async (sql, said) => {
      const { failure } = await guarded.read(sql);
      expect(failure?.code).toBe('E_NOT_A_READ');
      expect(failure?.message).toMatch(said);
    });

    it.each([...allowed, ...(engines[id] >= 18 ? ['select * from computed_fine'] : [])])('runs the read %s', async (sql) => {
      const { failure } = await guarded.read(sql);
      expect(failure).toBeUndefined();
    });

    it('leaves to the server what a read-only transaction stops', async () => {
      const { failure } = await guarded.read('select f_write()');
      expect(failure).toMatchObject({ code: 'E_READONLY' });
    });

    it('names the position, and what to write instead', async () => {
      const { failure } = await guarded.read("select 'ü', abs((1, 2)::pair)");
      expect(failure).toMatchObject({ position: 13, hint: expect.stringContaining('pg_catalog.abs') });
      const other = await guarded.read('select id from item where f_sql() is null');
      expect(other.failure).toMatchObject({ position: 27, hint: expect.stringContaining('execute') });
    });
  });
});
