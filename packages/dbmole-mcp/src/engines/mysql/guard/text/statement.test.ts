import { Failure } from '@dbmole/core';
import { readHint } from '@dbmole/core/testing';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../testing/at-once.ts';
import { checkStatement as checkStatementInSteps } from './statement.ts';

const checkStatement = (...args: Parameters<typeof checkStatementInSteps>) => atOnce(checkStatementInSteps(...args));

function listNames(sql: string, mode = ''): string {
  const { tables, calls } = checkStatement(sql, mode);
  const named = tables.map(({ schema, name }) => (schema === undefined ? name : `${schema}.${name}`));
  const called = calls.map(({ schema = '', path, name, builtIn }) => {
    return `${schema === '' ? '' : `${schema}:`}${[...path, name].join('.')}()${builtIn ? '?' : ''}`;
  });
  return [...named, ...called].join(' ');
}

function createRefusal(sql: string, mode = ''): Failure {
  try {
    checkStatement(sql, mode);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`it was not refused: ${sql}`);
}

describe('checkStatement', () => {
  it.each([
    'SELECT 1',
    ' select 1 ; -- end',
    '(SELECT 1) UNION (SELECT 2)',
    '((WITH x AS (SELECT 1) SELECT * FROM x))',
    'VALUES ROW(1)',
    'VALUES (1)',
    'WITH RECURSIVE x (a, b) AS (SELECT 1, 2), y AS (SELECT 3) VALUES ROW(1)',
    'WITH x AS (SELECT 1) CYCLE a RESTRICT SELECT 1',
    'SHOW FULL PROCESSLIST',
    'SHOW COUNT(*) WARNINGS',
    'DESCRIBE t',
    "DESC a.t 'x%'",
    'DESC import',
    'EXPLAIN start',
    'DESCRIBE a.backup execute',
    'EXPLAIN extended',
    'EXPLAIN SELECT 1',
    "EXPLAIN FORMAT = 'JSON' SELECT 1",
    'EXPLAIN ANALYZE FORMAT=TREE (SELECT 1)',
    'ANALYZE FORMAT=JSON SELECT 1',
    "HELP 'x'",
    'SELECT 1 AS begin, 2 AS commit, t.into, `into` FROM dual',
    "SELECT SUBSTRING('abc' FROM 2 FOR 1)",
  ])('accepts the read %s', (sql) => {
    expect(() => checkStatement(sql, '')).not.toThrow();
  });

  it.each([
    ['DELETE FROM t', 'DELETE', 'changes rows', 1],
    [' ((delete from t))', 'delete', 'changes rows', 4],
    ['WITH x AS (SELECT 1) DELETE FROM t', 'DELETE', 'changes rows', 22],
    ['EXPLAIN FORMAT=JSON UPDATE t SET a = 1', 'EXPLAIN UPDATE', 'changes rows', 21],
    ['ANALYZE DELETE FROM t', 'ANALYZE DELETE', 'changes rows', 9],
    ['ANALYZE TABLE t', 'ANALYZE', 'controls the server', 1],
    ['EXPLAIN FOR CONNECTION 5', 'EXPLAIN FOR CONNECTION', 'another session', 9],
    ['SHOW EXPLAIN FOR 5', 'SHOW EXPLAIN', 'another session', 6],
    ['SHOW FROBS', 'SHOW FROBS', 'not known', 6],
    ['SHOW ENGINE INNODB STATUS', 'SHOW ENGINE', 'averages', 6],
    ['SHOW ENGINE innobase status', 'SHOW ENGINE', 'averages', 6],
    ['SHOW ENGINE `InnoDB` STATUS', 'SHOW ENGINE', 'averages', 6],
    ["SHOW ENGINE 'innodb' STATUS", 'SHOW ENGINE', 'averages', 6],
    ['SHOW ENGINE ALL STATUS', 'SHOW ENGINE', 'averages', 6],
    ['FROBNICATE t', 'FROBNICATE', 'unknown statement', 1],
    ['SELECT 1 INTO OUTFILE "x"', 'INTO OUTFILE', 'writes', 10],
    ['SELECT 1 INTO @x', 'INTO', 'writes', 10],
    ['EXPLAIN FORMAT=JSON INTO @x SELECT 1', 'INTO', 'writes', 21],
    ['SELECT 1 FROM t FOR UPDATE', 'FOR UPDATE', 'locks', 17],
    ['SELECT * FROM (SELECT 1 FROM t FOR SHARE) q', 'FOR SHARE', 'locks', 32],
    ['SELECT 1 FROM t LOCK IN SHARE MODE', 'LOCK IN SHARE MODE', 'locks', 17],
    ['SELECT 1 FROM t PROCEDURE ANALYSE()', 'PROCEDURE', 'runs code', 17],
    ['SELECT NEXT VALUE FOR s', 'next value', 'sequence', 13],
    ['BEGIN NOT ATOMIC SELECT 1; END', 'BEGIN', 'transaction', 1],
    ['SELECT 1 /*! INTO x */', 'executable comment', 'depends on the server', 10],
    ['SELECT /*!40001 SQL_NO_CACHE */ 1', 'executable comment', 'depends on the server', 8],
    ['/*!99999 SELECT */ DELETE FROM t', 'executable comment', 'depends on the server', 1],
    ['', 'no statement', '', 1],
  ])('refuses %s', (sql, construct, why, position) => {
    const failure = createRefusal(sql);
    expect(failure).toMatchObject({ kind: 'refused', code: 'E_NOT_A_READ', position });
    expect(failure.message).toContain(construct);
    expect(failure.message).toContain(why);
    expect(readHint(failure)).toMatch(/^[A-Z].*\.$/);
  });

  it.each([
    ['SELECT 1; SELECT 2', 11],
    ['SELECT 1;;', 9],
  ])('refuses the several statements of %s', (sql, position) => {
    expect(createRefusal(sql)).toMatchObject({ code: 'E_MULTIPLE_STATEMENTS', position });
  });

  it.each([
    ["SELECT GET_LOCK('x', 0)", 8],
    ["SELECT get_lock /* x */ ('x', 0)", 8],
    ["SELECT `Get_Lock`('x', 0)", 8],
    ["SELECT gét_lock('x', 0)", 8],
    ['SELECT * FROM t WHERE SLEEP(1)', 23],
    ['SELECT x.sleep(1)', 10],
    ['SHOW TABLES WHERE BENCHMARK(1, 2)', 19],
    ['SELECT LAST_INSERT_ID(1)', 8],
    ['SELECT NEXTVAL(s)', 8],
    ["SELECT LOAD_FILE('x')", 8],
    ['SELECT uuid_short()', 8],
    ['SELECT `UUID_SHORT` ()', 8],
    ['SELECT mariadb_schema.uuid_short()', 23],
    ["SELECT ExtractValue(a, '/b') FROM t", 8],
    ["SELECT EXTRACTVALUE /* x */ ('<a/>', CONCAT('/', 'b'))", 8],
    ["SELECT `extractvalue`('<a/>', '/b')", 8],
    ["SELECT mariadb_schema.extractvalue('<a/>', '/b')", 23],
    ["SELECT éxtractvalue('<a/>', '/b')", 8],
    ["SELECT extractvalue('<a/>', '//b[count(//b) = 1]')", 8],
    ["SELECT extractvalue('<a/>', ?)", 8],
    ["SELECT extractvalue('<a/>', '/b' '[1]')", 8],
    ["SELECT extractvalue(_utf8mb4'<a/>', '/b')", 8],
    ["SELECT UpdateXML('<a/>', '/a', v) FROM t", 8],
    ["SELECT encrypt('x', '$6$rounds=999999999$x')", 8],
    ["SELECT mariadb_schema.KDF('x', 'y', 2000000000)", 23],
    ["SELECT SFORMAT('{:>9999}', 'x')", 8],
    ["SELECT SFORMAT('{:>9\\9\\99}', 'x')", 8],
    ["SELECT SFORMAT('{:>{}}', 'x', 9999)", 8],
    ["SELECT SFORMAT(?, 'x')", 8],
    ["SELECT `sformat`('{}', 'x')", 8],
    [`SELECT JSON_SCHEMA_VALID('{"patternProperties": {}}', j)`, 8],
    ['SELECT JSON_SCHEMA_VALID(\'{"\\pattern": "a"}\', j)', 8],
    [`SELECT JSON_SCHEMA_VALID('{"pat' 'tern": ""}', j)`, 8],
    ['SELECT JSON_SCHEMA_VALIDATION_REPORT(schema_of, j) FROM t', 8],
  ])('refuses the function of %s', (sql, position) => {
    expect(createRefusal(sql)).toMatchObject({ code: 'E_NOT_A_READ', position });
  });

  it.each([
    "SELECT ExtractValue('<a><b>1</b></a>', '/a/b'), UpdateXML('<a>1</a>', '/a', '<b/>')",
    "SELECT SFORMAT('{:>20} {}', a, b), SFORMAT('%')",
    `SELECT JSON_SCHEMA_VALID('{"type": "object"}', j), JSON_SCHEMA_VALID(_utf8mb4'{\\"a\\": 1}', CONCAT(a, b))`,
    'SELECT db.encrypt(a), `db`.`kdf`(a)',
    'SHOW ENGINE INNODB MUTEX',
    'SHOW ENGINE PERFORMANCE_SCHEMA STATUS',
  ])('accepts %s', (sql) => {
    expect(() => checkStatement(sql, '')).not.toThrow();
  });

  it('refuses long texts where short ones are accepted', () => {
    expect(createRefusal(`SELECT ExtractValue('${'<a/>'.repeat(250)}', '/b')`)).toMatchObject({ position: 8 });
  });

  it.each([
    "SELECT ST_Distance(ST_LineFromWKB(CONCAT(x'0102000000401F0000', REPEAT(x'00', 128000))), at) FROM t",
    'SELECT `st_distance`(REPEAT(a, 100000), b) FROM t',
    'SELECT mariadb_schema.st_union(RPAD(a, 100000, b), b) FROM t',
    'SELECT ST_Intersects(@a, @b)',
    'SELECT ST_Within(ST_GeomFromText(?), at) FROM t',
    'SELECT ST_Distance(a, b) FROM (SELECT GROUP_CONCAT(c) AS a, ? AS b FROM t) q',
    'SELECT ST_IsSimple(a || b) FROM t',
    "SELECT ST_Within(ST_GeomFromText(CONCAT('LINESTRING(', ?, ')')), at) FROM t",
    "SELECT ST_GeomFromText(CONCAT('POINT(', ST_Distance(REPEAT(a, 9999), b), ' 1)')) FROM t",
    'SELECT ST_Union(ST_Buffer(a, 1), b) FROM t',
    'WITH RECURSIVE x AS (SELECT a FROM t UNION ALL SELECT ST_Buffer(a, 1) FROM x) SELECT a FROM x',
    `SELECT ST_Distance(a, ST_GeomFromText('LINESTRING(${'1 1,'.repeat(2_500)}1 1)')) FROM t`,
  ])('refuses a function over a geometry that can be large in %s', (sql) => {
    expect(createRefusal(sql).message).toContain('no time limit stops it');
  });

  it.each([
    'SELECT id, ST_Distance(at, POINT(?, 1)) AS d FROM places WHERE id = ? AND ST_Within(at, area) ORDER BY d LIMIT ?',
    "SELECT COUNT(*), MAX(ST_Area(ST_Intersection(a, b))) FROM t WHERE ST_Contains(ST_GeomFromText('POLYGON((0 0,0 1,1 1,0 0))'), a)",
    'SELECT p.id FROM places p JOIN areas a ON ST_Contains(ST_Buffer(a.at, 5), p.at) WHERE p.id IN (1, 2)',
    "SELECT 1 FROM t WHERE ST_Within(ST_GeomFromText(CONCAT('POINT(', ?, ' ', b, ')'), 4326), ST_PointFromText(?))",
    "SELECT CONCAT(a, REPEAT('x', 100)), @a FROM t WHERE ST_Distance_Sphere(a, b) < 5",
  ])('accepts functions over small geometries: %s', (sql) => {
    expect(() => checkStatement(sql, '')).not.toThrow();
  });

  it('refuses every statement in sql_mode ORACLE', () => {
    expect(createRefusal('SELECT 1', 'ORACLE')).toMatchObject({
      position: 1,
      message: expect.stringContaining('sql_mode ORACLE'),
    });
    expect(() => checkStatement('SELECT s.nextval FROM t s', '')).not.toThrow();
  });

  it.each([
    ['SELECT a, b FROM t, u AS x, (SELECT 1 FROM v) q WHERE c IN (d, e)', 't u v'],
    ['SELECT 1 FROM (a, (b JOIN c)) LEFT JOIN d USING (x, y), e', 'a b c d e'],
    ['SELECT 1 FROM { OJ a LEFT JOIN b ON a.x = b.y }', 'a b'],
    ['SELECT 1 FROM { any a }, b, { `OJ` c }', 'a b c'],
    ['SELECT 1 FROM oj JOIN lateral, (lateral)', 'oj lateral lateral'],
    ['SELECT 1 FROM a USE INDEX FOR ORDER BY (i), b IGNORE INDEX FOR GROUP BY (j), c USE KEY FOR JOIN (k), d', 'a b c d'],
    ['SELECT 1 FROM a STRAIGHT_JOIN b, c PARTITION (p0, p1), d USE INDEX (i, j), e', 'a b c d e'],
    ['SELECT 1 FROM `a b`.`c` . d JOIN x . y', 'c.d x.y'],
    ['SELECT (SELECT 1 FROM a), b FROM c ORDER BY d, e', 'a c'],
    ['SELECT 1 FROM a JOIN b ON f1 = IF(a.x, b.y, 3), c', 'a b c'],
    ['SELECT EXTRACT(YEAR FROM x), TRIM(LEADING y FROM z), SUBSTRING(v FROM 2) FROM a', 'a'],
    ['SELECT 1 FROM a, LATERAL (SELECT 1 FROM b) q, c', 'a b c LATERAL()?'],
    ['SELECT 1 FROM a UNION SELECT 2, x FROM b', 'a b'],
    ['TABLE a UNION TABLE b', 'a b'],
    ['CHECKSUM TABLE a, b.c', 'a b.c'],
    ["SELECT 1 FROM JSON_TABLE('[]', '$' COLUMNS (a INT PATH '$')) AS j (x), b", 'b JSON_TABLE()?'],
    ['WITH x AS (SELECT 1 FROM a) SELECT 1 FROM x, b', 'a b'],
    ['WITH x AS (SELECT 1 FROM x) SELECT 1 FROM x', 'x'],
    ['WITH RECURSIVE x AS (SELECT 1 UNION SELECT 1 FROM x) SELECT 1 FROM x', ''],
    ['WITH x AS (SELECT 1), y AS (SELECT 1 FROM x) SELECT 1 FROM y, z.x', 'z.x'],
    ['SELECT 1 FROM x, (WITH x AS (SELECT 1) SELECT 1 FROM x) q', 'x x'],
    ['DESCRIBE a', ''],
    ['SHOW COLUMNS FROM a', ''],
    ['SHOW TABLES WHERE 1 IN (SELECT 1 FROM a)', 'a'],
    ['EXPLAIN FOR SCHEMA s SELECT f(1), MD5(2) FROM a, b.c', 's.a b.c s:f() s:MD5()?'],
  ])('finds the tables of %s', (sql, names) => {
    expect(listNames(sql)).toBe(names);
  });

  it.each([
    ['SELECT COUNT(*), ROUND(1), IF(1, 2, 3), x IN (1), (1) AS a', ''],
    ['SELECT f(1), a.g(2), `h` (3), p.q.r()', 'f() a.g() h() p.q.r()'],
    ['SELECT COUNT (*), CONCAT (1), `round`(1), MD5(1)', 'COUNT() round()? MD5()?'],
    ['SELECT ábs(1), `ábs`(2), ſign(3), lıke(4), `columns`(5)', 'ábs() ábs() ſign() lıke() columns()?'],
    ['WITH x (a, b) AS (SELECT 1, 2) SELECT * FROM (SELECT 1) AS y (c), (SELECT 2) z (d)', ''],
    ['SELECT CAST(1 AS DECIMAL(10, 2)), CAST(1 AS foo(3))', ''],
    ["SELECT f('x') FROM t", 't f()'],
    ['SELECT concat_ws(f(1))', 'f()'],
    ['SELECT a . replace (1), REPLACE(1, 2, 3), a. if(1), IF(1, 2, 3)', 'a.replace() a.if()'],
    ['SELECT oracle_schema.concat(1), other.concat(1)', 'oracle_schema.concat()? other.concat()'],
  ])('finds the calls of %s', (sql, names) => {
    expect(listNames(sql)).toBe(names);
  });

  it('accepts a blank before the parenthesis where the server does', () => {
    expect(listNames('SELECT COUNT (*), f (1)', 'IGNORE_SPACE')).toBe('f()');
    expect(listNames('SELECT COUNT/**/(*), NOW -- x\n(), MAX \t\n(1)', 'IGNORE_SPACE')).toBe('COUNT() NOW()');
    expect(listNames('SELECT COUNT (*), f (1)', 'ANSI')).toBe('f()');
  });

  it('checks long statements in linear time', () => {
    const start = performance.now();
    for (const sql of [
      `SELECT ${'f('.repeat(9_000)}`,
      `SELECT ${'('.repeat(50_000)}`,
      `SELECT ${'a.'.repeat(50_000)}f(1)`,
      `WITH ${Array.from({ length: 8_000 }, (_, n) => `c${n} (a) AS (SELECT 1)`).join()} SELECT 1 FROM ${Array.from({ length: 8_000 }, (_, n) => `c${n}`).join()}`,
    ]) {
      checkStatement(sql, '');
    }
    // What is not linear takes minutes.
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
