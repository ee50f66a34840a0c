import type { Flavour } from './mysql-fixture.ts';
import { libraryName } from './mysql-site.ts';

/** Our client, writing in another character set: the bytes of its UTF-8 are other characters there. */
function inCharset(charset: string, sql: string): string[] {
  return [
    // Else the driver would write in it as well, which it cannot.
    "SET session_track_system_variables = ''",
    `SET character_set_client = ${charset}, character_set_connection = ${charset}`,
    sql,
    'SET NAMES utf8mb4',
    'SET session_track_system_variables = DEFAULT',
  ];
}

function inOracle(owner: string, statements: readonly string[]): string[] {
  const owned = statements.map((sql) => sql.replace('CREATE ', `CREATE DEFINER=${owner}@'%' `));
  return ["SET sql_mode = 'ORACLE'", ...owned, "SET sql_mode = ''"];
}

const head = 'READS SQL DATA';

/** What is harmless, and made in ways that are not the usual ones. */
export function harmlessDisguises(flavour: Flavour, owner: string): string[] {
  const view = inCharset('gbk', "CREATE VIEW v_gbk AS SELECT 'é' AS a, '\\\\' AS b");
  if (flavour === 'mysql') return view;
  const figures = [
    'CREATE PACKAGE figures AS FUNCTION total(a INT) RETURN INT; FUNCTION twice(a INT) RETURN INT; END',
    `CREATE PACKAGE BODY figures AS
       FUNCTION twice(a INT) RETURN INT AS BEGIN RETURN 2 * a; END;
       FUNCTION total(a INT) RETURN INT AS x INT; BEGIN BEGIN SELECT COUNT(*) INTO x FROM t; END; RETURN twice(x) + a; END;
     END`,
  ];
  const tables = [
    'CREATE SEQUENCE s_computed',
    `CREATE TABLE t_computed (a VARCHAR(9), b VARCHAR(99) AS (CONCAT('(', REPLACE(a, 'x', _latin1'y'), ' f(')) VIRTUAL,
       d VARCHAR(99) DEFAULT (CONCAT('it\\'s f(', UUID(), EXTRACT(YEAR FROM NOW()))))`,
    "INSERT INTO t_computed (a, d) VALUES ('xy', '')",
    'CREATE TABLE t_numbered (id INT DEFAULT (NEXTVAL(s_computed)), a INT AS (ABS(id)) VIRTUAL)',
  ];
  const others = [
    "CREATE VIEW v_oracle AS SELECT REPLACE(v, 'o', '0') AS a, SUBSTR(v, 1, 2) AS b FROM t",
    `CREATE FUNCTION f_oracle(n INT) RETURN INT AS s INT := 0; x INT; CURSOR c (a INT) IS SELECT id FROM t WHERE id > a;
       BEGIN OPEN c(n); FETCH c INTO x; CLOSE c; FOR r IN c(0) LOOP s := s + r.id; END LOOP;
       IF s = 0 THEN s := 1; ELSIF (s > 5) THEN s := 5; END IF; RETURN s; EXCEPTION WHEN OTHERS THEN RAISE; END`,
  ];
  return [...view, ...tables, ...inOracle(owner, [...figures, ...others])];
}

/** Native code behind names and texts that look like something else. */
export function nativeDisguises(flavour: Flavour, owner: string): string[] {
  const both = [
    'CREATE VIEW oj AS SELECT * FROM v_native',
    `CREATE FUNCTION \`ábs\`(a INT) RETURNS INT ${head} RETURN size_label('x')`,
    `CREATE FUNCTION \`ın\`(a INT) RETURNS INT ${head} RETURN size_label('x')`,
    // The server takes the native one, unless the name is qualified by the database.
    `CREATE FUNCTION \`count\`(a VARCHAR(9)) RETURNS INT ${head} RETURN size_label(a)`,
    'CREATE FUNCTION twin_label(a VARCHAR(9)) RETURNS INT NO SQL RETURN 1',
    `CREATE FUNCTION twin_label RETURNS INTEGER SONAME '${libraryName}'`,
    `CREATE FUNCTION f_native_twin() RETURNS INT ${head} RETURN twin_label('x')`,
    "CREATE VIEW v_native_twin AS SELECT twin_label('x') AS a",
    `CREATE FUNCTION \`median\`(a VARCHAR(9)) RETURNS INT ${head} RETURN size_label(a)`,
    "CREATE VIEW `v_native_?` AS SELECT size_label('x') AS a",
    // Texts of other character sets stand in a view as they are, and are read in its own.
    ...inCharset('gbk', "CREATE VIEW v_native_foreign AS SELECT _latin1 x'D727' AS a, ' , size_label(1) AS b -- ' AS b"),
    ...inCharset('gbk', "CREATE VIEW v_native_signs AS SELECT _armscii8 x'AC27' AS a, ' , size_label(1) AS b -- ' AS b"),
    // One of its characters is shown as a backslash.
    ...inCharset('sjis', `CREATE FUNCTION f_native_sjis() RETURNS INT ${head} RETURN CHAR_LENGTH('Á_') + size_label(1) -- ')\n`),
  ];
  return [...both, ...(flavour === 'mysql' ? nativeInMysql() : nativeInMaria(owner))];
}

/** The server escapes the second byte of the character before the quote when it writes the view down, or shows no quote behind half of one. */
function nativeInMysql(): string[] {
  const half = "CHAR_LENGTH('中') + size_label(1) + CHAR_LENGTH('中')";
  return [
    ...inCharset('gbk', "CREATE VIEW v_native_gbk AS SELECT '中\\' AS a, ' , size_label(1) AS b -- ' AS b"),
    ...inCharset('gbk', `CREATE FUNCTION f_native_gbk() RETURNS INT ${head} RETURN ${half}`),
  ];
}

function nativeInMaria(owner: string): string[] {
  return [
    `CREATE FUNCTION \`replace\`(a VARCHAR(9)) RETURNS INT ${head} RETURN size_label(a)`,
    'CREATE VIEW lateral AS SELECT * FROM v_native',
    "CREATE TABLE t_native (a VARCHAR(9), b INT AS (size_label('x')) VIRTUAL, c INT DEFAULT (size_label(a)))",
    "INSERT INTO t_native (a, c) VALUES ('a', 1)",
    "CREATE TABLE t_native_default (a VARCHAR(9), b INT DEFAULT (size_label('x')))",
    "INSERT INTO t_native_default VALUES ('a', 1)",
    'CREATE VIEW v_native_column AS SELECT b FROM t_native',
    'CREATE VIEW v_native_default AS SELECT DEFAULT(b) AS b FROM t_native_default',
    `CREATE FUNCTION \`rank\`(a VARCHAR(9)) RETURNS INT ${head} RETURN size_label(a)`,
    `CREATE FUNCTION \`elseif\`(a VARCHAR(9)) RETURNS INT ${head} RETURN size_label(a)`,
    'CREATE VIEW `elseif` AS SELECT * FROM v_native',
    `CREATE FUNCTION f_native_column() RETURNS INT ${head} BEGIN DECLARE a INT;
       SELECT function size_label INTO a FROM (SELECT 1 AS function) q; RETURN size_label('x'); END`,
    ...inCharset(
      'swe7',
      `CREATE FUNCTION f_native_swe7() RETURNS VARCHAR(20) ${head} RETURN CONCAT('\\'', size_label("x"), '\\'')`,
    ),
    ...inOracle(owner, [
      "CREATE PROCEDURE p_native AS x INT; BEGIN x := size_label('x'); END",
      'CREATE FUNCTION f_native_label RETURN INT AS BEGIN <<a>> p_native; RETURN 1; END',
      `CREATE FUNCTION f_native_handler RETURN INT AS BEGIN
         DECLARE EXIT HANDLER FOR 1051, SQLSTATE '45000' p_native; BEGIN SIGNAL SQLSTATE '45000'; END; RETURN 1; END`,
      'CREATE PACKAGE native_twins AS FUNCTION one RETURN INT; END',
      `CREATE PACKAGE BODY native_twins AS FUNCTION twin_label(a INT) RETURN INT AS BEGIN RETURN 1; END;
       FUNCTION one RETURN INT AS BEGIN RETURN twin_label(1); END; END`,
      // A function of the database goes before one of the package that is defined further on.
      "CREATE FUNCTION later RETURN INT AS BEGIN RETURN size_label('x'); END",
      'CREATE PACKAGE native_order AS FUNCTION one RETURN INT; END',
      `CREATE PACKAGE BODY native_order AS FUNCTION one RETURN INT AS BEGIN RETURN later(); END;
       FUNCTION later RETURN INT AS BEGIN RETURN 1; END; END`,
      'CREATE PACKAGE native_figures AS FUNCTION one RETURN INT; END',
      `CREATE PACKAGE BODY native_figures AS x INT; FUNCTION one RETURN INT AS BEGIN RETURN 1; END;
       BEGIN SELECT function size_label INTO x FROM (SELECT 1 AS function FROM dual) q; x := size_label('x'); END`,
    ]),
  ];
}
