import { beforeAll, describe, expect, it } from 'vitest';
import { openParser, type Parser } from '../thread/parser.ts';
import { collectNames } from './collect.ts';
import type { NameUse, StatementNames } from './names.ts';

let parser: Parser;
beforeAll(async () => {
  parser = await openParser();
});

function listNames(sql: string): StatementNames {
  return collectNames(parser.parse(sql)[0]?.stmt, sql);
}

const spell = ({ schema, name }: NameUse) => (schema === undefined ? name : `${schema}.${name}`);
const sorted = (uses: readonly NameUse[]) => uses.map(spell).toSorted();

describe('collectNames', () => {
  it.each([
    ['select f(), s.g(1), "Q"."H"(), U&"\\0068"()', ['Q.H', 'f', 'h', 's.g']],
    ['select count(*) over (order by f(1)), sum(x) filter (where g(x)) from t', ['count', 'f', 'g', 'sum']],
    ['select * from f(1), lateral g(2), rows from (h(3) as (a int))', ['f', 'g', 'h']],
    ['select * from t tablesample s.method(f())', ['f', 's.method']],
    ["select x at time zone 'UTC', overlay(a placing b from 1)", ['pg_catalog.overlay', 'pg_catalog.timezone']],
    ['values (f()), (g())', ['f', 'g']],
    ['select 1 limit f() offset g()', ['f', 'g']],
    ['select array[f()], row(g()), (h()).x, (i())[j()], case when k() then l() else m() end', [...'fghijklmx']],
    ['select (5).f, ($1)[1].g, (t.a).h from t', ['f', 'g', 'h']],
    ['select x.f, y.g from h(1) x, t y', ['f', 'h']],
    ['select x.f, x.g from h(1) x(f), h(2) as y(g int), h(3) with ordinality z where y.g = z.n', ['g', 'h', 'h', 'h']],
    ['select x.f from t x', []],
    ['select 1 union all (select f() intersect select g()) order by 1', ['f', 'g']],
    ['with a as (select f()) select (select g()) from a where exists (select h())', ['f', 'g', 'h']],
    ['explain (analyze, costs off) select f()', ['f']],
    ['select a from t group by grouping sets ((f(a)), rollup (g(a))) having h(a)', ['f', 'g', 'h']],
    ['select xmlelement(name a, xmlattributes(f() as b), g()), xmlserialize(content h() as text)', ['f', 'g', 'h']],
    ["select * from xmltable('/a' passing f() columns b int path g() default h())", ['f', 'g', 'h', 'xmltable']],
    ['select f(a => g(), variadic h())', ['f', 'g', 'h']],
    ['select distinct on (f(a)) a from t window w as (partition by g(a) rows h() preceding)', ['f', 'g', 'h']],
    ['with recursive a as (select 1 x) cycle x set c using p select f() from a', ['f']],
  ])('finds the calls of %s', (sql, calls) => {
    expect(sorted(listNames(sql).functions)).toEqual(calls);
  });

  it('counts the arguments', () => {
    expect(
      listNames('select f(), f(1, 2)')
        .functions.map(({ args }) => args)
        .toSorted(),
    ).toEqual([0, 2]);
  });

  it.each([
    [
      "select json_value(a, f() returning d) from json_table(g(), '$' columns (x e path '$'))",
      ['f', 'g', 'json_table', 'json_value'],
    ],
    [
      "select json_exists(a, '$'), json_query(a, '$'), json(a), json_scalar(f()), json_serialize(a)",
      ['f', 'json', 'json_exists', 'json_query', 'json_scalar', 'json_serialize'],
    ],
    [
      'select json_array(f()), json_array(select g()), json_arrayagg(a), json_object(a: h()), json_objectagg(a: b)',
      ['f', 'g', 'h', 'json_array', 'json_array', 'json_arrayagg', 'json_object', 'json_objectagg'],
    ],
    ['select normalize(f(), nfc)', ['f', 'normalize']],
  ])('takes words that an older server takes for calls as calls: %s', (sql, calls) => {
    expect(sorted(listNames(sql).functions).filter((name) => !name.startsWith('pg_catalog.json'))).toEqual(calls);
  });

  it('knows the aggregates behind words', () => {
    const { functions } = listNames('select json_array(select a), json_objectagg(a: b)');
    expect(sorted(functions)).toEqual(
      expect.arrayContaining(['pg_catalog.json_agg_strict', 'pg_catalog.jsonb_object_agg_unique']),
    );
  });

  it('takes a word in FROM that names a table of an older server for one', () => {
    expect(sorted(listNames('select 1 from a, system_user').relations)).toEqual(['a', 'system_user']);
    expect(sorted(listNames('select system_user from pg_catalog.system_user()').relations)).toEqual([]);
  });

  it.each([
    ['select * from a, s.b, only c as x join d using (e)', ['a', 'c', 'd', 's.b']],
    ['table a', ['a']],
    ['select * from t where x in (table u)', ['t', 'u']],
    ['with v as (select * from v) select * from v', ['v']],
    ['with v as (select 1) select * from v, s.v', ['s.v']],
    ['with a as (select * from b), b as (select * from a) select * from a, b', ['b']],
    ['with recursive a as (select * from b), b as (select * from a) select * from a, b', []],
    ['select (with v as (select 1) select * from v), (select 2 from v)', ['v']],
    ['with v as (select 1) select (select * from (select * from v) x)', []],
    ['with v as (select 1) select 1 union select 2 from v', []],
    ['(with v as (select 1) select * from v) union select 2 from v', ['v']],
  ])('finds the relations of %s, and no names of WITH', (sql, relations) => {
    expect(sorted(listNames(sql).relations)).toEqual(relations);
  });

  it.each([
    ['select a + b, - c, a operator(s.@@) b', ['+', '-', 's.@@']],
    ['select a in (1), a not in (2), a in (select 1)', ['<>', '=', '=']],
    ["select a like 'x', a not ilike 'x', a similar to 'x'", ['!~~*', '~', '~~']],
    ['select a between 1 and 2, a not between symmetric 1 and 2', ['<', '<=', '>', '>=']],
    ['select case a when 1 then 2 end, case when b then 3 end', ['=']],
    ['select * from a join b using (c)', ['=']],
    ['select * from a natural join b', ['=']],
    ['select * from a join b on true', []],
    ['select a > all (select 1), a ~ any (array[b])', ['>', '~']],
    ['select nullif(a, b), a is distinct from b', ['=', '=']],
    ['select a from t order by b using operator(s.>>)', ['s.>>']],
  ])('finds the operators of %s, including implied ones', (sql, operators) => {
    expect(sorted(listNames(sql).operators)).toEqual(operators);
  });

  it.each([
    ["select a::t, cast(b as s.u[]), v 'x', w(3) 'y'", ['s.u', 't', 'v', 'w']],
    ['select * from f() as x(a t, b s.u)', ['s.u', 't']],
    ["select * from xmltable('/a' passing b columns c t)", ['t']],
    ["select * from json_table(a, '$' columns (b t, nested '$.x' columns (c u)))", ['t', 'u']],
    ["select json_value(a, '$' returning t), xmlserialize(content a as u)", ['t', 'u']],
  ])('finds the types of %s', (sql, types) => {
    expect(sorted(listNames(sql).types)).toEqual(types);
  });

  it.each([
    ['select t.f, s.t.g, h from t', ['f', 'g']],
    ['select (t).f, (g(1)).h.i, t.*, (t).*, a[1].j', ['f', 'h', 'i', 'j']],
  ])('finds what may be a column or a call in %s', (sql, fields) => {
    expect(sorted(listNames(sql).fields)).toEqual(fields);
  });

  it('knows the calls that find what they use when they run', () => {
    const { dynamic } = listNames("select schema_to_xml('s', true, true, ''), s.schema_to_xml(), pg_input_is_valid('1', 'd')");
    expect(sorted(dynamic)).toEqual(['pg_input_is_valid', 'schema_to_xml']);
  });

  it.each([
    ["table_to_xml('item', true, false, '')", ['item']],
    ['table_to_xml(\' Shop . "Item ""2" \'::regclass, true, false, \'\')', ['shop.Item "2']],
    ["pg_catalog.table_to_xml_and_xmlschema('a.b'::pg_catalog.regclass, true, false, '')", ['a.b']],
    ["ext.get_raw_page('item', 0)", ['item']],
    ["schema_to_xml('shop', true, false, '')", []],
    ["schema_to_xml('shop'::name, true, false, '')", []],
  ])('takes what a constant names for a relation: %s', (call, relations) => {
    const names = listNames(`select ${call}`);
    expect(sorted(names.relations)).toEqual(relations);
    expect(names.functions.map(({ isNamed }) => isNamed)).toEqual([true]);
  });

  it.each([
    ...["'1260'", '1260', '1260::regclass', '$1', "'a' || 'b'", "tbl => 'item'", 'relname', "''", "'a.b.c'", "'-'"],
    ...["'item'::s.regclass", "'item'::regclass[]", "'item'::d", "(select 'item')", 'null', "'item x'", `'"'`],
  ])('does not know what table_to_xml(%s) reads', (arg) => {
    const { functions, relations } = listNames(`select table_to_xml(${arg}, true, false, '')`);
    expect(functions.filter(({ isNamed }) => isNamed)).toEqual([]);
    expect(relations).toEqual([]);
  });

  it.each(["'pg_catalog'", "'information_schema'", "'pg_toast'", '$1', "'a' || 'b'", 'nspname'])(
    'does not allow schema_to_xml(%s)',
    (arg) => {
      expect(listNames(`select schema_to_xml(${arg}, true, false, '')`).functions.some(({ isNamed }) => isNamed)).toBe(false);
    },
  );

  it.each([
    ["select 'x'", 8],
    ["select a = '' from t", 12],
    ['select (\'x\' collate "C")::text', 9],
    ["select 'x'::unknown", 11],
    ["select 'x'::pg_catalog.unknown", 11],
    ['select null', 8],
    ['select 1 = $1', 12],
    ["select f('a', 'b')", 10],
    ["select 'ü'::text, 'x'", 19],
    ["values ('x')", 9],
    ["select x in (1, 'x')", 17],
    ["select array['x']", 14],
    ["select 'x'::text, date '2020-01-01', cast('x' as int), $1::int, null::text, 1, 1.5, true, b'1', x'f'", undefined],
    ["select interval '1 day', 5::text, a is null, current_date", undefined],
  ])('finds the first constant without a type in %s', (sql, position) => {
    const names = listNames(sql);
    expect(names.untyped && names.positionOf(names.untyped)).toBe(position);
  });

  it.each([
    ...['select t from t', 'select coalesce(x, a) from t x', 'select (t.*) = b from t', 'select count(t.*) from t'],
    ...['select (x).a from (select 1) x', 'select x from f() x', 'select t from a join t on true', 'select row(t.*) from t'],
    ...["select x from json_table(j, '$' columns (a int)) x", 'select j from (a join b on true) as j'],
  ])('sees a whole row in %s', (sql) => {
    expect(listNames(sql).kinds).toContain('Row');
  });

  it.each(['select * from t', 'select t.*, a, t.b from t', 'select a from t where b = 1', 'select count(*) from t x', 'table t'])(
    'sees no whole row in %s',
    (sql) => {
      expect(listNames(sql).kinds).not.toContain('Row');
    },
  );

  it.each(['select array[a, b]', 'select f(a, b)', 'select a union select b', 'values (1), (2)', 'select coalesce(a, b)'])(
    'sees that values may take one type in %s',
    (sql) => {
      expect(listNames(sql).combines).toBe(true);
    },
  );

  it.each(['select array[a]', 'select f(a)', 'values (1)', 'select a = b'])('sees that no values take one type in %s', (sql) => {
    expect(listNames(sql).combines).toBe(false);
  });

  it.each([
    ['select lower(row(1)), (row(1)).f', ['']],
    ['select row(1) + 1, 1 in (row(1)), case 1 when row(1) then 2 end', ['']],
    ['select row(1) = row(2), row(1) in (row(2), row(3))', []],
    ['select a from t where (a, b) in (select 1, 2) group by grouping sets ((a, b), (a))', []],
    ['select mode() within group (order by row(1))', ['']],
    ['select row(1)::t, array[row(1)]::t[]', []],
    ['select lower(row(1)::record)', ['']],
    ['select lower(s) from (select 1) s', ['']],
    ['with s as (select 1) select s::t from s', ['']],
    ['select lower(x), y::t, z.a from f() x, g() y, h() z', ['f', 'g']],
    ['select lower(f) from f()', ['f']],
    ['select lower(x) from f() as x(a int)', ['']],
    ['select lower(x) from rows from (f() as (a int)) x', ['']],
    ['select lower(x) from f() with ordinality x', ['']],
    ['select lower(x) from rows from (f(), g()) x', ['']],
    ['select lower(x) from unnest(a, b) x', ['']],
    ['select lower(y) from unnest(a) y', ['unnest']],
    ['select lower(x) from coalesce(a, b) x', ['']],
    ['select lower(t) from t', []],
  ])('finds the rows of the type record that are values in %s', (sql, records) => {
    expect([...listNames(sql).records].toSorted()).toEqual(records);
  });

  it('knows which functions may return the row before a dot', () => {
    const { fields } = listNames('select x.a, y.b, t.c from f() x, (select 1) y, t');
    expect(fields.map(({ name, recordsOf }) => [name, recordsOf && [...recordsOf]]).toSorted()).toEqual([
      ['a', ['f']],
      ['b', ['']],
      ['c', undefined],
    ]);
  });

  it('knows the position of each name', () => {
    const sql = 'select \'ü😀\', s.f(1) from "tä".u';
    const names = listNames(sql);
    const at = (uses: readonly NameUse[]) => uses.map((use) => names.positionOf(use));
    expect(at(names.functions)).toEqual([sql.indexOf('s.f') + 1]);
    expect(at(names.relations)).toEqual([sql.indexOf('"tä"') + 1]);
    expect(listNames('select * from a natural join b').operators.map((use) => names.positionOf(use))).toEqual([undefined]);
  });
});
