import { describe, expect, it } from 'vitest';
import { openParser } from '../../thread/parser.ts';
import type { Body, Parameter } from './bodies.ts';
import { readBody } from './read-body.ts';

const parameter = (name: string, type: string, mode = 'i'): Parameter => ({
  name,
  type,
  mode,
  row: false,
  isPlain: /^(?:integer|bigint)$/.test(type),
});

const read = async (text: string, parameters: readonly Parameter[] = [], changes: Partial<Body> = {}, isUtf8 = true) => {
  const signature = { parameters, returnsSet: false, returnsVoid: true, isProcedure: false, ...changes.signature };
  const body: Body = {
    ...{ class: '1255', oid: '20000', language: 'plpgsql', text, parameters, result: 'void', unprovable: undefined },
    ...changes,
    signature,
  };
  return readBody(body, await openParser(), {
    rowsAreCast: false,
    isUtf8,
    recordFunctions: new Set(),
    unreviewed: new Set(['pg_explode']),
  });
};

it('may not call what is new in the server', async () => {
  expect((await read('begin perform pg_explode(); end')).refused).toMatch(/^calls pg_explode\(\), which is new in this server/);
  expect((await read('begin perform app.pg_explode(); end')).refused).toBeUndefined();
});

const calls = async (...args: Parameters<typeof read>) =>
  (await read(...args)).uses.statements.flatMap(({ functions }) => functions.map(({ name }) => name)).sort();

describe('a PL/pgSQL body', () => {
  it.each([
    ['a default of a scalar', 'declare x int := f(); begin end'],
    ['a default of a row', 'declare x record := f(); begin end'],
    ['a default of a row type', 'declare x public.pair := f(); begin x.a := 1; end'],
    ['a default of %rowtype', 'declare x item%rowtype default f(); begin x.a := 1; end'],
    ['a default of a domain that is not null', 'declare x constant public.dom not null := f(); begin end'],
    ['a default of an array that is not null', 'declare x public.dom[] not null := f(); begin end'],
    ['a default of a type with a modifier that is not null', 'declare x public.dom(3) not null default f(); begin end'],
    ['a default of a name with escapes that is not null', `declare x U&"d!006fm" uescape '!' not null := f(); begin end`],
    ['a default of %rowtype that is not null', 'declare x item%rowtype not null := f(); begin x.a := 1; end'],
    ['a default of %type that is not null', 'declare x item.a%type not null := f(); begin end'],
    ['a default in a nested block', 'begin declare x record = f(); begin null; end; end'],
    ['a default behind a column called begin', 'declare a int := (select begin from t); x record := f(); begin end'],
    ['a subscript that is assigned to', 'declare x int[]; begin x[f()] := 1; end'],
    ['an assigned value', 'declare x int; begin x = f(); end'],
    ['a condition', 'begin if f() then null; end if; end'],
    ['ELSIF', 'begin if true then null; elsif f() then null; end if; end'],
    ['ELSE', 'begin if true then null; else perform f(); end if; end'],
    ['CASE', 'begin case f() when 1 then null; else null; end case; end'],
    ['WHEN', 'begin case 1 when f() then null; else null; end case; end'],
    ['WHILE', 'begin while f() loop null; end loop; end'],
    ['the bounds of a loop', 'begin for i in 1..f() loop null; end loop; end'],
    ['the step of a loop', 'begin for i in 1..2 by f() loop null; end loop; end'],
    ['a loop over a query', 'declare r record; begin for r in select f() loop null; end loop; end'],
    ['FOREACH', 'declare x int; begin foreach x in array f() loop null; end loop; end'],
    ['EXIT WHEN', 'begin loop exit when f(); end loop; end'],
    ['RETURN', 'begin return f(); end', false],
    ['PERFORM', 'begin perform 1 from f(); end'],
    ['INTO several variables', 'declare a mood; b mood; begin select 1, f() into a, b; end'],
    ['RAISE', "begin raise notice '%', f(); end"],
    ['RAISE USING', 'begin raise exception using message = f(); end'],
    ['ASSERT', 'begin assert f(), 1; end'],
    ['the message of ASSERT', 'begin assert true, f(); end'],
    ['CALL', 'begin call f(); end'],
    ['a cursor', 'declare c cursor for select f(); begin open c; end'],
    ['the argument of a cursor', 'declare c cursor (x int) for select x; begin open c(f()); end'],
    ['OPEN FOR', 'declare c refcursor; begin open c for select f(); end'],
    ['USING of EXECUTE', "begin execute 'select $1' using f(); end"],
    ['a literal that is executed', "begin execute 'select f()'; end"],
    ['a quoted literal that is executed', 'begin execute $q$ select f() $q$; end'],
    ['a loop over a literal', "declare r record; begin for r in execute 'select f()' loop null; end loop; end"],
    [
      'a literal in a literal',
      "begin perform query_to_xml('select query_to_xml(''select f()'', true, true, '''')', true, true, ''); end",
    ],
    ['an exception handler', 'begin null; exception when others then perform f(); end'],
    ['INSERT', 'begin insert into t values (f()); end'],
    ['RETURNING', 'declare x int; begin insert into t values (1) returning f() into x; end'],
    ['ON CONFLICT', 'begin insert into t values (1) on conflict (a) do update set a = f(); end'],
    ['UPDATE', 'begin update t set a = f(); end'],
    ['MERGE', 'begin merge into t using s on true when matched then update set a = f(); end'],
    ['a field of a value', 'begin perform (1).f; end'],
    ['Unicode escapes', 'begin perform U&"\\0066"(); end'],
    ['comments in between', 'begin perform f/* x */(); end'],
  ])('is searched in %s', async (_place, text, isVoid = true) => {
    const signature = { parameters: [], returnsSet: false, returnsVoid: isVoid, isProcedure: false };
    const reading = await read(text, [], { signature });
    expect(reading.unprovable).toBeUndefined();
    expect(reading.uses.get('f', 'functions', 'fields')).not.toEqual([]);
  });

  it.each([
    ['a variable', 'declare c text; begin execute c; end'],
    ['a qualified variable', '<<b>> declare c text; begin select x into b.c from t; execute b.c; end'],
    ['a joined text', "begin execute 'select ' || 'f()'; end"],
    ['format', "begin execute format('select 1'); end"],
    ['a loop', "declare r record; begin for r in execute 'a' || 'b' loop null; end loop; end"],
    ['OPEN', "declare c refcursor; begin open c for execute lower('select 1'); end"],
    ['a function that runs SQL', "declare c text; begin perform query_to_xml(c, true, true, ''); end"],
  ])('is unprovable when it runs SQL from %s', async (_source, text) => {
    expect((await read(text)).unprovable).toMatch(/SQL that it puts together/);
  });

  it.each([
    'set local role r',
    "set local schema 'x'",
    'set search_path = x',
    'set local session authorization r',
    'set standard_conforming_strings = off',
    'set local jit_dump_bitcode = on',
    'reset all',
    'reset role',
    "set local dynamic_library_path = 'x'",
  ])('is unprovable when it runs %s', async (statement) => {
    expect((await read(`begin ${statement}; end`)).unprovable).toBeDefined();
  });

  it.each([
    ['copy (select 1) to program $$x$$', 'runs COPY'],
    ['analyze t', 'runs VACUUM'],
    ['reindex table t', 'runs REINDEX'],
    ['checkpoint', 'runs CHECKPOINT'],
    ["load 'x'", 'runs LOAD'],
    ['listen x', 'runs LISTEN'],
    ['notify x', 'runs NOTIFY'],
    ['do $$ begin end $$', 'runs DO'],
    ['lock table t', 'runs LOCK'],
    ['alter system set work_mem = 1', 'runs ALTERSYSTEM'],
    ['prepare p as select 1', 'runs PREPARE'],
    ["perform lo_export(1, 'x')", 'calls lo_export(), which reads or writes files of the server'],
    ["execute 'select lo_export(1, ''x'')'", 'calls lo_export(), which reads or writes files of the server'],
    ['perform 1 from pg_authid', 'reads pg_authid, which holds passwords'],
  ])('is refused when it runs %s', async (statement, reason) => {
    expect((await read(`begin ${statement}; end`)).refused).toBe(reason);
  });

  it.each(['create table x (a int)', 'drop table x', 'truncate x', 'comment on table x is null', 'set local work_mem = 1'])(
    'is left to the server where it refuses it: %s',
    async (statement) => {
      const { refused, unprovable } = await read(`begin ${statement}; end`);
      expect([refused, unprovable]).toEqual([undefined, undefined]);
    },
  );

  it('is unprovable when it does not parse', async () => {
    const bogus = [
      'declare a int := (select declare from t); x record := f(); begin end',
      'begin perform declare; perform f(); end',
    ];
    for (const text of ['begin', 'x', '', 'begin perform 1 end', ...bogus])
      expect((await read(text)).unprovable).toBe('has a body that cannot be parsed');
  });

  it('is unprovable beyond its budgets', async () => {
    expect((await read(`begin perform '${'x'.repeat(200_000)}'; end`)).unprovable).toMatch(/200000 characters/);
    expect((await read(`begin ${'perform 1;'.repeat(6_000)} end`)).unprovable).toMatch(/5000 statements/);
  });

  it('is unprovable with a name beyond ASCII where the server folds it in its own way', async () => {
    for (const text of ['begin perform "é"(); end', 'begin perform É(); end', 'begin perform U&"\\00e9"(); end'])
      expect((await read(text, [], {}, false)).unprovable).toMatch(/beyond ASCII/);
    expect((await read("begin perform 'é'; /* é */ end", [], {}, false)).unprovable).toBeUndefined();
    expect((await read('begin perform "é"(); end')).unprovable).toBeUndefined();
  });

  it.each([
    'a',
    "format('select %s', a)",
    "format('select %I(1)', a)",
    "format('select %I/**/(1)', a)",
    "format('select pg_%I --\n(1)', a)",
    "'select ' || quote_ident(a) || '/**/(1)'",
    "'select ' || quote_ident(a) || ' ' || '(1)'",
    "format('select %I.f(1)', a)",
    "format('select (1::bigint).%I', a)",
    "format('select t.%I from generate_series(1, 2) t', a)",
    "format('select 1 operator(%I.+) 1', a)",
    "format('select ''%I''', a)",
    `format('select "%I"', a)`,
    "format('select 1 /* %I */', a)",
    "format('select $$%L$$', a)",
    "format('select query_to_xml(%L, true, true, '''')', a)",
    "format('do %L', a)",
    "format('select %I from t where', a)",
    'other.quote_ident(a)',
  ])('may run SQL of its caller where it executes %s', async (sql) => {
    expect((await read(`begin execute ${sql}; end`, [parameter('a', 'text')])).isGiven).toBe(true);
  });

  it.each([
    "format('select %I from %I where x = %L', a, a, a)",
    "format('select t.%1$I as %1$I from %2$-9I t where 9 %% 2 = %L', a, a, 1)",
    "pg_catalog.format('select f(%L) from t_%I', a, a)",
    "'select * from ' || quote_ident(a) || ' where x = ' || quote_nullable(a)",
    "'select * from t limit ' || n || ' offset ' || (n + 1)",
    "'select * from t where d > ''' || n::text || ''''",
  ])('runs only names and values of its caller where it executes %s', async (sql) => {
    expect((await read(`begin execute ${sql}; end`, [parameter('a', 'text'), parameter('n', 'integer')])).isGiven).toBe(false);
  });

  it('runs no SQL of its caller without a parameter', async () => {
    expect((await read('declare c text; begin execute c; end')).isGiven).toBe(false);
  });

  it('shows what a rollback would not undo in the literals that it puts together', async () => {
    expect((await read("declare c text; begin execute 'ana' || 'lyze ' || c; end")).refused).toMatch(/ANALYZE/);
    expect((await read("declare c text; begin execute 'explain analyze ' || c; end")).refused).toBeUndefined();
  });

  it.each([
    ['public."Mood"[]', 'Mood'],
    ['constant "Mood" collate "C" not null := f()', 'Mood'],
    ['U&"M!006fod" uescape \'!\'', 'Mood'],
    ['pg_catalog --\n . /* ; */ record', 'record'],
    ['item%rowtype', 'item'],
    ['shop."a.b" % /* x */ rowtype collate "C" := f()', 'a.b'],
    ['"Item"."a.b"%type', 'Item'],
    ['db.shop.item.a%type[3]', undefined],
    ['shop.item.a%type[3]', 'item'],
    ['char%rowtype', 'char'],
    ['numeric(f())', undefined],
    ['mood % type % type', undefined],
    ['mood, x int := f()', undefined],
  ])('uses the type of a variable that is declared as %s', async (type, name) => {
    const { uses, unprovable } = await read(`declare x ${type}; begin end`);
    if (name === undefined) expect(unprovable).toBe('has a body that cannot be parsed');
    else expect(uses.get(name, 'types')).not.toEqual([]);
  });

  it.each([
    ['is int, x "Mood"', 'Mood'],
    ['x numeric(4, 2), y shop."Mood"[]', 'Mood'],
    ['x "Mood" --%rowtype\n', undefined],
    ['x "a%rowtype" /*%rowtype*/', 'a%rowtype'],
    ['x "Item"."a.b"%type', 'Item'],
    ['x shop."a.b" % /* x */ rowtype', 'a.b'],
    ['x "a.b.c".d%type', undefined],
    ['x "item --"%rowtype', undefined],
  ])('uses the types of the parameters of a cursor: %s', async (parameters, name) => {
    const { uses, unprovable } = await read(`declare c cursor (${parameters}) for select 1; begin end`);
    if (name === undefined) expect(unprovable).toBe('has a body that cannot be parsed');
    else expect(uses.get(name, 'types')).not.toEqual([]);
  });

  it('uses the types of its parameters', async () => {
    expect((await read('begin end', [parameter('a', 'shop.dom')])).uses.get('dom', 'types')).not.toEqual([]);
  });
});

describe('an SQL body', () => {
  const sql = { language: 'sql' } as const;

  it('is read statement by statement', async () => {
    expect(await calls('select f(); select g()', [], sql)).toEqual(['f', 'g']);
  });

  it('may call a function by a field of a parameter', async () => {
    const fields = async (text: string) => (await read(text, [parameter('x', 'bigint')], sql)).uses.get('f', 'fields')[0];
    expect((await fields('select (x.f)::text'))?.isOfRow).toBe(false);
    expect((await fields('select ($1).f'))?.isOfRow).toBe(false);
    expect((await fields('select t.f from t'))?.isOfRow).toBe(true);
  });
});

describe('a function of any type', () => {
  const makes = async (text: string, type = 'anyelement', language: Body['language'] = 'sql') =>
    (await read(text, [parameter('x', type)], { language, result: type })).hasAnyType;

  it.each([
    'select $1',
    ' SELECT x; ',
    'select coalesce($1, $2)',
    'select case when $1 is null then $2 else $1 end',
    'select array_agg(x order by x) from unnest($1) as x',
    'select array[$1, $2]',
  ])('makes no values of other types where it returns what it was given: %s', async (text) => {
    expect(await makes(text)).toBe(false);
  });

  it.each([
    "select array[$1] || '{7}'",
    'select $1 + 1',
    'select 5',
    'select null',
    'select abs($1)',
    'select coalesce($1, null)',
    'select case $1 when $2 then $1 end',
    'select row($1)',
    'select $1::text',
    'select array_append(array[$1], $$7$$)',
    '-- x',
  ])('may make values of any type where it does anything else: %s', async (text) => {
    expect(await makes(text)).toBe(true);
  });

  it('depends on the parameters and the language', async () => {
    expect(await makes('select 5', 'integer')).toBe(false);
    expect(await makes('select 5', 'anycompatiblearray')).toBe(true);
    expect(await makes('select 5', 'record')).toBe(true);
    expect(await makes('begin return $1; end', 'anyelement', 'plpgsql')).toBe(true);
  });
});
