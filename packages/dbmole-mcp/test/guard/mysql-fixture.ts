import type { Connection } from 'mysql2/promise';
import { harmlessDisguises, nativeDisguises } from './mysql-disguises.ts';
import { libraryName, type Site } from './mysql-site.ts';

/** Where a case says nothing else, names are those of this database. */
export const guardDatabase = 'guard';
export const accounts = { owner: 'guard_owner', reader: 'guard_reader' } as const;
export const accountPassword = 'pw-of-guard';

export type Flavour = 'mysql' | 'mariadb';

/** Taken by stored functions and looked for afterwards. */
export const lockName = 'guard-lock';

const tables = [
  'CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(40), j JSON, n INT AS (CHAR_LENGTH(v)) VIRTUAL, KEY by_v (v)) ENGINE=InnoDB',
  `INSERT INTO t (v, j) VALUES ('one', '{"a": 1, "b": [1, 2]}'), ('two', '{"a": 2}'), ('three', NULL), ('four', '{}')`,
  'CREATE TABLE child (id INT PRIMARY KEY, tid INT, KEY (tid), FOREIGN KEY (tid) REFERENCES t (id)) ENGINE=InnoDB',
  'INSERT INTO child VALUES (1, 1), (2, 1), (3, 2)',
  'CREATE TABLE tm (id INT PRIMARY KEY, v VARCHAR(20)) ENGINE=MyISAM',
  "INSERT INTO tm VALUES (1, 'm'), (2, 'n')",
  'CREATE TABLE log_of_t (id INT PRIMARY KEY AUTO_INCREMENT, at DATETIME) ENGINE=InnoDB',
  `CREATE TABLE sales (id INT, region VARCHAR(10), amount DECIMAL(10,2), sold DATE) ENGINE=InnoDB
     PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)`,
  "INSERT INTO sales VALUES (1,'north',10.5,'2024-01-31'), (2,'south',20,'2024-02-29'), (11,'north',7.25,'2024-03-01')",
  'CREATE TABLE docs (id INT PRIMARY KEY, title VARCHAR(80), body TEXT, FULLTEXT KEY words (title, body)) ENGINE=InnoDB',
  "INSERT INTO docs VALUES (1, 'Moles', 'They dig tunnels'), (2, 'Birds', 'They update nests')",
  'CREATE TABLE places (id INT PRIMARY KEY, at POINT NOT NULL, SPATIAL KEY (at)) ENGINE=InnoDB',
  'INSERT INTO places VALUES (1, POINT(1, 2)), (2, POINT(3, 4))',
  'CREATE TABLE `update` (`select` INT, `into` INT, `delete` INT, `set` INT, `key; drop` INT, `quo``te` INT) ENGINE=InnoDB',
  'INSERT INTO `update` VALUES (1, 2, 3, 4, 5, 6)',
  'CREATE TABLE `Größe 表` (`naïve` INT, `名` VARCHAR(10)) ENGINE=InnoDB',
  "INSERT INTO `Größe 表` VALUES (1, '名')",
  'CREATE TABLE words (kind INT, status INT, type INT, password INT, sql_text INT, `call` INT, handler INT, flush INT, prepare INT)',
  'INSERT INTO words VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9)',
  'CREATE TABLE import (start INT)',
];

const functionHead = 'READS SQL DATA';
const writing = 'MODIFIES SQL DATA';

const harmless = [
  `CREATE FUNCTION f_read(a INT) RETURNS INT ${functionHead} RETURN (SELECT COUNT(*) FROM t WHERE id > a)`,
  "CREATE FUNCTION f_label(a VARCHAR(40)) RETURNS VARCHAR(80) DETERMINISTIC RETURN CONCAT('<', a, '>; DELETE')",
  'CREATE FUNCTION `replace into`(a INT) RETURNS INT DETERMINISTIC RETURN a + 1',
  'CREATE VIEW v_plain AS SELECT id, v, n FROM t WHERE id > 1',
  'CREATE VIEW v_join AS SELECT t.id, c.id AS child FROM t JOIN child c ON c.tid = t.id',
  'CREATE VIEW v_call AS SELECT id, f_read(id) AS r, f_label(v) AS l FROM t',
  `CREATE FUNCTION f_loop(n INT) RETURNS INT DETERMINISTIC COMMENT 'adds up; FOR UPDATE' BEGIN DECLARE i, total INT DEFAULT 0;
     counting: LOOP SET i = i + 1; IF i > n THEN LEAVE counting; END IF; SET total = total + i; END LOOP; RETURN total; END`,
  `CREATE FUNCTION f_cursor() RETURNS INT ${functionHead} BEGIN DECLARE done INT DEFAULT 0; DECLARE a, total INT DEFAULT 0;
     DECLARE c CURSOR FOR SELECT id FROM t; DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1; OPEN c;
     REPEAT FETCH c INTO a; IF NOT done THEN SET total = total + a; END IF; UNTIL done END REPEAT; CLOSE c; RETURN total; END`,
  `CREATE FUNCTION f_words(n INT) RETURNS INT ${functionHead} BEGIN DECLARE i, restart, shutdown INT DEFAULT 0; DO (SELECT 1);
     REPEAT SET i = i + 1; UNTIL (i > n) END REPEAT; SELECT SQL_NO_CACHE (COUNT(*)) INTO restart FROM t; SET shutdown = 1;
     RETURN i + restart + shutdown; END`,
  'CREATE VIEW v_rollup AS SELECT region, SUM(amount) AS total FROM sales GROUP BY region WITH ROLLUP',
  `CREATE VIEW v_report AS WITH x AS (SELECT id, n FROM v_plain) SELECT id, SUM(n) AS total FROM x GROUP BY id HAVING total > 0`,
];

/** Stored functions that do what a SELECT must not, each by another way. */
const functions = [
  `CREATE FUNCTION f_write() RETURNS INT ${writing} BEGIN DELETE FROM child; RETURN 1; END`,
  `CREATE FUNCTION f_insert() RETURNS INT ${writing} BEGIN INSERT INTO t (v) VALUES ('new'); RETURN LAST_INSERT_ID(); END`,
  `CREATE FUNCTION f_write_myisam() RETURNS INT ${writing} BEGIN INSERT INTO tm VALUES (77, 'x'); RETURN 1; END`,
  `CREATE FUNCTION f_flip() RETURNS INT ${writing} BEGIN SET SESSION {RO} = 0; RETURN @@session.{RO}; END`,
  `CREATE FUNCTION f_flip_write() RETURNS INT ${writing} BEGIN SET SESSION {RO} = 0; DELETE FROM child; RETURN 1; END`,
  `CREATE FUNCTION f_flip_myisam() RETURNS INT ${writing} BEGIN SET SESSION {RO} = 0; INSERT INTO tm VALUES (78, 'x'); RETURN 1; END`,
  `CREATE FUNCTION f_mode() RETURNS INT ${functionHead} BEGIN SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'; RETURN 1; END`,
  `CREATE FUNCTION f_checks() RETURNS INT ${functionHead} BEGIN SET SESSION unique_checks = 0, SQL_SAFE_UPDATES = 1; SET @f_x = 1; RETURN 1; END`,
  `CREATE FUNCTION f_limits() RETURNS INT ${functionHead} BEGIN SET SESSION sql_select_limit = 1, lock_wait_timeout = 7; RETURN 1; END`,
  `CREATE FUNCTION f_charset() RETURNS INT ${functionHead} BEGIN SET character_set_client = latin1, collation_connection = latin1_bin; RETURN 1; END`,
  `CREATE FUNCTION f_zone() RETURNS INT ${functionHead} BEGIN SET time_zone = '+06:00'; RETURN 1; END`,
  `CREATE FUNCTION f_variable() RETURNS INT ${functionHead} BEGIN SET @guard_var = 5; RETURN 1; END`,
  `CREATE FUNCTION f_lock() RETURNS INT ${functionHead} RETURN GET_LOCK('${lockName}', 0)`,
  `CREATE FUNCTION f_rows() RETURNS INT ${functionHead} BEGIN DECLARE a INT; SELECT COUNT(*) INTO a FROM t FOR UPDATE; RETURN a; END`,
  `CREATE FUNCTION f_share() RETURNS INT ${functionHead} BEGIN DECLARE a INT; SELECT COUNT(*) INTO a FROM t LOCK IN SHARE MODE; RETURN a; END`,
  `CREATE FUNCTION f_last() RETURNS INT ${functionHead} RETURN LAST_INSERT_ID(4711)`,
  `CREATE FUNCTION f_temporary() RETURNS INT ${writing} BEGIN CREATE TEMPORARY TABLE tmp_f (a INT); RETURN 1; END`,
  `CREATE FUNCTION f_temporary_join() RETURNS INT ${writing} BEGIN CREATE TEMPORARY TABLE tmp_j (a INT); INSERT INTO tmp_j VALUES (1);
     UPDATE tmp_j, v_lock SET tmp_j.a = v_lock.a; RETURN 1; END`,
  `CREATE FUNCTION f_temporary_merge() RETURNS INT ${writing} BEGIN CREATE TEMPORARY TABLE tmp_m (id INT PRIMARY KEY, v VARCHAR(20))
     ENGINE=MERGE UNION=(tm) INSERT_METHOD=LAST; INSERT INTO tmp_m VALUES (80, 'x'); RETURN 1; END`,
  `CREATE FUNCTION f_analyze() RETURNS INT ${writing} BEGIN CALL p_analyze(); RETURN 1; END`,
  `CREATE FUNCTION f_calls() RETURNS INT ${writing} BEGIN CALL p_write(); RETURN 1; END`,
];

/** Runs with the rights of a superuser. */
const ofTheServer = [
  `CREATE FUNCTION f_global() RETURNS INT ${functionHead} BEGIN SET GLOBAL max_connect_errors = 4321; RETURN 1; END`,
];

/** Settings of a replication channel, without the word GLOBAL. */
const ofTheServerMariadb = [
  'CREATE FUNCTION f_global_skip() RETURNS INT NO SQL BEGIN SET sql_slave_skip_counter = 5; RETURN 1; END',
];

const procedures = [
  'CREATE PROCEDURE p_write() BEGIN DELETE FROM child; END',
  'CREATE PROCEDURE p_commit() BEGIN COMMIT; DELETE FROM child; COMMIT; END',
  'CREATE PROCEDURE p_start() BEGIN START TRANSACTION READ WRITE; DELETE FROM child; COMMIT; END',
  "CREATE PROCEDURE p_myisam() BEGIN INSERT INTO tm VALUES (79, 'x'); END",
  'CREATE PROCEDURE p_dynamic(a TEXT) BEGIN SET @p = a; PREPARE p FROM @p; EXECUTE p; DEALLOCATE PREPARE p; END',
  'CREATE PROCEDURE p_analyze() BEGIN ANALYZE TABLE t; END',
  'CREATE PROCEDURE p_read() BEGIN SELECT COUNT(*) FROM t; END',
];

const views = [
  'CREATE VIEW v_write AS SELECT f_write() AS a',
  'CREATE VIEW v_flip AS SELECT f_flip() AS a',
  `CREATE VIEW v_lock AS SELECT GET_LOCK('${lockName}', 0) AS a`,
  'CREATE VIEW v_last AS SELECT LAST_INSERT_ID(4712) AS a',
  'CREATE VIEW v_share AS SELECT * FROM t LOCK IN SHARE MODE',
  'CREATE VIEW v_reset AS SELECT page_size FROM information_schema.INNODB_CMPMEM_RESET',
];

const rest = [
  'CREATE TRIGGER t_before BEFORE INSERT ON t FOR EACH ROW SET @t_seen = 1',
  'CREATE EVENT e_never ON SCHEDULE EVERY 1 YEAR STARTS CURRENT_TIMESTAMP + INTERVAL 1 YEAR DISABLE DO DELETE FROM child',
  'CREATE TABLE guard2.far (id INT PRIMARY KEY) ENGINE=InnoDB',
  `CREATE FUNCTION guard2.f_far_write() RETURNS INT ${writing} BEGIN DELETE FROM guard.child; RETURN 1; END`,
];

const mariadbOnly = [
  'CREATE FUNCTION f_role() RETURNS INT NO SQL BEGIN SET @f_x = 1, ROLE NONE; RETURN 1; END',
  'CREATE SEQUENCE s START WITH 1 NOCACHE',
  'CREATE VIEW v_sequence AS SELECT NEXT VALUE FOR s AS a',
  `CREATE FUNCTION f_sequence() RETURNS INT ${writing} RETURN NEXT VALUE FOR s`,
  'CREATE TABLE t_next (a INT DEFAULT (NEXT VALUE FOR s), b INT)',
  'INSERT INTO t_next VALUES (1, 1)',
  'CREATE VIEW v_next AS SELECT DEFAULT(a) AS a FROM t_next',
  `CREATE FUNCTION f_next() RETURNS INT ${functionHead} RETURN (SELECT DEFAULT(a) FROM t_next LIMIT 1)`,
  `CREATE FUNCTION f_next_view() RETURNS INT ${functionHead} RETURN (SELECT a FROM v_next LIMIT 1)`,
  `CREATE AGGREGATE FUNCTION f_aggregate(a INT) RETURNS INT BEGIN
     DECLARE CONTINUE HANDLER FOR NOT FOUND RETURN GET_LOCK('${lockName}', 0); LOOP FETCH GROUP NEXT ROW; END LOOP; END`,
];

/** Native code, called directly and from as far away as views and functions reach. */
const native = [
  `CREATE FUNCTION sys_exec RETURNS INTEGER SONAME '${libraryName}'`,
  `CREATE FUNCTION size_label RETURNS INTEGER SONAME '${libraryName}'`,
  // Other servers have one of this name built in.
  `CREATE FUNCTION uuid_v7 RETURNS INTEGER SONAME '${libraryName}'`,
  `CREATE AGGREGATE FUNCTION total_label RETURNS INTEGER SONAME '${libraryName}'`,
  "CREATE VIEW v_native AS SELECT size_label('x') AS a",
  'CREATE VIEW v_native_far AS SELECT v.a FROM v_native v',
  'CREATE VIEW v_native_total AS SELECT total_label(id) AS a FROM t',
  "CREATE VIEW v_native_where AS SELECT id FROM t WHERE id = (SELECT size_label('x'))",
  `CREATE FUNCTION f_native() RETURNS INT ${functionHead} RETURN size_label('x')`,
  `CREATE FUNCTION f_native_far() RETURNS INT ${functionHead} RETURN f_native()`,
  `CREATE FUNCTION f_native_body() RETURNS INT ${functionHead} BEGIN DECLARE a INT; SELECT size_label('x') INTO a; RETURN a; END`,
  `CREATE FUNCTION f_native_view() RETURNS INT ${functionHead} RETURN (SELECT a FROM v_native)`,
  'CREATE VIEW v_native_function AS SELECT f_native_far() AS a',
  // A reader that unescapes the literals of the body first sees the call as part of one.
  `CREATE FUNCTION f_native_hidden() RETURNS VARCHAR(20) ${functionHead} RETURN CONCAT('\\\\', size_label('''') /* ' */, 'x')`,
  `CREATE VIEW v_native_hidden AS SELECT CONCAT('\\\\', size_label('''')) AS a`,
  `CREATE FUNCTION guard2.f_native_there() RETURNS INT ${functionHead} RETURN size_label('x')`,
  'CREATE VIEW guard2.v_native_there AS SELECT guard.f_native() AS a',
];

const dropNative = ['sys_exec', 'size_label', 'uuid_v7', 'twin_label', 'total_label'].map(
  (name) => `DROP FUNCTION IF EXISTS ${name}`,
);

const users = [
  `CREATE USER ${accounts.owner}@'%' IDENTIFIED BY '${accountPassword}'`,
  `CREATE USER ${accounts.reader}@'%' IDENTIFIED BY '${accountPassword}'`,
];

/** As people grant it: all of one database, and enough of the server to look at it. */
const grants = [
  `GRANT ALL ON guard.* TO ${accounts.owner}@'%'`,
  `GRANT ALL ON guard2.* TO ${accounts.owner}@'%'`,
  `GRANT PROCESS, SHOW DATABASES, REPLICATION CLIENT ON *.* TO ${accounts.owner}@'%'`,
  `GRANT SELECT, SHOW VIEW ON guard.* TO ${accounts.reader}@'%'`,
];

interface Fixture {
  readonly flavour: Flavour;
  readonly site: Site;
}

/** What the cases leave outside of the databases when nothing stops them. Most of it is mostly not there. */
const undo = [
  'SET GLOBAL max_connect_errors = DEFAULT',
  'SET GLOBAL TRANSACTION READ WRITE',
  'DROP DATABASE pwn',
  "DROP USER pwn@'%'",
  'DROP ROLE pwn',
  'DROP SERVER pwn',
  'DROP FUNCTION total_label2',
  "XA ROLLBACK 'a'",
];

const undoMysql = [
  'RESET PERSIST',
  'DROP TABLESPACE pwn',
  'ALTER UNDO TABLESPACE pwn_undo SET INACTIVE',
  'DROP UNDO TABLESPACE pwn_undo',
  'DROP RESOURCE GROUP pwn',
  'DROP SPATIAL REFERENCE SYSTEM 990099',
  "UNINSTALL COMPONENT 'file://component_reference_cache'",
  'RESET REPLICA ALL',
];

const undoMariadb = ['RESET SLAVE ALL', 'SET GLOBAL sql_slave_skip_counter = 0'];

/** Takes back what is not the fixture's. */
export async function undoCases(root: Connection, flavour: Flavour): Promise<void> {
  for (const sql of [...undo, ...(flavour === 'mysql' ? undoMysql : undoMariadb)]) {
    // Mostly there is nothing to take back.
    await root.query(sql).catch(() => undefined);
  }
}

/** Recreates everything, whatever was done to it. The connection is a superuser's. */
export async function buildFixture(root: Connection, fixture: Fixture): Promise<void> {
  for (const sql of fixtureSql(fixture)) {
    await root.query(sql).catch((error: unknown) => {
      throw new Error(`the fixture failed at: ${sql}`, { cause: error });
    });
  }
}

function fixtureSql({ flavour, site }: Fixture): string[] {
  const readOnly = flavour === 'mariadb' ? 'tx_read_only' : 'transaction_read_only';
  const statements = [
    'DROP DATABASE IF EXISTS guard',
    'DROP DATABASE IF EXISTS guard2',
    ...Object.values(accounts).map((name) => `DROP USER IF EXISTS ${name}@'%'`),
    ...(site.noLibrary === undefined ? dropNative : []),
    `CREATE DATABASE ${guardDatabase}`,
    'CREATE DATABASE guard2',
    `USE ${guardDatabase}`,
    ...users,
    ...grants,
    ...tables,
    ...harmless,
    ...harmlessDisguises(flavour, accounts.owner),
    ...procedures,
    ...functions,
    ...(flavour === 'mariadb' ? mariadbOnly : []),
    ...views,
    ...rest,
    ...(site.noLibrary === undefined ? [...native, ...nativeDisguises(flavour, accounts.owner)] : []),
    ...ofTheServer,
    ...(flavour === 'mariadb' ? ofTheServerMariadb : []),
  ];
  return statements.map((sql) => ownedBy(sql.replaceAll('{RO}', readOnly)));
}

/** Only who made a function sees its body, and only as the owner made them are they the owner's. */
function ownedBy(sql: string): string {
  return sql.includes('f_global')
    ? sql
    : sql.replace(/^CREATE (?=(FUNCTION|PROCEDURE) \S*\(|VIEW|FUNCTION `)/, `CREATE DEFINER=${accounts.owner}@'%' `);
}
