What is no read on MySQL and MariaDB, one mechanism after another, against the database of mysql-fixture.ts.
  only:    the server it is about; without it, all of them
  mode:    the sql_mode that the server has as its default
  params:  values for the placeholders, as JSON
  input:   yes: an error about the caller's input is as good as a refusal
  needs:   library: only where a C compiler could make the native functions
  as:      the accounts it is tried with, where not all
  control: the statement changes something when it runs without a guard: yes, or in a transaction

--- multi-commit-delete | refuse | a harmless first statement | input: yes
SELECT 1; COMMIT; DELETE FROM child
--- multi-two-selects | refuse | the second could be anything | input: yes
SELECT 1; SELECT 2
--- multi-start-rw | refuse | START TRANSACTION commits the one of the guard | input: yes
START TRANSACTION READ WRITE; DELETE FROM child; COMMIT
--- multi-set-first | refuse | SET, then a write | input: yes
SET SESSION transaction_read_only = 0; DELETE FROM child
--- multi-comment-between | refuse | the semicolon stands behind a comment | input: yes
SELECT 1 /* ; */ ; DROP TABLE child
--- multi-hash | refuse | the comment ends at the line's end | input: yes
SELECT 1 # ;
; DROP TABLE child
--- multi-dashes | refuse | two dashes without a blank are no comment | input: yes
SELECT 1 --;DROP TABLE child
--- multi-executable | refuse | a semicolon in an executable comment | input: yes
SELECT 1 /*! ; DROP TABLE child */
--- multi-delimiter | refuse | DELIMITER is the client's word | input: yes
DELIMITER //
SELECT 1//
--- multi-empty-middle | refuse | empty statements between | input: yes
SELECT 1;;DELETE FROM child
--- multi-quote-escape | refuse | the literal ends at the second quote | input: yes
SELECT 'a\\'; DROP TABLE child; -- '
--- multi-vertical | refuse | the client's \G is a name here | input: yes
SELECT 1\G DROP TABLE child
--- nul-byte | refuse | text behind a NUL | input: yes
SELECT 1\{0} INTO OUTFILE '{OUT}/pwn.txt'
--- nul-in-literal | refuse | a NUL in a literal | input: yes
SELECT '\{0}' INTO OUTFILE '{OUT}/pwn.txt'

--- mysql50-table | refuse | MariaDB opens the file of a table twice, so that it cannot be dropped
SELECT * FROM `#mysql50#t`
--- mysql50-database | refuse | the same by the name of the database
SELECT * FROM `#mysql50#guard`.t
--- mysql50-explain | refuse | planning opens it
EXPLAIN SELECT * FROM guard.`#mysql50#t`
--- mysql50-show | refuse | so does a description
SHOW COLUMNS FROM `#mysql50#t`
--- mysql50-compared | refuse | information_schema opens the table that it looks for
SELECT * FROM information_schema.tables WHERE table_schema = 'guard' AND table_name = '#mysql50#t'

--- tx-begin | refuse | commits, and on MariaDB opens one that writes
BEGIN
--- tx-begin-work | refuse | the longer form
BEGIN WORK
--- tx-start | refuse | replaces the guard's transaction
START TRANSACTION
--- tx-start-rw | refuse | a transaction that writes
START TRANSACTION READ WRITE
--- tx-start-ro | refuse | even a reading one replaces the guard's
START TRANSACTION READ ONLY
--- tx-snapshot | refuse | another form
START TRANSACTION WITH CONSISTENT SNAPSHOT
--- tx-commit | refuse | ends the transaction
COMMIT
--- tx-commit-chain | refuse | ends it and opens another
COMMIT AND CHAIN
--- tx-commit-release | refuse | ends the session
COMMIT RELEASE
--- tx-rollback | refuse | ends the transaction
ROLLBACK
--- tx-rollback-chain | refuse | ends it and opens another
ROLLBACK AND CHAIN NO RELEASE
--- tx-savepoint | refuse | no read
SAVEPOINT a
--- tx-rollback-to | refuse | no read
ROLLBACK TO SAVEPOINT a
--- tx-release | refuse | no read
RELEASE SAVEPOINT a
--- tx-set-session | refuse | the default of the session
SET SESSION TRANSACTION READ WRITE
--- tx-set-next | refuse | the next transaction
SET TRANSACTION READ WRITE
--- tx-set-global | refuse | the default of all sessions
SET GLOBAL TRANSACTION READ ONLY
--- tx-isolation | refuse | the isolation of the session
SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
--- tx-bracketed | refuse | brackets around a word that is no query
(COMMIT)
--- tx-comment-first | refuse | a comment stands first
/* SELECT 1 */ COMMIT
--- tx-executable-first | refuse | an executable comment is the statement
/*! COMMIT */
--- tx-executable-version | refuse | with a version
/*!50000COMMIT*/
--- tx-executable-glued | refuse | parts of a statement in comments
/*!50000 DROP */ /*!50000 TABLE */ child
--- tx-maria-comment | refuse | the comment that only MariaDB executes | only: mariadb
/*M! COMMIT */
--- tx-maria-version | refuse | with a version | only: mariadb
/*M!100000 DROP TABLE child */
--- xa-start | refuse | a distributed transaction
XA START 'a'
--- xa-end | refuse | a distributed transaction
XA END 'a'
--- xa-prepare | refuse | would stay when the session ends
XA PREPARE 'a'
--- xa-commit | refuse | of somebody else's transaction
XA COMMIT 'a' ONE PHASE
--- xa-rollback | refuse | of somebody else's transaction
XA ROLLBACK 'a'

--- dml-delete | refuse | DML | control: yes
DELETE FROM child
--- dml-delete-quick | refuse | with its options
DELETE LOW_PRIORITY QUICK IGNORE FROM child WHERE id = 1
--- dml-delete-multi | refuse | two tables
DELETE child FROM child JOIN t ON t.id = child.tid
--- dml-delete-using | refuse | the other form of it
DELETE FROM child USING child JOIN t ON t.id = child.tid
--- dml-delete-myisam | refuse | no transaction | control: yes
DELETE FROM tm
--- dml-delete-returning | refuse | looks like a query from outside | only: mariadb
DELETE FROM child RETURNING *
--- dml-insert | refuse | DML | control: yes
INSERT INTO child VALUES (9, 1)
--- dml-insert-set | refuse | another form
INSERT child SET id = 9, tid = 1
--- dml-insert-select | refuse | reads and writes | control: yes
INSERT INTO child SELECT id + 100, 1 FROM t
--- dml-insert-table | refuse | from a whole table | only: mysql
INSERT INTO child TABLE child
--- dml-insert-duplicate | refuse | or updates
INSERT INTO child VALUES (1, 1) ON DUPLICATE KEY UPDATE tid = 3
--- dml-insert-ignore | refuse | with its options
INSERT IGNORE INTO tm VALUES (5, 'x')
--- dml-insert-returning | refuse | looks like a query from outside | only: mariadb
INSERT INTO child VALUES (9, 1) RETURNING id
--- dml-replace | refuse | the statement, not the function | control: yes
REPLACE INTO child VALUES (1, 2)
--- dml-replace-set | refuse | without INTO
REPLACE child SET id = 1, tid = 2
--- dml-replace-returning | refuse | looks like a query from outside | only: mariadb
REPLACE INTO child VALUES (1, 2) RETURNING id
--- dml-update | refuse | DML | control: yes
UPDATE child SET tid = 3
--- dml-update-join | refuse | two tables
UPDATE t JOIN child c ON c.tid = t.id SET t.v = 'x'
--- dml-update-limit | refuse | with order and limit
UPDATE LOW_PRIORITY IGNORE child SET tid = 3 ORDER BY id LIMIT 1
--- dml-with-delete | refuse | a WITH in front | only: mysql
WITH x AS (SELECT 1 AS id) DELETE FROM child WHERE id IN (SELECT id FROM x)
--- dml-with-update | refuse | a WITH in front | only: mysql
WITH x AS (SELECT 1 AS id) UPDATE child SET tid = 3 WHERE id IN (SELECT id FROM x)
--- dml-with-recursive | refuse | with RECURSIVE and columns | only: mysql
WITH RECURSIVE x (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM x WHERE id < 3), y AS (SELECT 2) DELETE FROM child WHERE id IN (SELECT id FROM x)
--- dml-truncate | refuse | the statement, not the function | control: yes
TRUNCATE TABLE child
--- dml-truncate-short | refuse | without TABLE
TRUNCATE child
--- dml-trigger | refuse | a trigger runs too | control: yes
INSERT INTO t (v) VALUES ('x')
--- dml-lower-case | refuse | small letters and line breaks
delete
	from
child
--- dml-form-feed | refuse | rare blanks
DELETEFROMchild
--- dml-carriage-return | refuse | carriage returns
DELETE\{r}FROM\{r}child
--- dml-bracketed | refuse | brackets in front
((DELETE FROM child))
--- dml-load-data | refuse | a file of the server into a table | control: yes
LOAD DATA INFILE '{OUT}/readable.txt' INTO TABLE tm (v) SET id = 50
--- dml-load-data-local | refuse | a file of this machine
LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE tm
--- dml-load-xml | refuse | another form
LOAD XML INFILE '{OUT}/readable.txt' INTO TABLE tm
--- dml-load-index | refuse | fills a cache
LOAD INDEX INTO CACHE tm
--- dml-import | refuse | a table from files | only: mysql
IMPORT TABLE FROM '{OUT}/x.sdi'
--- dml-do | refuse | evaluates without a result
DO f_write()
--- dml-do-lock | refuse | evaluates without a result | control: yes
DO GET_LOCK('guard-lock', 0)
--- dml-do-sleep | refuse | evaluates without a result
DO SLEEP(30)
--- dml-handler-open | refuse | stays open in the session | control: yes
HANDLER t OPEN
--- dml-handler-read | refuse | reads what is open
HANDLER t READ FIRST
--- dml-handler-close | refuse | closes it
HANDLER t CLOSE

--- ddl-create-table | refuse | DDL | control: yes
CREATE TABLE pwn (a INT)
--- ddl-create-select | refuse | the query in it is a read, it is none
CREATE TABLE pwn AS SELECT * FROM t
--- ddl-create-like | refuse | DDL
CREATE TABLE pwn LIKE t
--- ddl-create-or-replace | refuse | drops what was there | only: mariadb
CREATE OR REPLACE TABLE child (a INT)
--- ddl-create-temporary | refuse | hides a real table
CREATE TEMPORARY TABLE t (a INT)
--- ddl-drop-temporary | refuse | no implicit commit
DROP TEMPORARY TABLE IF EXISTS nope
--- ddl-drop-table | refuse | DDL | control: yes
DROP TABLE child
--- ddl-drop-tables | refuse | the word in the plural
DROP TABLES child, tm
--- ddl-drop-view | refuse | DDL
DROP VIEW v_plain
--- ddl-alter | refuse | DDL | control: yes
ALTER TABLE child ADD COLUMN x INT
--- ddl-alter-engine | refuse | builds the table anew
ALTER TABLE child ENGINE = InnoDB
--- ddl-alter-partition | refuse | rows go with it | control: yes
ALTER TABLE sales DROP PARTITION p0
--- ddl-rename | refuse | DDL | control: yes
RENAME TABLE child TO pwn
--- ddl-create-index | refuse | DDL
CREATE INDEX pwn ON t (v(3))
--- ddl-drop-index | refuse | DDL
DROP INDEX by_v ON t
--- ddl-create-view | refuse | DDL
CREATE VIEW pwn AS SELECT 1
--- ddl-or-replace-view | refuse | DDL | control: yes
CREATE OR REPLACE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW v_plain AS SELECT 2 AS a
--- ddl-alter-view | refuse | DDL
ALTER VIEW v_plain AS SELECT 3 AS a
--- ddl-create-function | refuse | DDL
CREATE FUNCTION pwn() RETURNS INT DETERMINISTIC RETURN 1
--- ddl-create-aggregate | refuse | an aggregate | only: mariadb
CREATE AGGREGATE FUNCTION pwn(x INT) RETURNS INT BEGIN DECLARE CONTINUE HANDLER FOR NOT FOUND RETURN 1; LOOP FETCH GROUP NEXT ROW; END LOOP; END
--- ddl-create-native | refuse | loads native code | needs: library
CREATE FUNCTION total_label2 RETURNS STRING SONAME 'guard_probe.so'
--- ddl-drop-function | refuse | DDL
DROP FUNCTION f_read
--- ddl-create-procedure | refuse | DDL
CREATE PROCEDURE pwn() SELECT 1
--- ddl-alter-procedure | refuse | DDL
ALTER PROCEDURE p_read COMMENT 'x'
--- ddl-create-trigger | refuse | DDL
CREATE TRIGGER pwn AFTER DELETE ON child FOR EACH ROW SET @x = 1
--- ddl-drop-trigger | refuse | DDL
DROP TRIGGER t_before
--- ddl-create-event | refuse | runs later | control: yes
CREATE EVENT pwn ON SCHEDULE AT CURRENT_TIMESTAMP + INTERVAL 1 YEAR DO DELETE FROM child
--- ddl-alter-event | refuse | runs later
ALTER EVENT e_never COMMENT 'x'
--- ddl-create-database | refuse | DDL | control: yes
CREATE DATABASE pwn
--- ddl-drop-database | refuse | DDL | control: yes
DROP DATABASE guard2
--- ddl-drop-schema | refuse | the other word
DROP SCHEMA guard2
--- ddl-alter-database | refuse | DDL
ALTER DATABASE guard CHARACTER SET latin1
--- ddl-create-sequence | refuse | DDL | only: mariadb
CREATE SEQUENCE pwn
--- ddl-alter-sequence | refuse | DDL | only: mariadb
ALTER SEQUENCE s RESTART 100
--- ddl-create-package | refuse | DDL | only: mariadb | mode: ORACLE
CREATE PACKAGE pwn AS FUNCTION a RETURN INT; END
--- ddl-create-server | refuse | where FEDERATED connects to | control: yes
CREATE SERVER pwn FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', USER 'x')
--- ddl-drop-server | refuse | the way back
DROP SERVER IF EXISTS pwn
--- ddl-create-tablespace | refuse | a file of the server | only: mysql
CREATE TABLESPACE pwn ADD DATAFILE 'pwn.ibd' ENGINE=InnoDB
--- ddl-create-undo | refuse | a file of the server | only: mysql
CREATE UNDO TABLESPACE pwn_undo ADD DATAFILE 'pwn_undo.ibu'
--- ddl-resource-group | refuse | server control | only: mysql
CREATE RESOURCE GROUP pwn TYPE = USER VCPU = 0
--- ddl-set-resource-group | refuse | server control | only: mysql
SET RESOURCE GROUP USR_default
--- ddl-reference-system | refuse | DDL | only: mysql
CREATE SPATIAL REFERENCE SYSTEM 990099 NAME 'x' DEFINITION 'GEOGCS["x",DATUM["x",SPHEROID["x",1,2]],PRIMEM["g",0],UNIT["d",0.017],AXIS["Lat",NORTH],AXIS["Lon",EAST]]'
--- ddl-alter-instance | refuse | server control | only: mysql
ALTER INSTANCE ROTATE INNODB MASTER KEY
--- ddl-alter-tables | refuse | a comment hides no ALTER
ALTER /* SELECT */ TABLE child COMMENT 'SELECT'

--- user-create | refuse | account management | control: yes
CREATE USER pwn@'%' IDENTIFIED BY 'x'
--- user-drop | refuse | account management
DROP USER guard_reader@'%'
--- user-alter | refuse | account management | control: yes
ALTER USER guard_reader@'%' ACCOUNT LOCK
--- user-alter-own | refuse | one's own password
ALTER USER CURRENT_USER() IDENTIFIED BY '{PASSWORD}'
--- user-rename | refuse | account management
RENAME USER guard_reader@'%' TO pwn@'%'
--- user-grant | refuse | account management | control: yes
GRANT INSERT ON guard.* TO guard_reader@'%'
--- user-revoke | refuse | account management
REVOKE SELECT ON guard.* FROM guard_reader@'%'
--- user-set-password | refuse | account management | only: mysql
SET PASSWORD FOR guard_reader@'%' = 'x'
--- user-set-password-maria | refuse | account management | only: mariadb
SET PASSWORD FOR guard_reader@'%' = PASSWORD('x')
--- user-create-role | refuse | account management | control: yes
CREATE ROLE pwn
--- user-set-role | refuse | rights of this session
SET ROLE NONE
--- user-default-role | refuse | rights of later sessions | only: mysql
SET DEFAULT ROLE NONE TO guard_reader@'%'
--- user-default-role-maria | refuse | rights of later sessions | only: mariadb
SET DEFAULT ROLE NONE FOR guard_reader@'%'

--- set-global | refuse | of the server | control: yes
SET GLOBAL max_connect_errors = 12345
--- set-global-at | refuse | with two signs
SET @@global.max_connect_errors = 12345
--- set-persist | refuse | also of the next start | only: mysql
SET PERSIST max_connect_errors = 12345
--- set-persist-only | refuse | of the next start | only: mysql
SET PERSIST_ONLY max_connect_errors = 12345
--- set-reset-persist | refuse | removes them | only: mysql
RESET PERSIST
--- set-mode | refuse | changes how later statements are read | control: yes
SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'
--- set-mode-at | refuse | with two signs
SET @@sql_mode = 'ANSI_QUOTES'
--- set-names | refuse | changes how later statements are read
SET NAMES gbk
--- set-charset | refuse | changes how later statements are read
SET CHARACTER SET latin1
--- set-read-only | refuse | the guard's flag | only: mysql
SET SESSION transaction_read_only = 0
--- set-read-only-maria | refuse | the guard's flag | only: mariadb
SET SESSION tx_read_only = 0
--- set-autocommit-on | refuse | commits
SET autocommit = 1
--- set-autocommit-off | refuse | of the session
SET autocommit = 0
--- set-limit | refuse | disarms limits
SET SESSION sql_select_limit = 18446744073709551615
--- set-time | refuse | disarms limits | only: mysql
SET SESSION max_execution_time = 0
--- set-time-maria | refuse | disarms limits | only: mariadb
SET max_statement_time = 0
--- set-variable | refuse | a statement without a result | control: yes
SET @guard_var = 1
--- set-variable-query | refuse | runs a function
SET @guard_var = (SELECT f_write())
--- set-time-zone | refuse | of the session
SET time_zone = '+05:00'
--- set-foreign-keys | refuse | of the session
SET foreign_key_checks = 0
--- set-statement-delete | refuse | a prefix of any statement | only: mariadb | control: yes
SET STATEMENT max_statement_time = 5 FOR DELETE FROM child
--- set-statement-ro | refuse | beats the session's flag | only: mariadb | control: yes
SET STATEMENT tx_read_only = 0 FOR DELETE FROM child
--- set-statement-mode | refuse | reads the rest in another mode | only: mariadb
SET STATEMENT sql_mode = 'ANSI_QUOTES' FOR SELECT 1 INTO OUTFILE '{OUT}/pwn.txt'
--- set-statement-outfile | refuse | around a query | only: mariadb
SET STATEMENT max_statement_time = 5 FOR SELECT 1 INTO OUTFILE '{OUT}/pwn.txt'
--- use-database | refuse | changes what later names mean | control: yes
USE guard2

--- compound-begin | refuse | one statement to the protocol | only: mariadb | control: yes
BEGIN NOT ATOMIC COMMIT; DELETE FROM child; COMMIT; END
--- compound-start | refuse | opens a transaction | only: mariadb
BEGIN NOT ATOMIC START TRANSACTION; DELETE FROM child; COMMIT; END
--- compound-select-first | refuse | a query comes first | only: mariadb
BEGIN NOT ATOMIC SELECT 1; SET SESSION tx_read_only = 0; DELETE FROM child; END
--- compound-if | refuse | outside of a routine | only: mariadb
IF 1 THEN DELETE FROM child; END IF
--- compound-case | refuse | outside of a routine | only: mariadb
CASE 1 WHEN 1 THEN DELETE FROM child; END CASE
--- compound-while | refuse | outside of a routine | only: mariadb
WHILE (SELECT COUNT(*) FROM tm) > 0 DO DELETE FROM tm; END WHILE
--- compound-loop | refuse | outside of a routine | only: mariadb
LOOP DELETE FROM child; END LOOP
--- compound-repeat | refuse | outside of a routine | only: mariadb
REPEAT DELETE FROM child; UNTIL 1 END REPEAT
--- compound-for | refuse | outside of a routine | only: mariadb
FOR i IN 1..2 DO DELETE FROM child; END FOR
--- compound-for-select | refuse | a query in its head | only: mariadb
FOR r IN (SELECT 1 AS a) DO DELETE FROM child; END FOR
--- compound-label | refuse | a label in front | only: mariadb
x: BEGIN NOT ATOMIC DELETE FROM child; END
--- compound-oracle | refuse | the other grammar | only: mariadb | mode: ORACLE
BEGIN DELETE FROM child; END
--- compound-declare | refuse | the other grammar | only: mariadb | mode: ORACLE
DECLARE x INT; BEGIN DELETE FROM child; END
--- prepare | refuse | stays in the session | control: yes
PREPARE p FROM 'DELETE FROM child'
--- prepare-variable | refuse | text of a variable
PREPARE p FROM @dbmole_sql
--- execute | refuse | whatever was prepared
EXECUTE p
--- execute-own | refuse | the name that we use ourselves
EXECUTE dbmole
--- execute-using | refuse | with values
EXECUTE p USING @a
--- execute-immediate | refuse | text as a statement | only: mariadb | control: yes
EXECUTE IMMEDIATE 'DELETE FROM child'
--- execute-immediate-concat | refuse | text that is put together | only: mariadb
EXECUTE IMMEDIATE CONCAT('DEL', 'ETE FROM child')
--- execute-immediate-using | refuse | with values | only: mariadb
EXECUTE IMMEDIATE 'SELECT ? INTO OUTFILE ''{OUT}/pwn.txt''' USING 1
--- deallocate | refuse | of the session
DEALLOCATE PREPARE p
--- drop-prepare | refuse | the other word
DROP PREPARE p
--- call-write | refuse | a procedure | control: yes
CALL p_write()
--- call-commit | refuse | commits, then writes
CALL p_commit()
--- call-start | refuse | beats both flags | control: yes
CALL p_start()
--- call-myisam | refuse | no transaction
CALL p_myisam()
--- call-dynamic | refuse | any text | control: yes
CALL p_dynamic('DELETE FROM child')
--- call-read | refuse | what it does is not in the text
CALL p_read()
--- call-sys-table-exists | refuse | makes a temporary table | only: mysql
CALL sys.table_exists('guard', 't', @x)
--- call-sys-statement | refuse | any text | only: mysql
CALL sys.execute_prepared_stmt('SELECT 1')
--- call-sys-setup | refuse | settings of the server | only: mysql
CALL sys.ps_setup_disable_consumer('statement')
--- call-sys-truncate | refuse | empties the tables of statistics | only: mysql
CALL sys.ps_truncate_all_tables(FALSE)
--- call-expression | refuse | the argument writes
CALL p_dynamic((SELECT f_write()))
--- signal | refuse | no read
SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'x'
--- resignal | refuse | no read
RESIGNAL
--- diagnostics | refuse | sets variables | control: yes
GET DIAGNOSTICS @guard_var = NUMBER
--- diagnostics-condition | refuse | sets variables
GET DIAGNOSTICS CONDITION 1 @guard_var = MESSAGE_TEXT

--- into-outfile | refuse | a file of the server | control: yes
SELECT 'x' INTO OUTFILE '{OUT}/pwn.txt'
--- into-dumpfile | refuse | a file of the server | control: yes
SELECT 'x' INTO DUMPFILE '{OUT}/pwn.bin'
--- into-variable | refuse | a variable of the session | control: yes
SELECT 1 INTO @guard_var
--- into-variables | refuse | several of them
SELECT id, v INTO @guard_var, @x FROM t LIMIT 1
--- into-before-from | refuse | in the middle
SELECT id INTO OUTFILE '{OUT}/pwn.txt' FROM t
--- into-dump-before-from | refuse | in the middle
SELECT v INTO DUMPFILE '{OUT}/pwn.bin' FROM t LIMIT 1
--- into-variable-before-from | refuse | in the middle
SELECT id INTO @guard_var FROM t WHERE id = 1
--- into-after-where | refuse | at the end
SELECT id FROM t WHERE id > 1 ORDER BY id LIMIT 2 INTO OUTFILE '{OUT}/pwn.txt'
--- into-options | refuse | with character set and lines
SELECT v FROM t INTO OUTFILE '{OUT}/pwn.txt' CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' LINES TERMINATED BY '\n'
--- into-after-union | refuse | after a union | control: yes
SELECT 1 UNION SELECT 2 INTO OUTFILE '{OUT}/pwn.txt'
--- into-after-union-brackets | refuse | after brackets
(SELECT 1) UNION (SELECT 2) INTO OUTFILE '{OUT}/pwn.txt'
--- into-in-brackets | refuse | inside brackets
(SELECT 1 INTO OUTFILE '{OUT}/pwn.txt')
--- into-in-brackets-variable | refuse | inside brackets
(SELECT 1 INTO @guard_var)
--- into-with | refuse | behind a WITH | control: yes
WITH x AS (SELECT 1 AS a) SELECT a FROM x INTO OUTFILE '{OUT}/pwn.txt'
--- into-for-update | refuse | behind a lock
SELECT id FROM t LIMIT 1 FOR UPDATE INTO @guard_var
--- into-lock-in-share | refuse | before a lock
SELECT id FROM t LIMIT 1 INTO @guard_var LOCK IN SHARE MODE
--- into-group | refuse | behind a group
SELECT v, COUNT(*) FROM t GROUP BY v HAVING COUNT(*) > 0 INTO OUTFILE '{OUT}/pwn.txt'
--- into-table | refuse | TABLE writes too | only: mysql
TABLE t INTO OUTFILE '{OUT}/pwn.txt'
--- into-table-order | refuse | TABLE writes too | only: mysql
TABLE child ORDER BY id LIMIT 1 INTO DUMPFILE '{OUT}/pwn.bin'
--- into-values | refuse | VALUES writes too | only: mysql | control: yes
VALUES ROW(1, 2) INTO OUTFILE '{OUT}/pwn.txt'
--- into-values-variable | refuse | VALUES sets variables | only: mysql
VALUES ROW(1) INTO @guard_var
--- into-derived | refuse | inside a derived table
SELECT * FROM (SELECT 1 INTO @guard_var) q
--- into-subquery | refuse | inside a subquery
SELECT (SELECT 1 INTO @guard_var)
--- into-case | refuse | the word in any case
SELECT 1 InTo ouTFile '{OUT}/pwn.txt'
--- into-comments | refuse | comments as blanks
SELECT 1/**/INTO/**/OUTFILE/**/'{OUT}/pwn.txt'
--- into-lines | refuse | comments to the line's end as blanks
SELECT 1 -- x
INTO # y
OUTFILE '{OUT}/pwn.txt'
--- into-procedure-parameter | refuse | a name as target
SELECT 1 INTO guard_var
--- into-double-quotes | refuse | the name in double quotes
SELECT 1 INTO OUTFILE "{OUT}/pwn.txt"
--- into-hex-name | refuse | the name in another notation
SELECT 1 INTO OUTFILE 0x2f746d702f70776e
--- into-quoted-variable | refuse | a quoted variable
SELECT 1 INTO @`guard_var`
--- into-text-variable | refuse | a quoted variable
SELECT 1 INTO @'guard_var'
--- into-after-limit-param | refuse | with a placeholder | params: [1]
SELECT id FROM t LIMIT ? INTO OUTFILE '{OUT}/pwn.txt'
--- into-param-executable | refuse | a placeholder in an executable comment | params: ["x"]
SELECT ? /*!50000 INTO OUTFILE '{OUT}/pwn.txt' */
--- select-explain-into | refuse | EXPLAIN into a variable | only: mysql >=9
EXPLAIN FORMAT=JSON INTO @guard_var SELECT 1

--- comment-plain | refuse | without a version
SELECT 1 /*! INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-five | refuse | five digits | control: yes
SELECT 1 /*!50000 INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-six | refuse | six digits
SELECT 1 /*!050700 INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-glued | refuse | the word right behind the version | control: yes
SELECT 1/*!50000INTO*/ OUTFILE '{OUT}/pwn.txt'
--- comment-bare-glued | refuse | the word right behind the sign
SELECT 1/*!INTO*/OUTFILE'{OUT}/pwn.txt'
--- comment-two-parts | refuse | in two parts
SELECT 1 /*! INTO */ /*! OUTFILE */ '{OUT}/pwn.txt'
--- comment-name-inside | refuse | only the name is inside
SELECT 1 INTO OUTFILE /*! '{OUT}/pwn.txt' */
--- comment-maria | refuse | the comment that only MariaDB executes | only: mariadb | control: yes
SELECT 1 /*M! INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-maria-version | refuse | with a version | only: mariadb
SELECT 1 /*M!100000 INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-maria-glued | refuse | the word right behind the sign | only: mariadb
SELECT 1/*M!INTO OUTFILE '{OUT}/pwn.txt'*/
--- comment-maria-high | refuse | a version that MariaDB ten has | only: mariadb
SELECT 1 /*!100100 INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-mysql-range | allow | versions of MySQL that MariaDB skips
SELECT 1 /*!50701 INTO @guard_var */
--- comment-eight | allow | executed by one family, skipped by the other
SELECT 1 /*!80000 INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-future | allow | skipped by all
SELECT 1 /*!99999 INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-future-inner | refuse | a skipped comment with one inside: what is behind it may be outside
SELECT 1 /*!99999 /* */ INTO OUTFILE '{OUT}/pwn.txt' -- */
--- comment-nested-end | refuse | comments do not nest | control: yes
SELECT 1 /* /* */ INTO OUTFILE '{OUT}/pwn.txt' -- */
--- comment-read | refuse | an executable comment with an option
SELECT /*!40001 SQL_NO_CACHE */ * FROM t
--- comment-read-dump | refuse | an executable comment in the query of a dump tool
SELECT /*!40001 SQL_NO_CACHE */ `id`, `v` FROM `t`
--- comment-read-names | refuse | an executable comment with a column
SELECT /*!50000 id, */ v FROM t
--- comment-read-empty | refuse | an executable comment without content
SELECT id /*!*/ FROM t
--- comment-read-maria | refuse | an executable comment of MariaDB
SELECT id /*M! , v */ FROM t
--- comment-nested-executable | allow | an executable comment in a plain one is text
SELECT 1 /* /*! INTO @guard_var */
--- comment-plain-in-executable | refuse | a plain comment in an executable one
SELECT 1 /*! /* x */ INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-line-in-executable | refuse | a comment to the line's end in an executable one
SELECT 1 /*! -- x
INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-hash-in-executable | refuse | the end of the comment is in a comment
SELECT 1 /*! # */ INTO @x
INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-literal-in-executable | refuse | the end of the comment is in a literal
SELECT 1 /*! , '*/' INTO OUTFILE '{OUT}/pwn.txt' */
--- comment-literal-hides-end | refuse | a quote inside, and one outside
SELECT 1 /*! ' */ INTO OUTFILE '{OUT}/pwn.txt' -- '*/
--- comment-unclosed | refuse | without an end
SELECT 1 /*! INTO OUTFILE '{OUT}/pwn.txt'
--- comment-unclosed-plain | allow | a plain one without an end
SELECT 1 /* INTO OUTFILE '{OUT}/pwn.txt'
--- comment-first-word | refuse | the first word of the statement
/*!50000 DELETE */ FROM child
--- comment-select-then-delete | refuse | the rest belongs to another statement
/*!99999 SELECT */ DELETE FROM child
--- comment-explain | refuse | hides the kind of statement
EXPLAIN /*! ANALYZE */ DELETE FROM child
--- comment-in-name | refuse | right behind a name
SELECT id/*!*/INTO/*!*/@guard_var FROM t
--- comment-dashes-tab | refuse | a tab makes a comment; the line's end ends it
SELECT 1 --	INTO x
INTO OUTFILE '{OUT}/pwn.txt'
--- comment-dashes-digit | refuse | no comment: minus minus one | control: yes
SELECT 1--1 INTO OUTFILE '{OUT}/pwn.txt'
--- comment-dashes-word | refuse | no comment: minus minus a name
SELECT 1 --id INTO OUTFILE '{OUT}/pwn.txt'
--- comment-dashes-bracket | refuse | no comment
SELECT 1--(2) INTO OUTFILE '{OUT}/pwn.txt'
--- comment-dashes-comment | refuse | no comment, then one
SELECT 1--/**/1 INTO OUTFILE '{OUT}/pwn.txt'
--- comment-dashes-nbsp | allow | a blank of Unicode is none
SELECT 1-- 1 INTO OUTFILE '{OUT}/pwn.txt'
--- comment-dashes-newline | refuse | the comment ends at once
SELECT 1 --
INTO OUTFILE '{OUT}/pwn.txt'
--- comment-dashes-return | allow | a carriage return ends no line
SELECT 1 -- x\{r}INTO OUTFILE '{OUT}/pwn.txt'
--- comment-hash-return | allow | a carriage return ends no line
SELECT 1 # x\{r}INTO OUTFILE '{OUT}/pwn.txt'
--- comment-hash-line | refuse | ends at the line's end
SELECT 1 # comment
INTO OUTFILE '{OUT}/pwn.txt'
--- comment-hash-glued | refuse | needs no blank
SELECT 1#comment
INTO OUTFILE '{OUT}/pwn.txt'
--- comment-line-separator | allow | a line break of Unicode is none
SELECT 1 # x   INTO OUTFILE '{OUT}/pwn.txt'
--- comment-star | refuse | an end that looks like two
SELECT 1 /***/ INTO OUTFILE '{OUT}/pwn.txt' /***/
--- comment-slash | refuse | the shortest that is no comment's end
SELECT 1 /*/ INTO x /*/ */ INTO OUTFILE '{OUT}/pwn.txt'
--- comment-hint | refuse | a hint sets a variable | only: mysql
SELECT /*+ SET_VAR(sql_mode='ANSI_QUOTES') */ 1 INTO OUTFILE '{OUT}/pwn.txt'
--- comment-hint-alone | allow | a hint sets a variable for one statement | only: mysql
SELECT /*+ SET_VAR(sql_select_limit=100000) SET_VAR(max_execution_time=0) */ * FROM t
--- comment-hint-mode | allow | a hint sets how a function's text is read | only: mysql
SELECT /*+ SET_VAR(sql_mode='NO_BACKSLASH_ESCAPES') */ f_mode()
--- comment-hint-group | allow | a hint moves the thread | only: mysql
SELECT /*+ RESOURCE_GROUP(SYS_default) */ 1
--- comment-hint-hides | refuse | a hint at a place where it is a comment
SELECT 1 /*+ x */ INTO OUTFILE '{OUT}/pwn.txt'

--- glued-exponent | refuse | a number ends where it cannot go on | control: yes
SELECT 1e0INTO OUTFILE '{OUT}/pwn.txt'
--- glued-point | refuse | a number ends at its point | control: yes
SELECT 1.INTO OUTFILE '{OUT}/pwn.txt'
--- glued-fraction | refuse | a number without a first digit
SELECT.1INTO OUTFILE '{OUT}/pwn.txt'
--- glued-fraction-exponent | refuse | both
SELECT 1.5e3INTO OUTFILE '{OUT}/pwn.txt'
--- glued-exponent-sign | refuse | with a sign
SELECT 1e+1INTO OUTFILE '{OUT}/pwn.txt'
--- glued-literal | refuse | behind a literal
SELECT 'x'INTO OUTFILE'{OUT}/pwn.txt'
--- glued-double | refuse | behind double quotes
SELECT "x"INTO OUTFILE'{OUT}/pwn.txt'
--- glued-backtick | refuse | behind a name
SELECT`id`INTO OUTFILE'{OUT}/pwn.txt'FROM`t`
--- glued-bracket | refuse | behind a bracket
SELECT(1)INTO OUTFILE'{OUT}/pwn.txt'
--- glued-hex-text | refuse | behind a hexadecimal literal
SELECT x'41'INTO OUTFILE'{OUT}/pwn.txt'
--- glued-hex | allow | a name, or a number with a word behind it
SELECT 0x41INTO OUTFILE '{OUT}/pwn.txt'
--- glued-binary | allow | a name, or a number with a word behind it
SELECT 0b01INTO OUTFILE '{OUT}/pwn.txt'
--- glued-digit | allow | a name that begins with a digit
SELECT 1INTO OUTFILE '{OUT}/pwn.txt'
--- glued-star | refuse | behind a star
SELECT*FROM`t`INTO@guard_var
--- glued-variable | allow | a name that begins with a digit, behind a variable
SELECT@x:=1INTO@guard_var
--- glued-null | refuse | the other way to write NULL
SELECT \NINTO OUTFILE '{OUT}/pwn.txt'
--- glued-null-blank | refuse | the other way to write NULL
SELECT \N INTO OUTFILE '{OUT}/pwn.txt'
--- glued-parameter | refuse | behind a placeholder | params: [1]
SELECT ?INTO OUTFILE'{OUT}/pwn.txt'
--- glued-name-point | refuse | a point, then a word is a name; then INTO
SELECT t.id INTO@guard_var FROM t LIMIT 1
--- glued-for-update | refuse | behind a number
SELECT * FROM t WHERE id=1e0FOR UPDATE
--- glued-delete | refuse | behind a comment
/**/DELETE/**/FROM/**/child

--- literal-backslash | refuse | the backslash escapes the quote | control: yes
SELECT '\'' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-backslash-variable | refuse | the same, and the rest is a literal for who does not know it
SELECT '\'' INTO @guard_var -- '
--- literal-backslash-even | refuse | two backslashes escape nothing
SELECT '\\' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-backslash-hidden | allow | the literal goes on behind the quote
SELECT '\' INTO OUTFILE {OUT} -- '
--- literal-doubled | refuse | a doubled quote
SELECT '''' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-mixed | refuse | the other quote within
SELECT '"' INTO OUTFILE '{OUT}/pwn.txt' -- "
--- literal-mixed-double | refuse | the other quote within
SELECT "'" INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-backtick-quote | refuse | a quote within a name
SELECT 1 AS `'` INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-backtick-backslash | refuse | a backslash escapes no backtick | control: yes
SELECT 1 AS `\` INTO OUTFILE '{OUT}/pwn.txt' -- `
--- literal-backtick-doubled | refuse | a doubled backtick
SELECT 1 AS ```` INTO OUTFILE '{OUT}/pwn.txt'
--- literal-backtick-comment | refuse | a comment's start within a name
SELECT 1 AS `/*` INTO OUTFILE '{OUT}/pwn.txt' -- */
--- literal-comment | refuse | a comment's start within a literal
SELECT '/*' INTO OUTFILE '{OUT}/pwn.txt' -- */
--- literal-hash | refuse | a comment's start within a literal
SELECT '#' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-dashes | refuse | a comment's start within a literal
SELECT '-- ' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-comment-quote | refuse | a quote within a comment
SELECT 1 /* ' */ INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-hash-quote | refuse | a quote within a comment
SELECT 1 # '
INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-two | refuse | two that make one
SELECT 'a' 'b' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-newline | refuse | a line break within
SELECT '
' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-unclosed | refuse | without an end
SELECT 'x INTO OUTFILE
--- literal-introducer | refuse | a character set in front
SELECT _latin1'\'' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-introducer-multibyte | refuse | the backslash belongs to the text of the connection's character set
SELECT _gbk'뽜' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-introducer-sjis | refuse | a second byte that looks like a backslash
SELECT _sjis'表' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-introducer-binary | refuse | a character set in front
SELECT _binary'\\' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-national | refuse | N in front
SELECT N'\'' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-national-small | refuse | n in front
SELECT n'x'INTO OUTFILE'{OUT}/pwn.txt'
--- literal-hex | refuse | X in front
SELECT X'27' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-bits | refuse | b in front
SELECT b'01' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-date | refuse | a word in front
SELECT DATE'2024-01-01'INTO OUTFILE'{OUT}/pwn.txt'
--- literal-unicode-quote | refuse | quotes of Unicode are no quotes
SELECT 1 AS ’ INTO OUTFILE '{OUT}/pwn.txt' -- ’
--- literal-full-width | refuse | a quote of full width is none
SELECT 1 AS ＇ INTO OUTFILE '{OUT}/pwn.txt'
--- literal-emoji | refuse | characters of four bytes
SELECT '😀' AS `😀` INTO OUTFILE '{OUT}/pwn.txt'
--- literal-dollar | allow | the quotes of another database, or of a newer server
SELECT $$ ' $$ INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-dollar-tag | allow | with a tag
SELECT $a$ ' $a$ INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-dollar-name | allow | a name that begins with the sign
SELECT 1 AS $$, '$$' INTO OUTFILE '{OUT}/pwn.txt' -- $$
--- literal-dollar-inside | allow | a name that has it inside
SELECT 1 AS a$$ INTO OUTFILE '{OUT}/pwn.txt' -- a$$
--- literal-brackets | allow | brackets are nothing here
SELECT 1 AS [ ' ] INTO OUTFILE '{OUT}/pwn.txt' -- ' ]
--- literal-q | allow | the quotes of another database
SELECT q'[ ' ]' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-variable | refuse | a variable's name in quotes
SELECT @'a''b' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-variable-backtick | refuse | a variable's name in backticks
SELECT @`'` INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-variable-double | refuse | a variable's name in double quotes
SELECT @"'" INTO OUTFILE '{OUT}/pwn.txt' -- '
--- literal-account | allow | an account is no variable
SELECT CURRENT_USER@'x' INTO OUTFILE '{OUT}/pwn.txt'
--- literal-byte-order-mark | allow | a mark in front
﻿SELECT 1 INTO OUTFILE '{OUT}/pwn.txt'

--- ansi-quotes | refuse | double quotes hold a name, and a backslash escapes nothing in a name | mode: ANSI_QUOTES | control: yes
SELECT 1 AS "\" INTO OUTFILE '{OUT}/pwn.txt' -- "
--- ansi-quotes-single | refuse | the single quote as before | mode: ANSI_QUOTES
SELECT '\'' AS "'" INTO OUTFILE '{OUT}/pwn.txt' -- '
--- ansi-quotes-doubled | refuse | doubled as in any name | mode: ANSI_QUOTES
SELECT 1 AS """" INTO OUTFILE '{OUT}/pwn.txt' -- "
--- ansi-quotes-call | refuse | a name in quotes in front of a bracket | mode: ANSI_QUOTES | needs: library
SELECT "sys_exec"('x')
--- ansi-backslash | allow | the same in the mode without them
SELECT 1 AS "\" INTO OUTFILE {OUT} -- "
--- no-escapes | refuse | the literal ends at the first quote | mode: NO_BACKSLASH_ESCAPES | control: yes
SELECT '\' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- no-escapes-double | refuse | in double quotes too | mode: NO_BACKSLASH_ESCAPES
SELECT "\" INTO OUTFILE '{OUT}/pwn.txt' -- "
--- no-escapes-introducer | refuse | with a character set | mode: NO_BACKSLASH_ESCAPES
SELECT _utf8mb4'\' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- no-escapes-national | refuse | with N | mode: NO_BACKSLASH_ESCAPES
SELECT N'\' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- no-escapes-variable | refuse | a variable's name | mode: NO_BACKSLASH_ESCAPES
SELECT @'\' INTO OUTFILE '{OUT}/pwn.txt' -- '
--- no-escapes-comment | refuse | a literal in an executable comment | mode: NO_BACKSLASH_ESCAPES
SELECT 1 /*! , '\' INTO OUTFILE '{OUT}/pwn.txt' -- '
*/
--- both-modes | refuse | neither escapes | mode: ANSI_QUOTES,NO_BACKSLASH_ESCAPES
SELECT '\', 1 AS "\" INTO OUTFILE '{OUT}/pwn.txt' -- "'
--- both-modes-ansi | refuse | as a group of modes | mode: ANSI
SELECT 1 AS "\" INTO OUTFILE '{OUT}/pwn.txt' -- "
--- ignore-space | refuse | a blank before the bracket of a function | mode: IGNORE_SPACE
SELECT GET_LOCK ('guard-lock', 0)
--- ignore-space-udf | refuse | a blank before the bracket of a function | mode: IGNORE_SPACE | needs: library
SELECT sys_exec /**/ ('x')
--- pipes | refuse | changes what an operator means, nothing else | mode: PIPES_AS_CONCAT
SELECT 'a' || '\'' INTO OUTFILE '{OUT}/pwn.txt'
--- not-precedence | refuse | an operator | mode: HIGH_NOT_PRECEDENCE
SELECT NOT 1 INTO OUTFILE '{OUT}/pwn.txt'
--- mssql-brackets | refuse | brackets quote a name, and hide the quote | mode: MSSQL | only: mariadb | control: yes
SELECT 1 AS [ ' ] INTO OUTFILE '{OUT}/pwn.txt' -- ' ]
--- mssql-brackets-only | refuse | brackets quote a name | mode: MSSQL | only: mariadb
SELECT [id] FROM [t] INTO OUTFILE '{OUT}/pwn.txt'
--- mssql-brackets-comment | refuse | a comment's start in brackets | mode: MSSQL | only: mariadb
SELECT 1 AS [/*] INTO OUTFILE '{OUT}/pwn.txt' -- */
--- mssql-brackets-executable | refuse | in an executable comment | mode: MSSQL | only: mariadb
SELECT 1 /*! AS [*/] INTO OUTFILE '{OUT}/pwn.txt' */
--- mssql-brackets-call | refuse | a function's name in brackets | mode: MSSQL | only: mariadb | needs: library
SELECT [sys_exec]('x')
--- mssql-quotes | refuse | the mode has ANSI_QUOTES too | mode: MSSQL | only: mariadb
SELECT 1 AS "\" INTO OUTFILE '{OUT}/pwn.txt' -- "
--- oracle-read | refuse | a read in sql_mode ORACLE | mode: ORACLE | only: mariadb
SELECT id, 'a' || v FROM t WHERE ROWNUM() < 3
--- oracle-read-minus | refuse | a set operation of sql_mode ORACLE | mode: ORACLE | only: mariadb
SELECT id FROM t MINUS SELECT tid FROM child
--- oracle-read-show | refuse | a statement without a query in sql_mode ORACLE | mode: ORACLE | only: mariadb
SHOW TABLES
--- oracle-package | refuse | a function of a package, without its database | mode: ORACLE | only: mariadb
SELECT figures.total(1), figures.twice(id) FROM t
--- oracle-package-there | refuse | a function of a package | only: mariadb
SELECT guard.figures.total(1), guard.figures.twice(id) FROM t
--- oracle-stored | refuse | a stored function created with sql_mode ORACLE | only: mariadb
SELECT f_oracle(1)
--- oracle-quotes | refuse | the mode has ANSI_QUOTES too | mode: ORACLE | only: mariadb
SELECT 1 AS "\" INTO OUTFILE '{OUT}/pwn.txt' -- "
--- oracle-nextval | refuse | the sequence of the other grammar | mode: ORACLE | only: mariadb | control: yes
SELECT s.NEXTVAL
--- oracle-nextval-dual | refuse | from its table | mode: ORACLE | only: mariadb
SELECT guard.s.nextval FROM dual
--- oracle-exit | refuse | a statement of the other grammar | mode: ORACLE | only: mariadb
EXECUTE IMMEDIATE 'DELETE FROM child'
--- oracle-label | refuse | a label of the other grammar | mode: ORACLE | only: mariadb
<<a>> BEGIN DELETE FROM child; END
--- db2-mode | refuse | a mode of names alone | mode: DB2 | only: mariadb
SELECT 1 AS "\" INTO OUTFILE '{OUT}/pwn.txt' -- "
--- postgresql-mode | refuse | a mode of names alone | mode: POSTGRESQL | only: mariadb
SELECT 1 AS "\" INTO OUTFILE '{OUT}/pwn.txt' -- "

--- lock-for-update | refuse | locks rows | control: transaction
SELECT * FROM t FOR UPDATE
--- lock-for-share | refuse | locks rows | only: mysql
SELECT * FROM t FOR SHARE
--- lock-in-share-mode | refuse | locks rows | control: transaction
SELECT * FROM t LOCK IN SHARE MODE
--- lock-of | refuse | some of the tables | only: mysql
SELECT * FROM t JOIN child c ON c.tid = t.id FOR UPDATE OF t SKIP LOCKED
--- lock-nowait | refuse | without waiting
SELECT * FROM t FOR UPDATE NOWAIT
--- lock-wait | refuse | with a limit | only: mariadb
SELECT * FROM t FOR UPDATE WAIT 1
--- lock-skip | refuse | some of the rows
SELECT * FROM t FOR UPDATE SKIP LOCKED
--- lock-in-derived | refuse | in a derived table | control: transaction
SELECT * FROM (SELECT * FROM t FOR UPDATE) q
--- lock-in-derived-share | refuse | in a derived table
SELECT * FROM (SELECT * FROM t LOCK IN SHARE MODE) q
--- lock-in-subquery | refuse | in a subquery
SELECT * FROM child WHERE tid IN (SELECT id FROM t FOR UPDATE)
--- lock-in-exists | refuse | in a subquery
SELECT 1 WHERE EXISTS (SELECT * FROM t LOCK IN SHARE MODE)
--- lock-in-cte | refuse | in a common table expression
WITH x AS (SELECT * FROM t FOR UPDATE) SELECT * FROM x
--- lock-in-union | refuse | in a part of a union
(SELECT id FROM t FOR UPDATE) UNION (SELECT 1)
--- lock-after-union | refuse | at the end of a union
SELECT id FROM t UNION SELECT id FROM t FOR UPDATE
--- lock-in-brackets | refuse | brackets around all
((SELECT * FROM t LOCK IN SHARE MODE))
--- lock-comment | refuse | in an executable comment
SELECT * FROM t /*! FOR UPDATE */
--- lock-lateral | refuse | in a lateral table | only: mysql
SELECT * FROM t, LATERAL (SELECT * FROM child c WHERE c.tid = t.id FOR SHARE) q
--- lock-derived-outside | refuse | outside of a derived table | only: mysql
SELECT * FROM (SELECT id FROM t) q FOR SHARE
--- lock-view | refuse | over a view | only: mysql
SELECT * FROM v_plain FOR SHARE
--- lock-in-view | allow | in a view
SELECT * FROM v_share
--- lock-explain | refuse | EXPLAIN of it
EXPLAIN SELECT * FROM t FOR UPDATE
--- lock-values | refuse | in a table of values | only: mysql
TABLE t FOR UPDATE
--- lock-tables | refuse | a lock of the session
LOCK TABLES t READ
--- lock-tables-write | refuse | a lock of the session
LOCK TABLE child WRITE
--- unlock-tables | refuse | commits
UNLOCK TABLES
--- lock-instance | refuse | a lock of the server | only: mysql
LOCK INSTANCE FOR BACKUP
--- unlock-instance | refuse | a lock of the server | only: mysql
UNLOCK INSTANCE
--- backup-stage | refuse | a lock of the server | only: mariadb
BACKUP STAGE START
--- backup-lock | refuse | a lock of the server | only: mariadb
BACKUP LOCK t

--- fn-get-lock | refuse | a lock that outlives the transaction | control: yes
SELECT GET_LOCK('guard-lock', 0)
--- fn-get-lock-blank | refuse | a blank before the bracket
SELECT GET_LOCK ('guard-lock', 0)
--- fn-get-lock-lines | refuse | a line break before the bracket
SELECT GET_LOCK
('guard-lock', 0)
--- fn-get-lock-comment | refuse | a comment before the bracket
SELECT GET_LOCK/* x */('guard-lock', 0)
--- fn-geometry-large | refuse | a function over geometries of ten thousand points, which no time limit stops
SELECT ST_Distance(ST_LineFromWKB(CONCAT(x'010200000010270000', REPEAT(x'00000000000000000000000000000000000000000000F03F000000000000F03F', 5000))), ST_LineFromWKB(CONCAT(x'010200000010270000', REPEAT(x'00000000000014400000000000000000000000000000184000000000000000F03F', 5000))))
--- fn-geometry-param | refuse | a geometry of any size as a value | params: ["POINT(1 1)"]
SELECT ST_Distance(ST_GeomFromText(?), POINT(1, 1))
--- fn-geometry-recursive | refuse | a geometry that grows in each round
WITH RECURSIVE x AS (SELECT 1 AS n, ST_Buffer(POINT(0, 0), 1) AS g UNION ALL SELECT n + 1, g FROM x WHERE n < 5) SELECT COUNT(*) FROM x
--- fn-get-lock-executable | refuse | an executable comment before the bracket
SELECT GET_LOCK/*!*/('guard-lock', 0)
--- fn-get-lock-backticks | refuse | a name in backticks
SELECT `GET_LOCK`('guard-lock', 0)
--- fn-get-lock-case | refuse | small letters
select get_lock('guard-lock', 0)
--- fn-get-lock-where | refuse | in a condition
SELECT * FROM t WHERE GET_LOCK('guard-lock', 0) = 1
--- fn-get-lock-nested | refuse | as an argument
SELECT COALESCE(NULL, IF(1, GET_LOCK('guard-lock', 0), 2))
--- fn-get-lock-order | refuse | in the order
SELECT id FROM t ORDER BY GET_LOCK('guard-lock', 0)
--- fn-get-lock-having | refuse | in a group
SELECT v FROM t GROUP BY v HAVING GET_LOCK('guard-lock', 0)
--- fn-get-lock-limit | refuse | in a union
SELECT 1 UNION ALL SELECT GET_LOCK('guard-lock', 0)
--- fn-get-lock-cte | refuse | in a common table expression
WITH x AS (SELECT GET_LOCK('guard-lock', 0) AS a) SELECT a FROM x
--- fn-get-lock-json | refuse | as a value of JSON
SELECT JSON_OBJECT('a', GET_LOCK('guard-lock', 0))
--- fn-get-lock-json-table | refuse | as the document of a table
SELECT * FROM JSON_TABLE(CONCAT('[', GET_LOCK('guard-lock', 0), ']'), '$[*]' COLUMNS (a INT PATH '$')) j
--- fn-get-lock-window | refuse | in a window
SELECT SUM(GET_LOCK('guard-lock', 0)) OVER () FROM t
--- fn-get-lock-case-when | refuse | in a CASE
SELECT CASE WHEN 1 THEN GET_LOCK('guard-lock', 0) END
--- fn-get-lock-assign | refuse | assigned to a variable
SELECT @guard_var := GET_LOCK('guard-lock', 0)
--- fn-get-lock-values | refuse | in a row of values | only: mysql
VALUES ROW(GET_LOCK('guard-lock', 0))
--- fn-get-lock-values-maria | refuse | in a row of values | only: mariadb
VALUES (GET_LOCK('guard-lock', 0))
--- fn-get-lock-explain | refuse | EXPLAIN may evaluate what is constant
EXPLAIN SELECT GET_LOCK('guard-lock', 0)
--- fn-get-lock-show | refuse | in the condition of a SHOW
SHOW TABLES WHERE GET_LOCK('guard-lock', 0)
--- fn-get-lock-show-variables | refuse | in the condition of a SHOW
SHOW VARIABLES WHERE Variable_name = 'version' AND GET_LOCK('guard-lock', 0)
--- fn-get-lock-param | refuse | its name as a value | params: ["guard-lock"]
SELECT GET_LOCK(?, 0)
--- fn-release-lock | refuse | a lock of the session
SELECT RELEASE_LOCK('guard-lock')
--- fn-release-all | refuse | locks of the session
SELECT RELEASE_ALL_LOCKS()
--- fn-service-lock | refuse | the other kind of lock | only: mysql
SELECT service_get_write_locks('a', 'b', 0)
--- fn-last-insert-id | refuse | sets what it returns | control: yes
SELECT LAST_INSERT_ID(4711)
--- fn-last-insert-id-blank | refuse | with a blank
SELECT LAST_INSERT_ID ( 4711 )
--- fn-last-insert-id-column | refuse | of a column
SELECT LAST_INSERT_ID(id) FROM t
--- fn-last-insert-id-param | refuse | of a value | params: [4711]
SELECT LAST_INSERT_ID(?)
--- fn-load-file | refuse | a file of the server
SELECT LOAD_FILE('{OUT}/readable.txt')
--- fn-load-file-hex | refuse | the name in another notation
SELECT HEX(LOAD_FILE(0x2f6574632f686f73746e616d65))
--- fn-load-file-param | refuse | its name as a value | params: ["/etc/hostname"]
SELECT LOAD_FILE(?)
--- fn-load-file-qualified | refuse | in backticks, with a blank
SELECT `load_file` ('{OUT}/readable.txt')
--- fn-load-file-xml | refuse | inside another function
SELECT ExtractValue(LOAD_FILE('{OUT}/readable.txt'), '/a')
--- fn-load-file-update-xml | refuse | inside another function
SELECT UpdateXML('<a/>', '/a', LOAD_FILE('{OUT}/readable.txt'))
--- fn-sleep | refuse | holds the session
SELECT SLEEP(10)
--- fn-sleep-where | refuse | once for each row
SELECT * FROM t WHERE SLEEP(10)
--- fn-sleep-nested | refuse | in a subquery
SELECT (SELECT 1 FROM (SELECT SLEEP(10)) q)
--- fn-benchmark | refuse | works for nothing
SELECT BENCHMARK(1000000000, SHA2('x', 512))
--- fn-wait-gtid | refuse | waits for a replica | only: mysql
SELECT WAIT_FOR_EXECUTED_GTID_SET('3E11FA47-71CA-11E1-9E33-C80AA9429562:1-5', 1)
--- fn-wait-gtid-maria | refuse | waits for a replica | only: mariadb
SELECT MASTER_GTID_WAIT('0-1-1', 1)
--- fn-wait-position | refuse | waits for a replica
SELECT MASTER_POS_WAIT('x', 4, 1) | 1
--- fn-nextval | refuse | moves a sequence | only: mariadb | control: yes
SELECT NEXT VALUE FOR s
--- fn-nextval-function | refuse | moves a sequence | only: mariadb
SELECT NEXTVAL(s)
--- fn-nextval-blank | refuse | moves a sequence | only: mariadb
SELECT nextval /* x */ ( guard.s )
--- fn-nextval-nested | refuse | moves a sequence | only: mariadb
SELECT id, (SELECT NEXT VALUE FOR guard.s) FROM t
--- fn-setval | refuse | sets a sequence | only: mariadb | control: yes
SELECT SETVAL(s, 100)
--- fn-nextval-view | allow | in a view | only: mariadb
SELECT * FROM v_sequence
--- fn-nextval-stored | allow | in a stored function | only: mariadb
SELECT f_sequence()
--- fn-nextval-default | refuse | the default of a column | only: mariadb
SELECT DEFAULT(a) FROM t_next
--- fn-nextval-default-stored | refuse | ends the server: the default of a column, in a stored function | only: mariadb
SELECT f_next()
--- fn-nextval-default-view | refuse | ends the server: behind a view in a stored function | only: mariadb
SELECT f_next_view()
--- fn-ps-thread | allow | asks, and sets nothing | only: mysql
SELECT sys.ps_thread_id(CONNECTION_ID())
--- fn-sys-config | allow | sets a variable of the session | only: mysql
SELECT sys.sys_get_config('statement_truncate_len', 64)
--- fn-group-replication | refuse | server control | only: mysql
SELECT group_replication_switch_to_single_primary_mode()
--- fn-audit | refuse | what a plugin brings | only: mysql
SELECT audit_log_rotate()
--- fn-keyring | refuse | what a plugin brings | only: mysql
SELECT keyring_key_store('a', 'AES', 'x')
--- fn-version-tokens | refuse | what a plugin brings | only: mysql
SELECT version_tokens_set('a=b')
--- fn-unknown | refuse | nobody knows what it does
SELECT no_such_function(1)
--- fn-assign | allow | a variable of the session | control: yes
SELECT @guard_var := 1
--- fn-assign-nested | allow | a variable of the session
SELECT id, @guard_var := COALESCE(@guard_var, 0) + id FROM t
--- fn-encrypt | allow | works, and changes nothing
SELECT SHA2('x', 256), HEX(RANDOM_BYTES(4)) | 0
--- fn-uuid-short | refuse | moves a counter of the server
SELECT UUID_SHORT() > 0
--- fn-uuid-short-quoted | refuse | in backticks, with a blank
SELECT `uuid_short` ()
--- fn-crypt-rounds | refuse | as many rounds as the salt says, which nothing ends | only: mariadb
SELECT ENCRYPT('x', '$6$rounds=1000$saltsalt')
--- fn-crypt-cost | refuse | two to the power of the cost; with 31 it takes days | only: mariadb
SELECT `encrypt` ('x', '$2b$04$abcdefghijklmnopqrstuu')
--- fn-crypt-schema | refuse | behind the name that stands for the server's own | only: mariadb
SELECT mariadb_schema.encrypt('x', '$2b$04$abcdefghijklmnopqrstuu')
--- fn-kdf | refuse | two thousand million rounds, which nothing ends | only: mariadb
SELECT KDF('x', 'salt', 1000, 'pbkdf2_hmac')
--- fn-sformat-width | refuse | takes as much memory as it is told to | only: mariadb
SELECT LENGTH(SFORMAT('{:>99999999}', 'x'))
--- fn-sformat-value | refuse | a width that is a value | only: mariadb
SELECT LENGTH(SFORMAT('{:>{}}', 'x', 99999999))
--- fn-sformat-param | refuse | a format that is not seen | only: mariadb | params: ["{:>99999999}"]
SELECT LENGTH(SFORMAT(?, 'x'))
--- fn-schema-pattern | refuse | a pattern that goes back again and again, which nothing ends | only: mysql
SELECT JSON_SCHEMA_VALID('{"pattern": "^(a+)+$"}', '"aaaaaaaaaab"')
--- fn-schema-escaped | refuse | the word in an escape | only: mysql
SELECT JSON_SCHEMA_VALIDATION_REPORT('{"\\u0070attern": "^(a+)+$"}', '"aaaaaaaaaab"')
--- fn-schema-glued | refuse | two texts that are one | only: mysql
SELECT JSON_SCHEMA_VALID('{"pat' 'tern": "^(a+)+$"}', '"aaaaaaaaaab"')
--- fn-schema-column | refuse | a schema that is not seen | only: mysql
SELECT JSON_SCHEMA_VALID(j, j) FROM t
--- fn-xpath-column | refuse | can run for days, and no time limit stops it
SELECT ExtractValue(v, '/a') FROM t
--- fn-xpath-built | refuse | a text that is put together
SELECT EXTRACTVALUE(CONCAT('<a>', REPEAT('<b/>', 5000), '</a>'), '//b[count(//b[. != 2]) != 1]')
--- fn-xpath-short | refuse | conditions in conditions: three hundred characters are enough
SELECT extractvalue('<a><b/><b/><b/><b/><b/><b/><b/><b/><b/><b/></a>', '//b[count(//b[count(//b[count(//b[count(//b[count(//b[count(//b[count(//b)!=0])!=0])!=0])!=0])!=0])!=0])!=0]')
--- fn-xpath-param | refuse | a value | params: ["//b"]
SELECT ExtractValue('<a/>', ?)
--- fn-xpath-quoted | refuse | in backticks
SELECT `UpdateXML` ('<a/>', '/a', v) FROM t
--- fn-xpath-schema | refuse | behind the name that stands for the server's own | only: mariadb
SELECT mariadb_schema.extractvalue(v, '/a') FROM t
--- show-engine-status | refuse | restarts its averages
SHOW ENGINE INNODB STATUS
--- show-engine-status-alias | refuse | the name that InnoDB once had
SHOW ENGINE innobase STATUS
--- show-engine-status-all | refuse | InnoDB is one of them
SHOW ENGINE ALL STATUS
--- show-engine-status-text | refuse | the name as a text
SHOW ENGINE 'InnoDB' STATUS
--- buffer-pool-stats | refuse | restarts its averages
SELECT PAGES_CREATE_RATE FROM information_schema.INNODB_BUFFER_POOL_STATS
--- fn-procedure-analyse | allow | an old report | only: mariadb
SELECT id, v FROM t PROCEDURE ANALYSE(10, 2000)
--- fn-found-rows | allow | of the session
SELECT FOUND_ROWS(), ROW_COUNT()

--- stored-write | allow | writes | control: yes
SELECT f_write()
--- stored-insert | allow | writes, with a trigger | control: yes
SELECT f_insert()
--- stored-write-where | allow | writes, from a condition
SELECT * FROM t WHERE f_write() = 1
--- stored-write-qualified | allow | of another database
SELECT guard2.f_far_write()
--- stored-write-backticks | allow | quoted
SELECT `guard`.`f_write` ()
--- stored-myisam | allow | writes where there is no transaction | control: yes
SELECT f_write_myisam()
--- stored-flip | allow | turns the guard's flag off
SELECT f_flip()
--- stored-flip-then-write | allow | both at once
SELECT f_flip(), f_write()
--- stored-flip-union | allow | both at once
SELECT f_flip() UNION ALL SELECT f_write()
--- stored-flip-inside | allow | both in one
SELECT f_flip_write()
--- stored-flip-myisam | allow | both in one, where there is no transaction
SELECT f_flip_myisam()
--- stored-flip-twice | allow | both, in two functions
SELECT f_flip(), f_write_myisam()
--- stored-mode | allow | changes how later statements are read
SELECT f_mode()
--- stored-checks | allow | variables of the session
SELECT f_checks()
--- stored-limits | allow | limits of the session
SELECT f_limits()
--- stored-charset | allow | changes how later statements are read
SELECT f_charset()
--- stored-zone | allow | the zone of the session
SELECT f_zone()
--- stored-variable | allow | a variable of the session | control: yes
SELECT f_variable()
--- stored-lock | allow | a lock of the session | control: yes
SELECT f_lock()
--- stored-rows | allow | locks rows
SELECT f_rows()
--- stored-share | allow | locks rows | control: transaction
SELECT f_share()
--- stored-last | allow | sets what LAST_INSERT_ID returns
SELECT f_last()
--- stored-temporary | allow | a temporary table | control: yes
SELECT f_temporary()
--- stored-global | refuse | a variable of the server, which no transaction stops | as: superuser owner | control: yes
SELECT f_global()
--- stored-role | refuse | the role of the session, which nothing takes back; behind a comma | only: mariadb
SELECT f_role()
--- stored-skip | refuse | a setting of replication that needs no GLOBAL | only: mariadb | as: superuser | control: yes
SELECT f_global_skip()
--- stored-calls | allow | a procedure that writes
SELECT f_calls()
--- stored-in-show | allow | from the condition of a SHOW
SHOW TABLES WHERE f_write() = 1
--- stored-in-explain | allow | from a constant of EXPLAIN
EXPLAIN SELECT * FROM t WHERE id = f_write()
--- view-write | allow | a view that calls it | control: yes
SELECT * FROM v_write
--- view-flip | allow | a view that calls it
SELECT * FROM v_flip, v_write
--- view-lock | allow | a view that takes a lock
SELECT * FROM v_lock
--- view-last | allow | a view that sets LAST_INSERT_ID
SELECT * FROM v_last

--- native-direct | refuse | no transaction can stop it | needs: library | control: yes
SELECT sys_exec('x')
--- native-unnamed | refuse | its name says nothing | needs: library
SELECT size_label('x')
--- native-aggregate | refuse | as an aggregate | needs: library | control: yes
SELECT total_label(id) FROM t
--- native-blank | refuse | with a blank | needs: library
SELECT size_label ('x')
--- native-backticks | refuse | quoted | needs: library
SELECT `size_label`('x')
--- native-nested | refuse | as an argument | needs: library
SELECT CONCAT('a', size_label('x'))
--- native-where | refuse | in a condition | needs: library
SELECT * FROM t WHERE size_label(v) = 0
--- native-explain | refuse | a constant of EXPLAIN | needs: library
EXPLAIN SELECT * FROM t WHERE id = size_label('x')
--- native-show | refuse | in the condition of a SHOW | needs: library
SHOW STATUS WHERE size_label('x') = 1
--- native-describe | refuse | DESCRIBE of a query | needs: library
DESCRIBE SELECT size_label('x')
--- native-view | refuse | in a view | needs: library
SELECT * FROM v_native
--- native-view-far | refuse | in a view of a view | needs: library
SELECT a FROM v_native_far
--- native-view-total | refuse | an aggregate in a view | needs: library
SELECT * FROM v_native_total
--- native-view-where | refuse | in the condition of a view | needs: library
SELECT COUNT(*) FROM v_native_where
--- native-view-joined | refuse | one of several tables | needs: library
SELECT t.id FROM t LEFT JOIN guard.v_native n ON n.a = t.id
--- native-view-comma | refuse | one of several tables | needs: library
SELECT 1 FROM t, `v_native`
--- native-view-brackets | refuse | in brackets | needs: library
SELECT 1 FROM (t, (v_native))
--- native-view-subquery | refuse | in a subquery | needs: library
SELECT (SELECT a FROM v_native)
--- native-view-cte | refuse | in a common table expression | needs: library
WITH x AS (SELECT * FROM v_native) SELECT * FROM x
--- native-view-cte-name | refuse | a common table expression of the same name reads the view | needs: library
WITH v_native AS (SELECT * FROM v_native) SELECT * FROM v_native
--- native-view-there | refuse | of another database | needs: library | as: superuser owner
SELECT * FROM guard2.v_native_there
--- native-view-table | refuse | by TABLE | needs: library | only: mysql
TABLE v_native
--- native-view-explain | refuse | a derived table may run for a plan | needs: library
EXPLAIN SELECT * FROM v_native
--- native-view-case | refuse | in other letters, where names are folded; else there is none | needs: library
SELECT * FROM `v_native` AS a JOIN `v_native` AS b
--- native-view-function | refuse | a view over a function over a function | needs: library
SELECT * FROM v_native_function
--- native-stored | refuse | in a stored function | needs: library
SELECT f_native()
--- native-stored-far | refuse | in a function of a function | needs: library | control: yes
SELECT f_native_far()
--- native-stored-body | refuse | in the body of a function | needs: library
SELECT f_native_body()
--- native-stored-view | refuse | in a function that reads a view | needs: library
SELECT f_native_view()
--- native-stored-hidden | refuse | in a body that reads otherwise when its literals are unescaped | needs: library | control: yes
SELECT f_native_hidden()
--- native-view-hidden | refuse | behind a literal with a backslash | needs: library | control: yes
SELECT * FROM v_native_hidden
--- native-stored-there | refuse | of another database | needs: library
SELECT guard2.f_native_there()
--- native-stored-backticks | refuse | quoted | needs: library
SELECT `guard` . `f_native` ()

--- native-view-behind-order | refuse | behind the hint of an index for the order | needs: library | control: yes
SELECT * FROM t USE INDEX FOR ORDER BY (by_v), v_native
--- native-view-behind-group | refuse | behind the hint of an index for groups | needs: library
SELECT t.id FROM t IGNORE KEY FOR GROUP BY (by_v), guard.v_native
--- native-view-behind-join | refuse | behind the hint of an index for joins | needs: library
SELECT t.id FROM t FORCE INDEX FOR JOIN (by_v), v_native
--- native-view-braces | refuse | braces take any word, on MariaDB | needs: library
SELECT * FROM { any v_native }
--- native-view-braces-list | refuse | braces in a list | needs: library
SELECT * FROM t, { `OJ` v_native }
--- native-view-odbc | refuse | in the escape of ODBC | needs: library | control: yes
SELECT * FROM { OJ t LEFT JOIN v_native ON v_native.a = t.id }
--- native-view-oj | refuse | named like the word of ODBC | needs: library | control: yes
SELECT * FROM oj
--- native-view-oj-joined | refuse | named like the word of ODBC | needs: library
SELECT * FROM t JOIN oj
--- native-view-lateral | refuse | named like a word of another server | needs: library | only: mariadb | control: yes
SELECT * FROM lateral
--- native-view-lateral-list | refuse | named like a word of another server | needs: library | only: mariadb
SELECT * FROM t, (lateral)
--- native-view-gbk | refuse | a view that runs otherwise than it reads | needs: library | only: mysql | control: yes
SELECT * FROM v_native_gbk
--- native-view-foreign | refuse | a text of another character set, which is read in that of the view | needs: library | control: yes
SELECT * FROM v_native_foreign
--- native-view-signs | refuse | a text of a character set that has other bytes for the signs of ASCII | needs: library | control: yes
SELECT * FROM v_native_signs
--- native-stored-sjis | refuse | a letter that is shown as a backslash | needs: library | control: yes
SELECT f_native_sjis()
--- native-stored-gbk | refuse | half a character, and the quote behind it is not shown | needs: library | only: mysql | control: yes
SELECT f_native_gbk()
--- native-column | refuse | a column that is computed when it is read | needs: library | only: mariadb | control: yes
SELECT * FROM t_native
--- native-column-again | refuse | once more: the table is not known to be harmless | needs: library | only: mariadb
SELECT b FROM t_native
--- native-column-view | refuse | behind a view | needs: library | only: mariadb | control: yes
SELECT * FROM v_native_column
--- native-default-plain | allow | the default is not asked for | needs: library | only: mariadb
SELECT * FROM t_native_default
--- native-default | refuse | the default of a column, asked for | needs: library | only: mariadb | control: yes
SELECT DEFAULT(b) FROM t_native_default
--- native-default-blank | refuse | with a blank, in a condition | needs: library | only: mariadb | control: yes
SELECT 1 FROM t_native_default q WHERE DEFAULT (q.b) = 0
--- native-default-view | refuse | behind a view, beside the table itself | needs: library | only: mariadb | control: yes
SELECT v.b FROM t_native_default t, v_native_default v
--- native-package-order | refuse | a function of the database, although the package has one of this name | needs: library | only: mariadb | control: yes
SELECT guard.native_order.one()
--- native-named | refuse | named like a function that other servers have | needs: library | control: yes
SELECT uuid_v7('x')
--- native-named-blank | refuse | with a blank | needs: library
SELECT UUID_V7 ('x')
--- native-named-quoted | refuse | in quotes | needs: library
SELECT `uuid_v7`('x')
--- native-named-explain | refuse | in a plan | needs: library
EXPLAIN SELECT * FROM t WHERE id = uuid_v7('x')
--- native-stored-accent | refuse | named almost like one that is built in | needs: library | control: yes
SELECT ábs(1)
--- native-stored-accent-quoted | refuse | in quotes | needs: library
SELECT guard.`ábs`(1)
--- native-stored-dotless | refuse | a word only in the capitals of another language | needs: library | control: yes
SELECT ın(1)
--- native-stored-schema | refuse | found in the database that EXPLAIN names | needs: library | only: mysql >=8.3
EXPLAIN FOR SCHEMA guard2 SELECT f_native_there()
--- native-stored-column | refuse | behind a column that is named function | needs: library | only: mariadb | control: yes
SELECT f_native_column()
--- native-stored-swe7 | refuse | letters where others have the backslash | needs: library | only: mariadb | control: yes
SELECT f_native_swe7()
--- native-stored-label | refuse | a procedure behind a label | needs: library | only: mariadb | control: yes
SELECT f_native_label()
--- native-stored-handler | refuse | a procedure as a handler | needs: library | only: mariadb | control: yes
SELECT f_native_handler()
--- native-package | refuse | where a package begins | needs: library | only: mariadb
SELECT native_figures.one()
--- native-package-there | refuse | with its database | needs: library | only: mariadb | control: yes
SELECT guard.native_figures.one()

--- native-twin | refuse | a native function goes before the stored one of its name | needs: library | control: yes
SELECT twin_label('x')
--- native-twin-quoted | refuse | in quotes, with a blank | needs: library
SELECT `twin_label` ('x')
--- native-twin-stored | refuse | in a stored function | needs: library | control: yes
SELECT f_native_twin()
--- native-twin-view | refuse | in a view | needs: library | control: yes
SELECT * FROM v_native_twin
--- native-twin-package | refuse | a package has a function of its own that is called so | needs: library | only: mariadb | control: yes
SELECT guard.native_twins.one()
--- native-blank-window | refuse | to MariaDB it is a plain name with a blank | needs: library | only: mariadb | control: yes
SELECT rank ('x')
--- native-blank-median | refuse | a plain name with a blank, or on servers without it | needs: library | control: yes
SELECT median ('x')
--- native-blank-replace | refuse | a word of the grammar is a name behind a point with a blank | needs: library | only: mariadb | control: yes
SELECT guard . replace ('x')
--- native-comment-count | refuse | a comment makes a plain name of it, in every mode | needs: library | control: yes
SELECT count/**/('x')
--- native-comment-count-mode | refuse | where blanks do not count, comments do | needs: library | mode: IGNORE_SPACE | control: yes
SELECT count/**/('x')
--- native-comment-count-line | refuse | where blanks do not count, comments do | needs: library | mode: IGNORE_SPACE | control: yes
SELECT count -- x
('x')
--- native-oracle-elseif | refuse | a free word in the other grammar | needs: library | only: mariadb | mode: ORACLE | control: yes
SELECT elseif('x')
--- native-oracle-elseif-view | refuse | a free word in the other grammar | needs: library | only: mariadb | mode: ORACLE | control: yes
SELECT * FROM t, elseif
--- native-view-wide | refuse | a character that MySQL takes for a question mark | needs: library | only: mysql
SELECT * FROM `v_native_😀`
--- native-view-wide-bare | refuse | the same without quotes, which older servers take | needs: library | only: mysql
SELECT * FROM v_native_😀

--- reset-cmp | refuse | counts anew when it is read
SELECT * FROM information_schema.INNODB_CMP_RESET
--- reset-cmpmem | refuse | counts anew when it is read, in other letters and quotes
SELECT (SELECT COUNT(*) FROM `Information_Schema`.`innodb_cmpmem_reset`)
--- reset-cmp-folded | refuse | the server compares the name without the dot of the letter | input: yes
SELECT * FROM information_schema.İnnodb_cmp_reset
--- reset-cmp-long-s | refuse | the same for a letter that is another one in capitals | input: yes
SELECT * FROM information_schema.`INNODB_CMPMEM_REſET`
--- reset-cmp-index | refuse | counts anew when it is read
WITH x AS (SELECT * FROM information_schema.innodb_cmp_per_index_reset) SELECT * FROM x
--- reset-view | refuse | in a view
SELECT * FROM v_reset

--- kill | refuse | ends a session | control: yes
KILL {VICTIM}
--- kill-connection | refuse | ends a session
KILL CONNECTION {VICTIM}
--- kill-query | refuse | ends a statement
KILL QUERY {VICTIM}
--- kill-hard | refuse | ends a session | only: mariadb
KILL HARD CONNECTION {VICTIM}
--- kill-user | refuse | ends sessions | only: mariadb
KILL USER nobody
--- shutdown | refuse | stops the server
SHUTDOWN
--- shutdown-wait | refuse | stops the server | only: mariadb
SHUTDOWN WAIT FOR ALL SLAVES
--- restart | refuse | stops the server | only: mysql
RESTART
--- flush-tables | refuse | server control
FLUSH TABLES
--- flush-read-lock | refuse | a lock of the server
FLUSH TABLES WITH READ LOCK
--- flush-export | refuse | a lock of tables
FLUSH TABLES t FOR EXPORT
--- flush-privileges | refuse | server control
FLUSH PRIVILEGES
--- flush-logs | refuse | server control
FLUSH LOGS
--- flush-status | refuse | server control
FLUSH STATUS
--- flush-local | refuse | server control
FLUSH NO_WRITE_TO_BINLOG TABLES
--- purge | refuse | server control
PURGE BINARY LOGS BEFORE '2020-01-01'
--- reset-master | refuse | server control
RESET MASTER
--- reset-logs | refuse | server control | only: mysql >=8.4
RESET BINARY LOGS AND GTIDS
--- reset-query-cache | refuse | server control | only: mariadb
RESET QUERY CACHE
--- reset-replica | refuse | server control
RESET SLAVE ALL
--- change-master | refuse | server control
CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1
--- change-source | refuse | server control | only: mysql | control: yes
CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = 1
--- change-filter | refuse | server control | only: mysql
CHANGE REPLICATION FILTER REPLICATE_DO_DB = (guard)
--- start-replica | refuse | server control
START SLAVE
--- stop-replica | refuse | server control | only: mysql
STOP REPLICA
--- start-group-replication | refuse | server control | only: mysql
START GROUP_REPLICATION
--- binlog | refuse | events of a log
BINLOG 'AAAA'
--- install-plugin | refuse | native code
INSTALL PLUGIN pwn SONAME 'guard_probe.so'
--- install-soname | refuse | native code | only: mariadb
INSTALL SONAME 'guard_probe'
--- uninstall-plugin | refuse | native code
UNINSTALL PLUGIN pwn
--- install-component | refuse | native code | only: mysql
INSTALL COMPONENT 'file://component_reference_cache'
--- uninstall-component | refuse | native code | only: mysql
UNINSTALL COMPONENT 'file://component_reference_cache'
--- clone-local | refuse | a copy of all data | only: mysql
CLONE LOCAL DATA DIRECTORY = '{OUT}/clone'
--- clone-instance | refuse | replaces all data | only: mysql
CLONE INSTANCE FROM 'x'@'127.0.0.1':1 IDENTIFIED BY 'x'
--- cache-index | refuse | server control
CACHE INDEX tm IN default
--- analyze-table | refuse | writes statistics
ANALYZE TABLE t
--- analyze-local | refuse | writes statistics
ANALYZE LOCAL TABLE t
--- analyze-histogram | refuse | writes statistics | only: mysql
ANALYZE TABLE t UPDATE HISTOGRAM ON v
--- analyze-persistent | refuse | writes statistics | only: mariadb
ANALYZE TABLE t PERSISTENT FOR ALL
--- check-table | refuse | may mark a table
CHECK TABLE tm
--- check-view | refuse | with an upgrade | only: mariadb
CHECK VIEW v_plain FOR UPGRADE
--- checksum-table | allow | only reads
CHECKSUM TABLE t
--- optimize-table | refuse | builds the table anew
OPTIMIZE TABLE t
--- repair-table | refuse | builds the table anew
REPAIR TABLE tm
--- help-injection | refuse | a second statement behind HELP | input: yes
HELP 'x'; DELETE FROM child

--- explain-delete | refuse | of a write
EXPLAIN DELETE FROM child
--- explain-insert | refuse | of a write
EXPLAIN INSERT INTO child VALUES (9, 1)
--- explain-replace | refuse | of a write
EXPLAIN REPLACE INTO child VALUES (1, 2)
--- explain-update | refuse | of a write
EXPLAIN FORMAT=JSON UPDATE child SET tid = 1
--- explain-extended-delete | refuse | of a write | only: mariadb
EXPLAIN EXTENDED DELETE FROM child
--- explain-with-delete | refuse | of a write | only: mysql
EXPLAIN WITH x AS (SELECT 1 AS id) DELETE FROM child WHERE id IN (SELECT id FROM x)
--- explain-analyze-delete | refuse | runs it, where the server can | only: mysql
EXPLAIN ANALYZE DELETE c FROM child c JOIN t ON t.id = c.tid
--- explain-outfile | refuse | of a query that writes
EXPLAIN SELECT 1 INTO OUTFILE '{OUT}/pwn.txt'
--- explain-analyze-outfile | refuse | of a query that writes | only: mysql
EXPLAIN ANALYZE SELECT id FROM t INTO OUTFILE '{OUT}/pwn.txt'
--- explain-connection | refuse | what others run | only: mysql
EXPLAIN FOR CONNECTION {VICTIM}
--- explain-connection-json | refuse | what others run | only: mysql
EXPLAIN FORMAT=JSON FOR CONNECTION {VICTIM}
--- explain-connection-maria | refuse | what others run | only: mariadb
EXPLAIN FOR CONNECTION {VICTIM}
--- describe-delete | refuse | the other word
DESCRIBE DELETE FROM child
--- desc-update | refuse | the other word
DESC UPDATE child SET tid = 1
--- explain-fourth-word | refuse | a verb that may also name a table
EXPLAIN IMPORT TABLE FROM 'x'
--- explain-for-schema | refuse | names of another database, then a write | only: mysql >=8.3
EXPLAIN FOR SCHEMA guard DELETE FROM child
--- analyze-delete | refuse | runs it | only: mariadb | control: yes
ANALYZE DELETE FROM child
--- analyze-update | refuse | runs it | only: mariadb
ANALYZE FORMAT=JSON UPDATE child SET tid = 3
--- analyze-insert | refuse | runs it | only: mariadb
ANALYZE INSERT INTO child VALUES (9, 1)
--- analyze-outfile | refuse | runs it | only: mariadb
ANALYZE SELECT 1 INTO OUTFILE '{OUT}/pwn.txt'
--- analyze-lock | refuse | runs it | only: mariadb
ANALYZE SELECT GET_LOCK('guard-lock', 0)
--- analyze-stored | allow | runs it | only: mariadb
ANALYZE FORMAT=JSON SELECT * FROM t WHERE id = f_write()
--- explain-analyze-stored | allow | runs it | only: mysql
EXPLAIN ANALYZE SELECT * FROM t WHERE id = f_write()
--- explain-analyze-native | refuse | runs it | only: mysql | needs: library
EXPLAIN ANALYZE SELECT size_label(v) FROM t
--- explain-call | refuse | a procedure
EXPLAIN CALL p_write()
--- explain-table-write | refuse | a write that begins otherwise | only: mariadb
EXPLAIN FORMAT=JSON INSERT INTO child SELECT id + 100, 1 FROM t
--- show-explain | allow | what others run | only: mariadb
SHOW EXPLAIN FOR {VICTIM}

--- param-outfile | allow | a value stays a value | params: ["x' INTO OUTFILE '{OUT}/pwn.txt"]
SELECT ?
--- param-quotes | allow | a value stays a value | params: ["\\'; DROP TABLE child; -- "]
SELECT ?, '?'
--- param-write | refuse | placeholders in a write | params: [1]
DELETE FROM child WHERE id = ?
--- param-second | refuse | a second statement behind a placeholder | params: [1] | input: yes
SELECT ?; DELETE FROM child
--- param-call | refuse | a procedure with any text | params: ["DELETE FROM child"]
CALL p_dynamic(?)
--- param-execute | refuse | text as a statement | params: ["DELETE FROM child"] | only: mariadb
EXECUTE IMMEDIATE ?
--- param-variable | allow | the variables that carry the values | params: [1]
SELECT @dbmole_sql, @dbmole_1 := 2, ?
--- param-backslash | refuse | a placeholder in a literal is none | params: [1]
SELECT '\\?' INTO OUTFILE '{OUT}/pwn.txt' -- ?

--- empty-comment | refuse | only a comment | input: yes
/* nothing */
--- empty-hash | refuse | only a comment | input: yes
# nothing
--- empty-semicolon | refuse | only a semicolon | input: yes
;
--- empty-brackets | refuse | only brackets | input: yes
()
--- unknown-word | refuse | no statement that anyone knows
FROBNICATE t
--- number-first | refuse | no statement
1
--- literal-first | refuse | no statement
'SELECT 1'
--- select-in-quotes | refuse | a word in quotes is none
`SELECT` 1
--- parser-brackets | refuse | more ends than beginnings
SELECT 1) INTO OUTFILE '{OUT}/pwn.txt'
--- values-row | refuse | a row of calls | only: mysql
VALUES ROW(f_lock())
--- values-maria | refuse | a row of calls | only: mariadb
VALUES (f_lock())
--- table-order | refuse | the order of TABLE | only: mysql
TABLE t ORDER BY f_lock()
--- table-view | refuse | TABLE reads a view | only: mysql
TABLE v_lock
--- table-any | refuse | TABLE in a comparison | only: mysql
SELECT 1 = ANY (TABLE v_lock)
--- table-derived | refuse | TABLE as a derived table | only: mysql
SELECT * FROM (TABLE v_lock) q
--- window-list | refuse | a query in the second of two windows
SELECT ROW_NUMBER() OVER w FROM t WINDOW w AS (ORDER BY id), x AS (PARTITION BY (SELECT a FROM v_lock))
--- lateral-view | refuse | a view within LATERAL | only: mysql
SELECT * FROM t LEFT JOIN LATERAL (SELECT * FROM v_lock) q ON TRUE
--- json-table-view | refuse | the document is that of a view
SELECT * FROM JSON_TABLE((SELECT CONCAT('[', a, ']') FROM v_lock), '$[*]' COLUMNS (a INT PATH '$')) q
--- json-table-comma | refuse | a comma behind a table function
SELECT * FROM JSON_TABLE('[1]', '$[*]' COLUMNS (a INT PATH '$')) q, v_lock
--- explain-schema | refuse | EXPLAIN in another database runs what it plans for | only: mysql >=9
EXPLAIN FORMAT=TREE FOR DATABASE guard SELECT * FROM v_lock
--- explain-into-late | refuse | INTO in front of a schema | only: mysql >=9
EXPLAIN FORMAT=JSON INTO @guard_var FOR SCHEMA guard SELECT 1
--- explain-parens | refuse | brackets around the query
EXPLAIN (SELECT f_lock())
--- analyze-parens | refuse | brackets around the query | only: mariadb
ANALYZE (SELECT * FROM v_lock)
--- show-open | refuse | a query in the condition of SHOW
SHOW OPEN TABLES WHERE (SELECT a FROM v_lock)
--- show-table | refuse | TABLE in the condition of SHOW | only: mysql
SHOW TABLES WHERE 1 IN (TABLE v_lock)
--- show-library | refuse | a call in the condition of SHOW | only: mysql >=9.2
SHOW LIBRARY STATUS WHERE f_lock() > -1
--- hint-list-for | refuse | a comma behind hints of indexes
SELECT * FROM t USE INDEX FOR GROUP BY (by_v) IGNORE INDEX FOR ORDER BY (by_v), v_lock
--- sample | refuse | a comma behind a sample | only: mysql >=9
SELECT * FROM t TABLESAMPLE BERNOULLI (10), v_lock
--- odbc-list | refuse | a comma behind braces
SELECT * FROM { oj t LEFT OUTER JOIN child ON 1 }, v_lock
--- deep | refuse | brackets in brackets
SELECT * FROM (((t, child), v_lock))
--- leading-dot | refuse | a point in front
SELECT * FROM .v_lock
--- alias-keyword-limit | refuse | an alias that reads like a clause
SELECT 1 FROM t `limit`, v_lock
--- on-function | refuse | a comma behind a condition with commas
SELECT 1 FROM t JOIN child ON IF(t.id, child.id, 1), v_lock
--- cte-scope | refuse | the name ends with its brackets
(WITH v_lock AS (SELECT 1 AS a) SELECT a FROM v_lock) UNION SELECT a FROM v_lock
--- cte-scope-derived | refuse | the name ends with its derived table
SELECT * FROM (WITH v_lock AS (SELECT 1 AS a) SELECT a FROM v_lock) q, v_lock
--- cte-nested-shadow | refuse | the name ends with the inner WITH
WITH q AS (WITH v_lock AS (SELECT 1 AS a) SELECT a FROM v_lock) SELECT * FROM q, v_lock
--- cte-columns | refuse | its own query means the view
WITH v_lock (b) AS (SELECT a FROM v_lock) SELECT b FROM v_lock
--- cte-recursive-first | refuse | an earlier query of the WITH means the view
WITH RECURSIVE q AS (SELECT a FROM v_lock), v_lock AS (SELECT 1 AS a) SELECT * FROM q
--- cte-case | refuse | the name in other letters
WITH V_LOCK AS (SELECT 1 AS a) SELECT * FROM v_lock
--- cte-order | refuse | behind a database it is the view
WITH v_lock AS (SELECT 1 AS a) SELECT 1 FROM t ORDER BY (SELECT a FROM guard.v_lock)
--- cte-in-in | refuse | a WITH within IN
SELECT 1 WHERE 1 IN (WITH x AS (SELECT 1) SELECT a FROM v_lock)
--- versioned-from | refuse | FROM within the period of a table | only: mariadb
SELECT * FROM t FOR SYSTEM_TIME FROM '2000-01-01' TO NOW(), v_lock
--- versioned-between | refuse | a call in the period | only: mariadb
SELECT * FROM t FOR SYSTEM_TIME BETWEEN '2000-01-01' AND f_lock()
--- versioned-as | refuse | a query in the period | only: mariadb
SELECT * FROM t FOR SYSTEM_TIME AS OF (SELECT a FROM v_lock)
--- seq-hidden | refuse | the middle word is in a comment | only: mariadb
SELECT NEXT /*!50000 VALUE */ FOR s
--- seq-schema | refuse | behind the name that stands for the server | only: mariadb
SELECT mariadb_schema.nextval(s)
--- seq-default | refuse | a default of a derived table beside a view | only: mariadb
SELECT DEFAULT(a) FROM (SELECT 1 AS a) q, v_lock
--- fetch-first | refuse | a call in front of FETCH | only: mariadb
SELECT id FROM t ORDER BY f_lock() OFFSET 0 ROWS FETCH FIRST 1 ROWS ONLY
--- into-except | refuse | behind EXCEPT
SELECT 1 EXCEPT SELECT 2 INTO @guard_var
--- into-with-table | refuse | behind WITH and TABLE | only: mysql
WITH x AS (SELECT 1) TABLE t LIMIT 1 INTO OUTFILE '{OUT}/pwn'
--- into-bin | refuse | right behind a literal
SELECT b'1'INTO @guard_var
--- comment-slash-star | refuse | an end and a beginning that share a star
SELECT 1 /*/ INTO @guard_var /*/ INTO @guard_var
--- comment-bang-tab | refuse | a tab behind the sign
SELECT 1 /*!	INTO*/ @guard_var
--- comment-bang-zero | refuse | a version of zeros
SELECT 1 /*!00000 INTO */ @guard_var
--- comment-maria-m-lower | refuse | the sign in a small letter | only: mariadb
SELECT 1 /*m!100000 INTO */ @guard_var
--- comment-seven | refuse | seven digits
SELECT 1 /*!0800000 INTO @guard_var */
--- dash-ff | refuse | two dashes and a word
SELECT 1 --INTO @guard_var
INTO @guard_var
--- hint-qb | refuse | a name in a hint that holds the end of a comment
SELECT /*+ QB_NAME(`a*/ INTO @guard_var -- `) */ 1
--- udf-group | refuse | an aggregate as a window | needs: library
SELECT total_label(id) OVER () FROM t
--- udf-alias | refuse | an alias of the same name | needs: library
SELECT id AS size_label FROM t HAVING size_label('x')
--- lock-table | refuse | TABLE that locks | only: mysql
(TABLE t FOR UPDATE)
--- reach-lock-values | refuse | locks behind UNION | only: mysql
(SELECT * FROM t) UNION (SELECT * FROM t FOR SHARE NOWAIT)
--- f-temporary-join | allow | a view that is joined while a temporary table is changed
SELECT f_temporary_join()
--- f-temporary-merge | allow | a temporary table that leads to one without transactions
SELECT f_temporary_merge()
--- f-analyze | allow | statistics, by a procedure
SELECT f_analyze()
--- f-aggregate | refuse | a stored aggregate | only: mariadb
SELECT f_aggregate(id) FROM t
