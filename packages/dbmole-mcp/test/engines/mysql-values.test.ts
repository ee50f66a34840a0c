import { useEngine } from '@dbmole/engines';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Cell } from '../../src/engine.ts';
import { runDirect } from '../direct.ts';
import { mysqlEngines, read, readValue } from './mysql-rig.ts';
import { useSessions } from './mysql-sessions.ts';

interface Value {
  /** Column type, or nothing when the expression is selected as it is. */
  column?: string;
  value: string;
  text: Cell;
  type?: string;
  only?: 'mysql' | 'mariadb';
}

/** What the engine prints, and so what we show. */
const values: readonly Value[] = [
  { column: 'BIGINT', value: '-9223372036854775808', text: '-9223372036854775808', type: 'bigint' },
  { column: 'BIGINT UNSIGNED', value: '18446744073709551615', text: '18446744073709551615', type: 'bigint unsigned' },
  { value: 'COUNT(*)', text: '1', type: 'bigint' },
  { value: '9007199254740993 + 0', text: '9007199254740993' },
  { column: 'TINYINT', value: '-128', text: '-128', type: 'tinyint' },
  { column: 'SMALLINT UNSIGNED', value: '65535', text: '65535', type: 'smallint unsigned' },
  { column: 'MEDIUMINT', value: '-8388608', text: '-8388608', type: 'mediumint' },
  {
    column: 'DECIMAL(65,30)',
    value: '-12345678901234567890123456789012345.000000000000000000000000000001',
    text: '-12345678901234567890123456789012345.000000000000000000000000000001',
    type: 'decimal',
  },
  { column: 'DECIMAL(10,2)', value: '1.10', text: '1.10' },
  { column: 'INT(6) ZEROFILL', value: '42', text: '000042', type: 'int unsigned' },
  { column: 'YEAR', value: '0', text: '0000', type: 'year' },
  { column: 'FLOAT', value: '3.4028e38', text: '3.4028e38', type: 'float' },
  { column: 'FLOAT', value: '0.1', text: '0.1' },
  { column: 'DOUBLE', value: '-0e0', text: '-0', type: 'double', only: 'mysql' },
  // The engine itself prints it so.
  { column: 'DOUBLE', value: '-0e0', text: '0', type: 'double', only: 'mariadb' },
  { column: 'DOUBLE', value: '0.1e0', text: '0.1' },
  { column: 'DOUBLE', value: '1.7976931348623157e308', text: '1.7976931348623157e308' },
  { column: 'DOUBLE', value: '1e15', text: '1e15' },
  { column: 'DATE', value: "'2024-03-10'", text: '2024-03-10', type: 'date' },
  { column: 'DATE', value: "'0000-00-00'", text: '0000-00-00' },
  { column: 'DATE', value: "'2024-00-00'", text: '2024-00-00' },
  { column: 'DATETIME(6)', value: "'2024-03-10 02:30:00.123456'", text: '2024-03-10 02:30:00.123456', type: 'datetime' },
  { column: 'DATETIME', value: "'0000-00-00 00:00:00'", text: '0000-00-00 00:00:00' },
  { column: 'DATETIME(3)', value: "'9999-12-31 23:59:59.999'", text: '9999-12-31 23:59:59.999' },
  { column: 'TIMESTAMP(6)', value: "'2024-03-10 07:30:00.123456'", text: '2024-03-10 07:30:00.123456', type: 'timestamp' },
  { column: 'TIME(3)', value: "'838:59:58.999'", text: '838:59:58.999', type: 'time' },
  { column: 'TIME', value: "'-838:59:59'", text: '-838:59:59' },
  { column: 'TIME(6)', value: "'00:00:00'", text: '00:00:00.000000' },
  {
    column: 'JSON',
    value: `'{"n": 9007199254740993, "a": 0.10}'`,
    text: '{"a": 0.1, "n": 9007199254740993}',
    type: 'json',
    only: 'mysql',
  },
  {
    column: 'JSON',
    value: `'{"n": 9007199254740993, "n": 1e400}'`,
    text: '{"n": 9007199254740993, "n": 1e400}',
    only: 'mariadb',
  },
  { column: 'JSON', value: `'"ä"'`, text: '"ä"' },
  { column: 'JSON', value: "'null'", text: 'null' },
  { column: 'BIT(20)', value: "b'10101'", text: "b'00000000000000010101'", type: 'bit' },
  { column: 'BIT(64)', value: "b'1'", text: `b'${'1'.padStart(64, '0')}'` },
  { column: 'BIT(1)', value: "b'1'", text: "b'1'" },
  { column: 'BLOB', value: "x'deadbeef00ff'", text: '0xdeadbeef00ff', type: 'blob' },
  { column: 'VARBINARY(10)', value: "'abc'", text: '0x616263', type: 'varbinary' },
  { column: 'BINARY(4)', value: "'ab'", text: '0x61620000', type: 'binary' },
  { column: 'BLOB', value: "''", text: '0x' },
  { column: 'LONGTEXT', value: "'ä😀'", text: 'ä😀', type: 'longtext' },
  { column: 'TEXT', value: "''", text: '', type: 'text' },
  { column: 'TINYTEXT', value: "'t'", text: 't', type: 'tinytext' },
  { column: 'MEDIUMBLOB', value: "'t'", text: '0x74', type: 'mediumblob' },
  { column: 'CHAR(5)', value: "'ab '", text: 'ab', type: 'char' },
  { column: 'VARCHAR(20) CHARACTER SET latin1', value: "'café ÿ'", text: 'café ÿ', type: 'varchar' },
  { column: 'VARCHAR(20) CHARACTER SET utf16', value: "'añ😀'", text: 'añ😀' },
  { column: "ENUM('a','ü')", value: "'ü'", text: 'ü', type: 'enum' },
  { column: "SET('a','b')", value: "'a,b'", text: 'a,b', type: 'set' },
  {
    column: 'POINT',
    value: "ST_GeomFromText('POINT(1 2)')",
    text: 'SRID=0;0x0101000000000000000000f03f0000000000000040',
  },
  {
    column: 'GEOMETRY',
    value: "ST_GeomFromText('POINT(1 2)', 4326)",
    text: 'SRID=4326;0x010100000000000000000000400000000000' + '00f03f',
    only: 'mysql',
  },
  {
    column: 'GEOMETRY',
    value: "ST_GeomFromText('POINT(1 2)', 4326)",
    text: 'SRID=4326;0x0101000000000000000000f03f0000000000000040',
    only: 'mariadb',
  },
  {
    column: 'UUID',
    value: "'123E4567-E89B-12D3-A456-426655440000'",
    text: '123e4567-e89b-12d3-a456-426655440000',
    only: 'mariadb',
  },
  { column: 'INET6', value: "'2001:db8::00ff'", text: '2001:db8::ff', only: 'mariadb' },
  { column: 'INET4', value: "'10.0.0.1'", text: '10.0.0.1', only: 'mariadb' },
  { column: 'INT', value: 'NULL', text: null },
  { column: 'TEXT', value: "'NULL'", text: 'NULL' },
  { value: 'NULL', text: null, type: 'null' },
  { value: '1 = 1', text: '1' },
];

describe.each(mysqlEngines)('values of %s', (id) => {
  const server = useEngine(id, { shared: true });
  const openSession = useSessions(server);
  const family = id.startsWith('mysql') ? 'mysql' : 'mariadb';
  const cases = values.filter(({ only }) => only === undefined || only === family);
  const database = 'mysql_values';
  const stored = cases.flatMap(({ column, value }, index) =>
    column === undefined ? [] : [{ column, value, name: `c${index}` }],
  );

  beforeAll(async () => {
    await runDirect(server(), [
      `DROP DATABASE IF EXISTS ${database}`,
      `CREATE DATABASE ${database}`,
      "SET sql_mode='', time_zone='+00:00'",
      ...stored.flatMap(({ column, name, value }) => [
        `CREATE TABLE ${database}.${name} (v ${column} NULL)`,
        `INSERT INTO ${database}.${name} VALUES (${value})`,
      ]),
    ]);
  });

  const queryFor = ({ column, value }: Value) =>
    column === undefined
      ? `SELECT ${value} AS v`
      : `SELECT v FROM ${database}.c${cases.findIndex((one) => one.column === column && one.value === value)}`;

  it.each(cases)('shows $value of a $column column exactly', async (one) => {
    const session = await openSession();
    const plain = await read(session, queryFor(one));
    expect(plain.rows).toEqual([[one.text]]);
    if (one.type !== undefined) expect(plain.columns).toEqual([{ name: 'v', type: one.type }]);
    // The same text when values are bound.
    const bound = await read(session, `SELECT * FROM (${queryFor(one)}) q WHERE ? = 1`, { params: [1] });
    expect(bound.rows).toEqual([[one.text]]);
  });

  it('binds every kind of param exactly', async () => {
    const session = await openSession();
    const sql = 'SELECT CONCAT(?), ? + 0, ?, ?, ?, HEX(?)';
    const { rows } = await read(session, sql, { params: ["it's ? \\ ä😀\n", 9007199254740991, 0.1, true, null, ''] });
    expect(rows).toEqual([["it's ? \\ ä😀\n", '9007199254740991', '0.1', '1', null, '']]);
    expect(await readValue(session, 'SELECT 5 LIMIT ?', { params: [1] })).toBe('5');
    expect((await read(session, 'SELECT 5 LIMIT ?', { params: [0] })).rows).toEqual([]);
    expect(await readValue(session, 'SELECT LENGTH(?)', { params: ['x'.repeat(1_000_000)] })).toBe('1000000');
    expect(await readValue(session, "SELECT '?'")).toBe('?');
    await expect(readValue(session, 'SELECT ?', { params: [1, 2] })).rejects.toMatchObject({ kind: 'input', code: 'E_PARAMS' });
    await expect(readValue(session, 'SELECT ?', { params: [Number.NaN] })).rejects.toMatchObject({ kind: 'input' });
    await expect(readValue(session, 'SELECT ?; SELECT 1', { params: [1] })).rejects.toMatchObject({ code: 'E_SYNTAX' });
  });

  it('compares a bound string with a column of another collation', async () => {
    const session = await openSession();
    const sql = "SELECT 1 FROM (SELECT CONVERT('ä' USING utf8mb4) COLLATE utf8mb4_unicode_ci AS c) q WHERE c = ?";
    expect(await readValue(session, sql, { params: ['Ä'] })).toBe('1');
  });

  it('keeps duplicate and hostile column names', async () => {
    const session = await openSession();
    const { columns, rows } = await read(session, 'SELECT 1 AS a, 2 AS a, 3 AS __proto__, 4 AS `constructor`, 5 AS `ä€`');
    expect(columns?.map(({ name }) => name)).toEqual(['a', 'a', '__proto__', 'constructor', 'ä€']);
    expect(rows).toEqual([['1', '2', '3', '4', '5']]);
  });

  it('reports columns without rows, and 2000 columns', async () => {
    const session = await openSession();
    const empty = await read(session, 'SELECT 1 AS a FROM DUAL WHERE 1 = 0');
    expect(empty).toMatchObject({ columns: [{ name: 'a' }], rows: [] });
    const wide = await read(session, `SELECT ${Array.from({ length: 2_000 }, (_, index) => `${index} AS c${index}`).join(', ')}`);
    expect(wide.columns).toHaveLength(2_000);
    expect(wide.rows[0]?.[1_999]).toBe('1999');
  });

  it('reports the time zone when a value depends on it', async () => {
    const session = await openSession();
    const timestamp = cases.findIndex(({ column }) => column === 'TIMESTAMP(6)');
    expect((await read(session, `SELECT v FROM ${database}.c${timestamp}`)).timeZone).toBe('UTC');
    expect((await read(session, 'SELECT 1')).timeZone).toBeUndefined();
  });

  it('truncates long cells and reports their length', async () => {
    const session = await openSession();
    const keep = { keepPerCell: 10 };
    const one = async (sql: string) => readValue(session, sql, keep);
    expect(await one("SELECT REPEAT('x', 10)")).toBe('xxxxxxxxxx');
    expect(await one("SELECT REPEAT('x', 11)")).toEqual({ text: 'xxxxxxxxxx', length: 11 });
    expect(await one("SELECT REPEAT('x', 100)")).toEqual({ text: 'xxxxxxxxxx', length: 100, unit: 'bytes' });
    expect(await one("SELECT REPEAT('€', 10)")).toBe('€€€€€€€€€€');
    expect(await one("SELECT REPEAT('€', 100)")).toEqual({ text: '€€€€€€€€€€', length: 300, unit: 'bytes' });
    // Two units each: the ninth to tenth is whole, and the cut is between characters.
    expect(await one("SELECT CONCAT('x', REPEAT('😀', 100))")).toEqual({ text: 'x😀😀😀😀', length: 401, unit: 'bytes' });
    expect(await one("SELECT REPEAT(x'00ff', 100)")).toEqual({ text: '0x00ff00ff00ff00ff00ff', length: 200, unit: 'bytes' });
    expect(await one("SELECT REPEAT('ab', 5000000)")).toEqual({ text: 'ababababab', length: 10_000_000, unit: 'bytes' });
    const point = `SELECT v FROM ${database}.c${cases.findIndex(({ column }) => column === 'POINT')}`;
    expect(await one(point)).toEqual({ text: 'SRID=0;0x01010000000000000000', length: 21, unit: 'bytes' });
  });

  it('shows invalid UTF-8 in a text column', async () => {
    const session = await openSession();
    const cell = await readValue(session, "SELECT CONVERT(x'ff41' USING utf8mb4)");
    // The engine decides: it gives nothing at all, or a question mark.
    expect(['', '?A', null]).toContain(cell);
  });

  it('shows names, states and definitions of the engine as text', async () => {
    const session = await openSession();
    for (const sql of [
      'SHOW DATABASES',
      `SHOW CREATE TABLE ${database}.c0`,
      'SHOW VARIABLES',
      'SHOW STATUS',
      'EXPLAIN SELECT 1',
      'SHOW PROCESSLIST',
      'SHOW ENGINES',
      `SHOW FULL COLUMNS FROM ${database}.c0`,
      `SHOW INDEX FROM ${database}.c0`,
      'SHOW GRANTS',
      'SHOW WARNINGS',
      'SHOW COLLATION',
      "SELECT * FROM information_schema.columns WHERE table_schema='mysql_values'",
      'EXPLAIN FORMAT=JSON SELECT 1',
      'SHOW TABLE STATUS FROM mysql_values',
      'SELECT * FROM information_schema.tables',
    ]) {
      const { rows } = await read(session, sql);
      const hex = rows.flat().filter((cell) => typeof cell === 'string' && cell.startsWith('0x'));
      expect({ sql, hex }).toEqual({ sql, hex: [] });
    }
  });
});
