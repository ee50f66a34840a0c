import type { CutCell } from '@dbmole/core';
import { type EngineAddress, useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtInTypes } from '../../src/engines/postgres/values/type-names.ts';
import { createDatabase, direct, read, value, withSession } from './postgres-fixture.ts';

/** Expression, and what the server prints for it: also where drivers convert it to something else. */
const exact: readonly (readonly [string, string | null])[] = [
  ["date '2024-01-01'", '2024-01-01'],
  ["timestamp '2024-03-10 02:30:00.123456'", '2024-03-10 02:30:00.123456'],
  ["timestamptz '2024-03-10 07:30:00.123456+00'", '2024-03-10 07:30:00.123456+00'],
  ["'infinity'::timestamp", 'infinity'],
  ["'-infinity'::timestamptz", '-infinity'],
  ["'infinity'::date", 'infinity'],
  ["'NaN'::float8", 'NaN'],
  ["'Infinity'::float8", 'Infinity'],
  ["'-Infinity'::float4", '-Infinity'],
  ["'-0'::float8", '-0'],
  ["date '0044-03-15 BC'", '0044-03-15 BC'],
  ["timestamp '294276-12-31 23:59:59'", '294276-12-31 23:59:59'],
  ["'{1.10,2.200}'::numeric[]", '{1.10,2.200}'],
  ["array[timestamp '2024-03-10 02:30:00.123456']", '{"2024-03-10 02:30:00.123456"}'],
  ["'[0:1]={1,2}'::int[]", '[0:1]={1,2}'],
  ['\'{1,NULL,"a b"}\'::text[]', '{1,NULL,"a b"}'],
  ['\'{"n": 9007199254740993, "n": 2, "e": 1e400}\'::json', '{"n": 9007199254740993, "n": 2, "e": 1e400}'],
  ['\'{"n": 9007199254740993}\'::jsonb', '{"n": 9007199254740993}'],
  ["'null'::json", 'null'],
  ["'null'::jsonb", 'null'],
  ['null::json', null],
  ["interval '1 year 2 months 3 days 04:05:06.789012'", '1 year 2 mons 3 days 04:05:06.789012'],
  ["interval '-1 day +02:03'", '-1 days +02:03:00'],
  ['0.1::float8 + 0.2::float8', '0.30000000000000004'],
  ["'3.4028235e38'::float4", '3.4028235e+38'],
  ["'\\xdeadbeef00ff'::bytea", '\\xdeadbeef00ff'],
  ["''::bytea", '\\x'],
  ["point '(1.5,2.5)'", '(1.5,2.5)'],
  ["circle '<(1,2),3>'", '<(1,2),3>'],
  ["'1234.56'::money", '$1,234.56'],
  ['9223372036854775807', '9223372036854775807'],
  ['12345678901234567890.12345678901234567890', '12345678901234567890.12345678901234567890'],
  ["time '24:00:00'", '24:00:00'],
  ["timetz '04:05:06.789+08'", '04:05:06.789+08'],
  ["B'0101'", '0101'],
  ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ["inet '10.0.0.1/8'", '10.0.0.1/8'],
  ["'[1,5)'::int4range", '[1,5)'],
  ["tstzrange('2024-01-01 00:00+00', null)", '["2024-01-01 00:00:00+00",)'],
  ["row(1,'a b',null)", '(1,"a b",)'],
  ["'{9223372036854775807}'::int8[]", '{9223372036854775807}'],
  ['true', 't'],
  ['array[true,false]', '{t,f}'],
  ["''", ''],
  ["'NULL'", 'NULL'],
  ['null', null],
  ["'ab' || chr(9) || chr(10) || chr(13)", 'ab\t\n\r'],
  ["'Zażółć 漢字 😀'", 'Zażółć 漢字 😀'],
  ['\'a\'::"char"', 'a'],
  ["'padded'::char(10)", 'padded    '],
  ["'<a/>'::xml", '<a/>'],
  ['1e400::numeric', `1${'0'.repeat(400)}`],
];

/** Types with modifiers. */
const typed: readonly (readonly [string, string])[] = [
  ["'x'::varchar(20)", 'character varying(20)'],
  ["'{x}'::varchar(20)[]", 'character varying(20)[]'],
  ["'x'::char(3)", 'character(3)'],
  ['1::numeric(10,2)', 'numeric(10,2)'],
  ['1::numeric(1000,0)', 'numeric(1000,0)'],
  ["'{1}'::numeric(10,2)[]", 'numeric(10,2)[]'],
  ['now()::timestamptz(3)', 'timestamp(3) with time zone'],
  ['now()::timestamp(0)', 'timestamp(0) without time zone'],
  ["'1:00'::time(2)", 'time(2) without time zone'],
  ["'1:00'::timetz(2)", 'time(2) with time zone'],
  ["'{1:00}'::time(2)[]", 'time(2) without time zone[]'],
  ["'1 s'::interval(3)", 'interval(3)'],
  ["'1 s'::interval day to second(3)", 'interval day to second(3)'],
  ["'1'::interval year", 'interval year'],
  ["'1'::bit(4)", 'bit(4)'],
  ["'1'::varbit(4)", 'bit varying(4)'],
  ['1', 'integer'],
  ["'{}'::jsonb", 'jsonb'],
];

for (const id of ['postgres14', 'postgres18'] as const) {
  describe(id, () => {
    const server = useEngine(id, { shared: true });
    let address: EngineAddress;

    beforeAll(async () => {
      address = await createDatabase(server(), 'values_test');
      // What a database may be set to, and must not show: every value is printed as if it were not.
      const settings = {
        DateStyle: 'SQL, DMY',
        IntervalStyle: 'iso_8601',
        extra_float_digits: '-10',
        bytea_output: 'escape',
        lc_monetary: 'C',
        standard_conforming_strings: 'off',
      };
      for (const [name, setting] of Object.entries(settings))
        await direct(address, `alter database values_test set ${name} = '${setting}'`);
      await direct(address, "create type mood as enum ('sad', 'glad'); create domain positive as int check (value > 0)");
    });

    it.each(exact)('%s is exact', async (expression, text) => {
      await withSession(address, async (session) => {
        expect(await value(session, `select ${expression}`)).toBe(text);
      });
    });

    it('prints a type of an extension as the server does', async () => {
      await direct(address, 'create extension if not exists hstore');
      await withSession(address, async (session) => {
        const { columns, rows } = await read(session, 'select \'a=>1, b=>NULL, "c d"=>""\'::hstore as x');
        expect([columns, rows]).toEqual([[{ name: 'x', type: 'hstore' }], [['"a"=>"1", "b"=>NULL, "c d"=>""']]]);
      });
    });

    it('shows bytes that are no text of the client, in the way that its error says', async () => {
      await direct(server(), 'drop database if exists bytes_test');
      await direct(server(), "create database bytes_test encoding 'SQL_ASCII' locale 'C' template template0");
      const other = { ...address, database: 'bytes_test' };
      await direct(other, 'create table raw (v text)');
      await direct(other, "insert into raw values ('plain'), (E'\\xff')");
      await withSession(other, async (session) => {
        expect(await value(session, "select v from raw where v = 'plain'")).toBe('plain');
        const failure = { engineCode: '22021', hint: expect.stringContaining("convert_to(the_column, 'SQL_ASCII')") };
        await expect(read(session, 'select v from raw')).rejects.toMatchObject(failure);
        expect((await read(session, "select convert_to(v, 'SQL_ASCII') from raw")).rows).toEqual([['\\x706c61696e'], ['\\xff']]);
      });
    });

    it.each(typed)('%s is of type %s', async (expression, type) => {
      await withSession(address, async (session) => {
        expect((await read(session, `select ${expression} as x`)).columns).toEqual([{ name: 'x', type }]);
      });
    });

    it('knows the built-in types as the server calls them', async () => {
      const rows = await direct(address, 'select oid::int, format_type(oid, null) as name from pg_type where oid = any($1)', [
        [...builtInTypes.keys()],
      ]);
      expect(Object.fromEntries(rows.map(({ oid, name }) => [oid, name]))).toEqual(Object.fromEntries(builtInTypes));
    });

    it('knows the types that the database declares', async () => {
      await withSession(address, async (session) => {
        const { columns, rows } = await read(session, "select 'sad'::mood a, array['sad','glad']::mood[] b, 1::positive c");
        expect(columns?.map(({ type }) => type)).toEqual(['mood', 'mood[]', 'integer']);
        expect(rows).toEqual([['sad', '{sad,glad}', '1']]);
        await direct(address, 'create table late (a int)');
        const late = async () => (await read(session, 'select l from late l')).columns?.[0]?.type;
        expect(await late()).toMatch(/^oid:\d+$/);
        expect(await late()).toBe('late');
      });
    });

    it('keeps columns of the same name, strange names, and none at all', async () => {
      await withSession(address, async (session) => {
        const twice = await read(session, 'select 1 as a, 2 as a, 3 as "__proto__", 4 as "ü 😀"');
        expect(twice.columns?.map(({ name }) => name)).toEqual(['a', 'a', '__proto__', 'ü 😀']);
        expect(twice.rows).toEqual([['1', '2', '3', '4']]);
        expect(await read(session, 'select from generate_series(1,2)')).toMatchObject({ columns: [], rows: [[], []] });
        expect(await read(session, 'select 1 where false')).toMatchObject({ columns: [{ name: '?column?' }], rows: [] });
      });
    });

    it('cuts long cells and says how long they are', async () => {
      await withSession(address, async (session) => {
        const cell = async (sql: string, keepPerCell = 10) => (await read(session, sql, { keepPerCell })).rows[0]?.[0];
        expect(await cell("select repeat('x', 10)")).toBe('x'.repeat(10));
        expect(await cell("select repeat('x', 11)")).toEqual({ text: 'x'.repeat(10), length: 11, unit: 'characters' });
        expect(await cell("select repeat('x', 31)")).toEqual({ text: 'x'.repeat(10), length: 31, unit: 'bytes' });
        expect(await cell("select repeat('x', 3000000)")).toEqual({ text: 'x'.repeat(10), length: 3_000_000, unit: 'bytes' });
        expect(await cell("select repeat('漢', 10)")).toBe('漢'.repeat(10));
        expect(await cell("select repeat('漢', 1000)")).toEqual({ text: '漢'.repeat(10), length: 3000, unit: 'bytes' });
        // A pair of surrogates is not taken apart, nor the bytes of one character.
        expect(await cell("select 'a' || repeat('😀', 6)")).toEqual({ text: 'a😀😀😀😀', length: 13, unit: 'characters' });
        expect(await cell("select 'a' || repeat('😀', 60)")).toEqual({ text: 'a😀😀😀😀', length: 241, unit: 'bytes' });
        expect(await cell("select 'ab' || repeat('ü', 40000)", 5)).toEqual({ text: 'abüüü', length: 80_002, unit: 'bytes' });
        expect(await cell("select decode(repeat('ab', 10), 'hex')")).toBe(`\\x${'ab'.repeat(10)}`);
        const bytes = { text: `\\x${'ab'.repeat(10)}`, length: 100_000, unit: 'bytes' };
        expect(await cell("select decode(repeat('ab', 100000), 'hex')")).toEqual(bytes);
        expect(await cell("select decode(repeat('ab', 11), 'hex')")).toEqual({ ...bytes, length: 11 });
      });
    });

    it('bounds a row of many long cells', async () => {
      await withSession(address, async (session) => {
        const list = Array.from({ length: 400 }, (_, index) => `repeat('x', 200000) as c${index}`).join(', ');
        const { rows } = await read(session, `select ${list}`, { keepPerCell: 100_000 });
        const lengths = rows[0]?.map((cell) => (cell as CutCell).text.length) ?? [];
        expect(rows[0]?.every((cell) => (cell as CutCell).length === 200_000)).toBe(true);
        expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(20_000_000);
        expect([lengths[0], lengths.at(-1)]).toEqual([100_000, 1024]);
        expect(await value(session, 'select 1')).toBe('1');
      });
    });

    it('binds params as text, and the server infers their types', async () => {
      await withSession(address, async (session) => {
        const sql = 'select $1::text, $2::int + 1, $3::bool, $4::text is null, $5::float8, $6::numeric, length($7)';
        const params = ["it's; \\ $1", 41, true, null, -0, 1e21, '😀'];
        expect((await read(session, sql, { params })).rows[0]).toEqual([
          "it's; \\ $1",
          '42',
          't',
          't',
          '-0',
          '1000000000000000000000',
          '1',
        ]);
        await expect(read(session, 'select $1::int', { params: [] })).rejects.toMatchObject({ code: 'E_PARAMS' });
        await expect(read(session, 'select $1', { params: ['a\0b'] })).rejects.toMatchObject({ engineCode: '22021' });
        await expect(read(session, 'select $1', { params: new Array(65_536).fill(1) })).rejects.toMatchObject({ kind: 'input' });
      });
    });

    it('tells the time zone where a value depends on it', async () => {
      await direct(address, "alter role current_user in database values_test set timezone = 'America/New_York'");
      await withSession(address, async (session) => {
        const zoned = await read(session, "select timestamptz '2024-01-01 00:00+00'");
        expect(zoned).toMatchObject({ rows: [['2023-12-31 19:00:00-05']], end: { timeZone: 'America/New_York' } });
        expect((await read(session, "select array[now()], '{}'::tstzrange[]")).end.timeZone).toBe('America/New_York');
        expect((await read(session, 'select now()::timestamp, 1')).end.timeZone).toBeUndefined();
      });
      await direct(address, 'alter role current_user in database values_test reset timezone');
    });
  });
}
