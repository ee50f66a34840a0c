import { describe, expect, it } from 'vitest';
import { BodyReader, readText } from './reading.ts';
import type { Parameter } from './variables.ts';

const ofFunction = (text: string, parameters: readonly Parameter[] = [], language = 'plpgsql', settings = '') =>
  readText({ text, parameters, language, settings, member: false }, false);

const calls = (text: string, language = 'plpgsql') => [...ofFunction(text, [], language).uses.functions.keys()];

describe('what a body calls', () => {
  it.each([
    ["begin perform public.dblink_exec('a', 'b'); end", true],
    ['begin perform PUBLIC . "dblink_exec" /* x */ (\'a\'); end', true],
    [String.raw`select U&"dblink\005fexec"('a')`, true],
    ["begin execute 'select dblink_exec(''a'')'; end", true],
    ["begin execute 'select dbl' || 'ink_exec(''a'')'; end", true],
    ["declare s text := 'select dblink' || '_exec'; begin s := s || '(1)'; execute s; end", true],
    ["begin execute format('select %I(1)', 'dblink' || '_exec'); end", true],
    ["begin execute format('%s %2$s(1)', 'select', 'dblink_exec'); end", true],
    ["begin execute format('select dblink%s_exec(1)', null); end", true],
    ["begin for r in execute e'select \\x64blink_exec(1)' loop null; end loop; end", true],
    ["begin execute 'do $x$ begin perform dblink_exec(1); end $x$'; end", true],
    ["select * from crosstab('select dblink_exec(1)')", true],
    ["begin raise notice 'dblink_exec failed'; end", false],
    ['begin -- dblink_exec(1)\n return 1; end', false],
    ['declare dblink_exec int; begin return dblink_exec; end', false],
  ])('%s', (text, expected) => {
    expect(calls(text).includes('dblink_exec')).toBe(expected);
  });

  it('knows the schema that is before a name, and fields', () => {
    const { uses } = ofFunction('select audit.log(1), (t).f_comp, t.g from "S"."T" t where a === b', [], 'sql');
    expect(uses.functions.get('log')).toEqual([{ schema: 'audit' }]);
    expect(uses.relations.get('T')).toEqual([{ schema: 'S' }]);
    expect([...uses.fields.keys()]).toEqual(['f_comp', 'g', 'T']);
    expect(uses.operators.has('===')).toBe(true);
  });

  it.each([
    ['select x.f from json_array(select 1) x', true],
    ['select x.f from (select 1) x', false],
    ['select int4.f from cast(5 as int)', true],
    ['select c.f from t join u on t.a = u.a, lateral (cast(q.c as int) cross join v)', true],
    ["select btrim.f from t, trim(' a ')", true],
    ["select x.f, cast(x.a as int), trim(x.b) from t x where trim(x.b) in ('a', cast(x.c as text))", false],
    ['select x.f from t x where x.a = (select max(a) from u where b) order by x.a, cast(x.b as int)', false],
  ])('knows what has a name in FROM that is not in the text: %s', (text, expected) => {
    expect(calls(text, 'sql').includes('f')).toBe(expected);
  });

  it('lets a function have a setting of its own until the transaction ends', () => {
    expect(calls("begin perform set_config('app.user', x, true); end")).not.toContain('set_config');
    expect(calls("begin perform set_config('app.user', x, false); end")).toContain('set_config');
    expect(calls("begin perform set_config('role', x, true); end")).toContain('set_config');
    expect(calls('begin perform set_config(x, y, true); end')).toContain('set_config');
  });

  it('takes every word for a call in languages that it does not read', () => {
    expect(calls('# dblink_exec\n spi_exec_query("select 1")', 'plperl')).toContain('dblink_exec');
    expect(ofFunction('spi_exec_query($x)', [], 'plperl').verdict).toBe('anything');
    expect(ofFunction('return $x + 1', [], 'plperl').verdict).toBe('fixed');
  });

  it('reads comments where its own settings change how strings end', () => {
    const text = "select '\\' -- ', dblink_exec(1) --'";
    expect([...ofFunction(text, [], 'sql', 'standard_conforming_strings=off').uses.functions.keys()]).toContain('dblink_exec');
  });
});

describe('commands', () => {
  it.each([
    ['begin copy t to $x$/tmp/x$x$; end', 'copy'],
    ["begin execute 'copy t to program ''x'''; end", 'copy'],
    ['begin if true then lock table t; end if; end', 'lock'],
    ["begin execute format('reindex table %I', x); end", 'reindex'],
    ['begin do $x$ begin end $x$; end', 'do'],
    ['begin copy := 1; lock = 2; return load(3); end', undefined],
    ["begin raise notice 'copy t to x'; return 'load'; end", undefined],
    ['begin insert into t values (1) on conflict do nothing; end', undefined],
  ])('%s', (text, command) => {
    expect(ofFunction(text).command).toBe(command);
  });
});

describe('what a body puts together', () => {
  const table: readonly Parameter[] = [
    { name: 'tab', type: 'regclass' },
    { name: 'txt', type: 'text' },
    { name: 'n', type: 'integer' },
  ];
  it.each([
    ['begin return 1; end', 'fixed'],
    ["begin execute 'select 1'; end", 'fixed'],
    ["begin execute 'select * from t where id = ' || n; end", 'fixed'],
    ["begin execute format('select * from t where x = %L limit %s', txt, n) into r using a; end", 'fixed'],
    ["begin execute 'select ' || quote_literal(txt) || ' from t'; end", 'fixed'],
    ["declare d date := now(); begin execute format('select * from t where d > %s', d); end", 'fixed'],
    ["declare s text; begin s := 'select 1'; if n > 1 then s := s || ' limit ' || n::text; end if; execute s; end", 'fixed'],
    ["begin for i in 1..n loop execute 'select * from t limit ' || i; end loop; end", 'fixed'],
    ["begin execute 'select count(*) from ' || tab into r; end", 'names'],
    ["begin execute format('select count(*) from %I.%I where x = %L', txt, txt, txt); end", 'names'],
    ["begin execute 'select count(*) from ' || quote_ident(txt); end", 'names'],
    ["begin execute 'select count(*) from ' || $1; end", 'names'],
    ["begin execute 'select count(*) from ' || txt::regclass; end", 'names'],
    ['begin execute txt; end', 'anything'],
    ['begin execute $2; end', 'anything'],
    ["begin execute 'select ' || txt; end", 'anything'],
    ["begin execute format('select %s', txt); end", 'anything'],
    ["begin execute format('select %I(1)', txt); end", 'anything'],
    ["begin execute format('select %I.%I(1)', txt, txt); end", 'anything'],
    ["begin execute format('select dblink_%s(1)', n); end", 'anything'],
    ["begin execute 'select dblink_' || quote_ident(txt); end", 'anything'],
    ["begin execute format('%*s', 3, txt); end", 'anything'],
    ["begin open c for execute chr(115) || 'elect 1'; end", 'anything'],
    ['declare s text; begin select x into s from t; execute s; end', 'anything'],
    ['declare s text; begin for s in select x from t loop execute s; end loop; end', 'anything'],
    ['declare s text; begin for tab, s in select x from t loop execute s; end loop; end', 'anything'],
    ['declare s text; begin call p(s); execute s; end', 'anything'],
    ['declare tab text; begin tab := txt; execute tab; end', 'anything'],
    ["declare s text := 'select dbl'; begin s := s || 'ink(1)'; execute s; end", 'anything'],
    ['declare s alias for $2; begin execute s; end', 'anything'],
    ["declare s text := 'select 1'; a alias for s; begin a := txt; execute s; end", 'anything'],
    ["declare s text = 'select 1'; begin get stacked diagnostics s = message_text; execute s; end", 'anything'],
    ['declare s date.x%type; begin select x into s from date; execute s; end', 'anything'],
    ["begin execute format('select f%s()', true); end", 'anything'],
    ["begin execute format('select f%s()', 007); end", 'anything'],
    ["begin execute 'select f' || '007'::int || '()'; end", 'anything'],
    ["begin execute format('select f%2s()', 'g'); end", 'anything'],
    ["begin execute 'select ' || 'function'::varchar(1) || '()'; end", 'anything'],
    ["declare s text := null; begin s := 'select 1'; execute s; end", 'fixed'],
    ["begin execute format('select * from t where x = %L limit %s', null, 10::int); end", 'fixed'],
    ['begin execute (select x from t); end', 'anything'],
    ['begin execute r.command; end', 'anything'],
    ['begin return query execute txt; end', 'anything'],
    ["begin return query select * from ts_stat('select ' || txt); end", 'anything'],
    ["begin execute format('select query_to_xml(%L)', txt); end", 'anything'],
    [`select u&"dblink!005fexec" uescape '!'`, 'anything'],
    ['begin grant execute on function f to x; end', 'fixed'],
  ] as const)('%s', (text, verdict) => {
    expect(ofFunction(text, table).verdict).toBe(verdict);
  });

  it.each([
    ['begin execute txt; end', true],
    ['begin execute $2; end', true],
    ["begin execute 'select ' || txt; end", true],
    ["begin execute format('select %s from t', txt); end", true],
    ['begin execute format(txt, n); end', true],
    ['begin execute upper(txt); end', true],
    ['begin execute f.txt; end', true],
    ["begin execute (case when true then txt else 'select 1' end); end", true],
    ["declare s text; begin s := 'select ' || txt; execute s; end", true],
    ["declare s text := 'select 1'; begin s := s || ' ' || lower(txt); execute s; end", true],
    ["declare s text; r text; begin s := txt; r := replace(s, 'a', 'b'); execute r; end", true],
    ['declare txt text := txt; begin execute txt; end', true],
    ['begin return query select * from crosstab(txt); end', true],
    ["begin execute format('select count(*) from %I where %s', tab, txt); end", true],
    ["begin execute 'select f' || txt::varchar(3); end", true],
    ['declare s text; begin foreach s in array txt loop execute s; end loop; end', true],
    ['declare s text; begin for s in select unnest(txt) loop execute s; end loop; end', true],
    ['declare s text; begin select txt into s; execute s; end', true],
    ["declare s text; begin select case when n in (1) then txt else '' end, n in (2) into s, n; execute s; end", true],
    ['declare s text; begin if txt is not null then select x into s from t; end if; execute s; end', false],
    ['declare r record; begin for r in select * from json_each(txt) loop execute r.value; end loop; end', true],
    ['declare s text[]; begin s[1] := txt; execute s[1]; end', true],
    ['declare c refcursor; s text; begin open c for select txt; fetch c into s; execute s; end', true],
    ['declare c cursor for select txt; s text; begin fetch c into s; execute s; end', true],
    ["begin raise exception '%', txt; exception when others then execute sqlerrm; end", true],
    ["declare s text; begin perform set_config('a.b', txt, true); execute current_setting('a.b'); end", true],
    ['declare s text; begin call p(txt, s); execute s; end', true],
    ["begin return query select query_to_xml(q, true, false, '') from unnest(txt) q; end", true],
    ["begin return query select query_to_xml(q, true, false, '') from t where id = txt; end", false],
    ["declare s text; begin execute 'select x from t where y = $1' into s using txt; execute s; end", false],
    ["begin execute format('select count(*) from %I', txt) into r; end", false],
    ["begin execute format('select count(*) from %I.%I where x = %L', txt, txt, txt); end", false],
    ["begin execute 'select count(*) from ' || tab || ' where id = ' || n; end", false],
    ["begin execute 'select count(*) from ' || quote_ident(txt) || ' where x = ' || quote_literal(txt); end", false],
    ["begin execute 'select count(*) from t where x = $1' into r using txt; end", false],
    ['declare s text; begin select x into s from t where y = txt; execute s; end', false],
    ['declare s text; begin for s in select x from t loop execute s; end loop; end', false],
    ["declare s text := 'select 1'; begin if txt is not null then s := s || ' limit 1'; end if; execute s; end", false],
    ['begin execute (select definition from t); end', false],
  ])('knows whether the caller gives the SQL: %s', (text, given) => {
    expect(ofFunction(text, table).given).toBe(given);
  });

  it.each([
    ["spi_exec_query('select 1')", false],
    ["plv8.execute('select * from t where x = $1', [a])", false],
    ["var plan = plv8.prepare('select $1'); plan.execute([a])", false],
    ['spi_exec_query($_[0])', true],
    ["plv8.execute('select ' + a)", true],
    ['spi_exec "select $1"', true],
    ['my $x = 5; return $x', false],
  ])('of another language too, as far as it can be seen: %s', (text, given) => {
    expect(readText({ text, parameters: table, language: 'plperl', settings: '', member: false }, false).given).toBe(given);
    expect(readText({ text, parameters: [], language: 'plperl', settings: '', member: false }, false).given).toBe(false);
  });

  it('knows columns that are told, and tables that are', () => {
    expect(ofFunction("begin execute format('select x.%I from t x', txt); end", table).fields).toBe(true);
    expect(ofFunction("begin execute format('select %I from a.%I', txt, txt); end", table).fields).toBe(false);
  });

  it('reads strings in strings, and says when there are too many', () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'select evil()' : `select query_to_xml($q${depth}$ ${nested(depth - 1)} $q${depth}$)`;
    expect(ofFunction(nested(15), []).uses.functions.has('evil')).toBe(true);
    expect(ofFunction(nested(15), []).tooDeep).toBe(false);
    expect(ofFunction(nested(60), []).tooDeep).toBe(true);
  });

  it('trusts what came with an extension, but for what it names', () => {
    const reading = readText(
      {
        text: 'begin execute txt; end',
        parameters: table,
        language: 'plpgsql',
        settings: '',
        member: true,
      },
      false,
    );
    expect(reading.verdict).toBe('fixed');
  });
});

describe('BodyReader', () => {
  it('says without reading what cannot be in a body', () => {
    const reader = new BodyReader(false);
    const body = { text: 'select Audit_Log(1)' };
    const of = (text: string) => ({
      ...body,
      text,
      class: '',
      oid: '',
      name: '',
      language: 'sql',
      parameters: [],
      settings: '',
      definer: undefined,
      member: false,
    });
    expect(reader.mayName(of('select Audit_Log(1)'), 'audit_log')).toBe(true);
    expect(reader.mayName(of('select 1'), 'audit_log')).toBe(false);
    expect(reader.mayName(of('select u&"x"()'), 'audit_log')).toBe(true);
    expect(reader.mayName(of('select "A ""b"()'), 'A "b')).toBe(true);
    expect(reader.mayName(of("begin execute 'audit' || '_log'; end"), 'audit_log')).toBe(true);
  });
});
