What people and tools read with on MySQL and MariaDB, against the database of mysql-fixture.ts. Each of them has to run.
  only:    the server it is about; without it, all of them
  mode:    the sql_mode that the server has as its default
  params:  values for the placeholders, as JSON
  as:      the accounts that may, where not both

--- select-one | allow | the least
SELECT 1
--- select-semicolon | allow | one semicolon at the end
SELECT 1;
--- select-semicolon-blanks | allow | and blanks behind it
SELECT 1 ; 

--- select-semicolon-comment | allow | and a comment behind it
SELECT 1; -- that is all
--- select-small | allow | small letters
select id, v from t order by id desc limit 2
--- select-offset | allow | both forms of it
SELECT id FROM t ORDER BY id LIMIT 1, 2
--- select-offset-word | allow | both forms of it
SELECT id FROM t ORDER BY id LIMIT 2 OFFSET 1
--- select-star | allow | all columns
SELECT t.*, c.tid FROM t JOIN child AS c ON c.tid = t.id
--- select-qualified | allow | with its database
SELECT `guard`.`t`.`id`, guard.t.v FROM guard.t
--- select-blanks | allow | blanks around points and brackets
SELECT guard . t . id , COUNT( * ) FROM guard . t GROUP BY guard . t . id
--- select-brackets | allow | brackets around all
(SELECT 1)
--- select-brackets-twice | allow | and more of them
((SELECT id FROM t) UNION (SELECT 2)) LIMIT 3
--- select-dual | allow | from nothing
SELECT 1 FROM DUAL WHERE 1 = 1
--- select-distinct | allow | its options
SELECT DISTINCT v FROM t
--- select-straight | allow | its options
SELECT STRAIGHT_JOIN HIGH_PRIORITY SQL_SMALL_RESULT SQL_BUFFER_RESULT t.id FROM t JOIN child c ON c.tid = t.id
--- select-straight-between | allow | as a kind of join
SELECT t.id FROM t STRAIGHT_JOIN child c ON c.tid = t.id
--- select-found-rows | allow | of old programs
SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 1
--- select-found-rows-then | allow | of old programs
SELECT FOUND_ROWS()
--- select-no-cache | allow | its options
SELECT SQL_NO_CACHE id FROM t
--- select-joins | allow | every kind
SELECT t.id FROM t LEFT OUTER JOIN child c ON c.tid = t.id RIGHT JOIN t AS u ON u.id = t.id CROSS JOIN (SELECT 1 AS one) q NATURAL JOIN (SELECT 1 AS other) r
--- select-odbc | allow | the escape of ODBC
SELECT t.id FROM { OJ t LEFT OUTER JOIN child c ON c.tid = t.id }
--- select-odbc-dates | allow | the escape of ODBC
SELECT {d '2024-01-01'}, {ts '2024-01-01 10:00:00'}, {t '10:00:00'}
--- select-group | allow | groups
SELECT v, COUNT(*) AS n, SUM(id), GROUP_CONCAT(DISTINCT id ORDER BY id DESC SEPARATOR '; ') FROM t GROUP BY v HAVING n > 0
--- select-rollup | allow | totals
SELECT region, SUM(amount) FROM sales GROUP BY region WITH ROLLUP
--- select-rollup-grouping | allow | totals with their mark | only: mysql
SELECT region, GROUPING(region), SUM(amount) FROM sales GROUP BY region WITH ROLLUP
--- select-subqueries | allow | of every kind
SELECT (SELECT MAX(id) FROM child), id IN (SELECT tid FROM child), EXISTS (SELECT 1 FROM child), id > ALL (SELECT 0) FROM t
--- select-derived | allow | derived tables
SELECT q.a FROM (SELECT id AS a FROM t WHERE v LIKE 'o%' ESCAPE '|') AS q
--- select-lateral | allow | lateral tables | only: mysql
SELECT t.id, q.n FROM t, LATERAL (SELECT COUNT(*) AS n FROM child c WHERE c.tid = t.id) q
--- select-partition | allow | of one partition
SELECT * FROM sales PARTITION (p0, p1) WHERE sold BETWEEN '2024-01-01' AND '2024-12-31'
--- select-index-hints | allow | hints of indexes
SELECT * FROM t USE INDEX (PRIMARY) IGNORE INDEX FOR ORDER BY (by_v) WHERE id > 1
--- select-force-index | allow | hints of indexes
SELECT * FROM t FORCE KEY FOR JOIN (by_v) JOIN child c ON c.tid = t.id
--- select-hints | allow | hints of the optimizer
SELECT /*+ MAX_EXECUTION_TIME(1000) NO_INDEX_MERGE(t) BKA(t) QB_NAME(main) */ * FROM t
--- select-windows | allow | windows
SELECT id, ROW_NUMBER() OVER (PARTITION BY v ORDER BY id), LAG(id, 1) OVER w, SUM(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM t WINDOW w AS (ORDER BY id)
--- select-union | allow | unions
SELECT 1 AS a UNION ALL SELECT 2 UNION DISTINCT SELECT 3 ORDER BY a LIMIT 2
--- select-except | allow | the others
SELECT 1 EXCEPT SELECT 2
--- select-intersect | allow | the others
SELECT id FROM t INTERSECT SELECT tid FROM child
--- select-cte | allow | a common table expression
WITH x AS (SELECT * FROM t) SELECT COUNT(*) FROM x
--- select-ctes | allow | several, with columns
WITH x (a, b) AS (SELECT id, v FROM t), y AS (SELECT a FROM x) SELECT * FROM x JOIN y USING (a)
--- select-recursive | allow | a recursive one
WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r
--- select-cte-inside | allow | inside a derived table
SELECT * FROM (WITH x AS (SELECT 1 AS a) SELECT a FROM x) q
--- select-values | allow | rows without a table | only: mysql
VALUES ROW(1, 'a'), ROW(2, 'b')
--- select-values-order | allow | rows without a table | only: mysql
VALUES ROW(1, 'a'), ROW(2, 'b') ORDER BY column_0 DESC LIMIT 1
--- select-values-maria | allow | rows without a table | only: mariadb
VALUES (1, 'a'), (2, 'b')
--- select-values-derived | allow | as a derived table | only: mysql
SELECT v.* FROM (VALUES ROW(1, 2), ROW(3, 4)) AS v (a, b)
--- select-table | allow | a whole table | only: mysql
TABLE t
--- select-table-order | allow | a whole table | only: mysql
TABLE child ORDER BY id LIMIT 1 OFFSET 1
--- select-table-union | allow | a whole table | only: mysql
TABLE child UNION SELECT 1, 2
--- select-fetch | allow | the limit of the standard | only: mariadb
SELECT id FROM t ORDER BY id OFFSET 1 ROWS FETCH NEXT 2 ROWS WITH TIES
--- select-rows-examined | allow | a limit of work | only: mariadb
SELECT id FROM t LIMIT 10 ROWS EXAMINED 10000
--- select-system-time | allow | a name that looks like history | only: mariadb
SELECT 1 AS system_time, 2 AS history
--- select-row-values | allow | rows as values
SELECT * FROM child WHERE (id, tid) IN ((1, 1), (2, 1)) AND ROW(1, 2) < ROW(2, 1)

--- text-hash | allow | a comment with a write in it
SELECT 1 # DELETE FROM t;
--- text-dashes | allow | a comment with a write in it
SELECT 1 -- INTO OUTFILE 'x'
--- text-block | allow | a comment with a write in it
SELECT /* INTO OUTFILE 'x'; DROP TABLE t */ 1
--- text-first | allow | comments in front
-- who reads this
# and why
/* nobody
 * knows */
SELECT 1
--- text-tag | allow | the comment of a tracing library
SELECT 1 /*traceparent='00-abc-01',route='%2Fusers%3Aid'*/
--- text-tag-first | allow | the comment of an application
/* ApplicationName=DBeaver 24.1 - Main */ SELECT 1
--- text-executable-literal | allow | one inside a literal
SELECT '/*! DROP */' AS x, "/*!50000 INTO */" AS y
--- text-literal | allow | a write inside a literal
SELECT 'DROP TABLE t; --' AS x
--- text-doubled | allow | a doubled quote
SELECT 'it''s; INTO OUTFILE' AS x, "say ""hi""; DELETE"
--- text-backslash | allow | backslashes
SELECT 'it\'s; INTO OUTFILE \\' AS x, '\n\t\%\_\0'
--- text-other-quote | allow | the other quote inside
SELECT "it's", 'say "hi"', '`', "`"
--- text-several | allow | literals that make one
SELECT 'a' 'b' "c"
--- text-introducers | allow | character sets
SELECT _utf8mb4'x; DROP', N'y', n'z', x'4142', X'41', 0x41, b'01', 0b01, _binary'a', _latin1 x'41', _latin1'a' COLLATE latin1_bin
--- text-dates | allow | literals of dates
SELECT DATE '2024-01-01', TIME '10:00:00', TIMESTAMP '2024-01-01 10:00:00.123456'
--- text-numbers | allow | numbers in every form
SELECT 1, -1, +1, 1.5, .5, 1., 1e5, 1.5E-3, -.5e+2, 0x1F, 18446744073709551615, 1--1, 1 - -1
--- text-null-sign | allow | the short form of NULL | only: mariadb
SELECT \N, \N AS a
--- text-null | allow | NULL and the others
SELECT NULL, TRUE, FALSE, UNKNOWN IS NULL FROM (SELECT 1 AS unknown) q
--- text-unicode | allow | characters of all lengths
SELECT 'Größe', '名', '😀', N'é' AS `ключ`, 'x' AS 名前
--- text-unicode-table | allow | names of all lengths
SELECT `naïve`, `名`, 名 FROM `Größe 表`
--- text-return | allow | carriage returns
SELECT 1\{r}
, 2 -- c\{r}
, 3\{r}
--- text-tabs | allow | rare blanks
SELECT	1,2	FROMt
--- text-dollar | allow | dollars in names
SELECT a$b.id AS a$, id AS b$c FROM t AS a$b
--- text-digits | allow | a name that begins with a digit
SELECT 1a.id AS 2b FROM t AS 1a
--- text-question | allow | question marks in literals
SELECT 'what?', "?", `?` FROM (SELECT 1 AS `?`) q

--- names-keywords | allow | words as quoted names
SELECT `select`, `into`, `delete`, `set`, `key; drop`, `quo``te` FROM `update`
--- names-qualified | allow | words behind a point need no quotes
SELECT u.select, u.into, u.delete, u.set FROM `update` u
--- names-unreserved | allow | words that are free
SELECT kind, status, type, password, sql_text, `call`, handler, flush, prepare FROM words
--- names-aliases | allow | as other names
SELECT id AS `update`, v AS `outfile`, 1 AS `commit`, 2 AS 'insert', 3 AS "drop" FROM t
--- names-bare-aliases | allow | free words as other names
SELECT 1 AS begin, 2 AS commit, 3 AS rollback, 4 AS execute, 5 AS flush, 6 AS reset, 7 AS shutdown, 8 AS truncate, 9 AS temporary
--- names-share | allow | words of locks as names
SELECT share, mode, locked FROM (SELECT 1 AS share, 2 AS mode, 3 AS locked) q
--- names-sleep | allow | names of functions as names
SELECT `sleep`, get_lock, load_file FROM (SELECT 1 AS `sleep`, 2 AS get_lock, 3 AS load_file) q
--- names-nextval | allow | names of functions as names
SELECT nextval, setval, lastval FROM (SELECT 1 AS nextval, 2 AS setval, 3 AS lastval) q
--- names-value | allow | in front of FOR
SELECT value, next FROM (SELECT 1 AS value, 2 AS next) q
--- names-procedure | allow | a quoted name that looks like one
SELECT `procedure` FROM (SELECT 'analyse' AS `procedure`) q
--- names-function | allow | a stored function with a name of two words
SELECT guard.`replace into`(1)
--- names-ansi | allow | names in double quotes | mode: ANSI_QUOTES
SELECT "id", "v" AS "delete; from", "guard"."t"."n" FROM "t" WHERE "v" = 'one'
--- names-ansi-keywords | allow | words in double quotes | mode: ANSI_QUOTES
SELECT "select", "into", "quo`te" FROM "update"
--- names-ansi-group | allow | the group of modes | mode: ANSI
SELECT "id" || 'x''y' FROM "t"
--- names-no-escapes | allow | a backslash that is one | mode: NO_BACKSLASH_ESCAPES
SELECT 'C:\temp\', "D:\", '\'
--- names-no-escapes-like | allow | a backslash that is one | mode: NO_BACKSLASH_ESCAPES
SELECT id FROM t WHERE v LIKE '%\%'
--- names-ignore-space | allow | blanks before brackets | mode: IGNORE_SPACE
SELECT COUNT (*), MAX (id), CONCAT ('a', 'b') FROM t
--- names-mssql | allow | the mode without its brackets | mode: MSSQL | only: mariadb
SELECT "id", 'x' FROM "t"
--- names-traditional | allow | the strict modes | mode: TRADITIONAL
SELECT id FROM t WHERE v = 'one'

--- functions-words | allow | named like statements
SELECT IF(1, 2, 3), LEFT('abc', 1), RIGHT('abc', 1), REPLACE('a', 'a', 'b'), INSERT('abc', 1, 1, 'x'), TRUNCATE(1.55, 1), REPEAT('a', 2), CHAR(65), MOD(5, 2)
--- functions-dates | allow | of dates
SELECT NOW(), CURRENT_TIMESTAMP(6), CURDATE(), UTC_DATE(), DATE_ADD('2024-01-01', INTERVAL 1 DAY), '2024-01-01' - INTERVAL '1:2' HOUR_MINUTE, EXTRACT(YEAR_MONTH FROM NOW()), TIMESTAMPDIFF(MONTH, '2024-01-01', NOW()), DATE_FORMAT(NOW(), '%Y-%m-%d %H:%i'), STR_TO_DATE('1,2,2024', '%d,%m,%Y'), LAST_DAY(NOW())
--- functions-zones | allow | of zones
SELECT CONVERT_TZ('2024-01-01 00:00:00', '+00:00', '+02:00'), UNIX_TIMESTAMP(), FROM_UNIXTIME(0)
--- functions-texts | allow | of texts
SELECT CONCAT_WS(',', 'a', NULL), SUBSTRING('abc' FROM 2 FOR 1), SUBSTR('abc', 2), TRIM(LEADING 'x' FROM 'xa'), POSITION('b' IN 'abc'), LOCATE('b', 'abc'), LPAD('a', 3, '-'), FORMAT(1234.5, 2), FIELD('a', 'b', 'a'), ELT(1, 'a'), FIND_IN_SET('a', 'a,b'), SOUNDEX('a'), HEX('a'), UNHEX('41'), TO_BASE64('a'), QUOTE('it''s')
--- functions-null | allow | of NULL
SELECT IFNULL(NULL, 1), COALESCE(NULL, 2), NULLIF(1, 1), ISNULL(NULL), 1 <=> NULL, GREATEST(1, 2), INTERVAL(5, 1, 10)
--- functions-case | allow | CASE
SELECT CASE v WHEN 'one' THEN 1 ELSE 0 END, CASE WHEN id > 1 THEN 'x' END FROM t
--- functions-cast | allow | of types
SELECT CAST('1' AS UNSIGNED), CONVERT('a' USING utf8mb4), CAST(1.5 AS DECIMAL(10, 2)), CAST('2024-01-01' AS DATE), BINARY 'a', CONVERT('1', SIGNED), CAST('a' AS CHAR(1) CHARACTER SET latin1)
--- functions-collate | allow | of collations
SELECT v COLLATE utf8mb4_bin, CHARSET(v), COLLATION(v), COERCIBILITY(v) FROM t ORDER BY v COLLATE utf8mb4_unicode_ci
--- functions-weight | allow | of collations
SELECT HEX(WEIGHT_STRING('a' AS CHAR(2)))
--- functions-json | allow | of JSON
SELECT JSON_EXTRACT(j, '$.a'), JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')), JSON_VALUE(j, '$.drop'), JSON_SET(j, '$.delete', 1), JSON_INSERT('{}', '$.a', 1), JSON_REPLACE('{}', '$.a', 1), JSON_REMOVE('{"a": 1}', '$.a'), JSON_ARRAYAGG(id), JSON_OBJECTAGG(id, v), JSON_KEYS(j), JSON_CONTAINS(j, '1', '$.a'), JSON_SEARCH(j, 'one', 'x') FROM t GROUP BY j
--- functions-json-arrow | allow | of JSON, short | only: mysql
SELECT j->'$.a', j->>'$.b[0]', 1 MEMBER OF('[1, 2]'), JSON_PRETTY(j), JSON_STORAGE_SIZE(j) FROM t
--- functions-json-table | allow | a document as a table
SELECT q.* FROM t, JSON_TABLE('[{"a": 1}, {"a": 2}]', '$[*]' COLUMNS (n FOR ORDINALITY, a INT PATH '$.a' DEFAULT '0' ON EMPTY NULL ON ERROR, NESTED PATH '$.b[*]' COLUMNS (c INT PATH '$'))) AS q
--- functions-json-maria | allow | of JSON | only: mariadb
SELECT JSON_DETAILED('{"a": 1}'), JSON_COMPACT('{ }'), JSON_EXISTS('{"a": 1}', '$.a'), JSON_QUERY('{"a": {}}', '$.a'), JSON_LOOSE('{}')
--- functions-xml | allow | of XML
SELECT ExtractValue('<a><b>1</b></a>', '/a/b'), UpdateXML('<a>1</a>', '/a', '<b/>')
--- functions-regex | allow | of patterns
SELECT v REGEXP '^o', v RLIKE 'e$', v NOT REGEXP '[[:digit:]]', REGEXP_REPLACE(v, 'o', '0'), REGEXP_SUBSTR(v, '[a-z]+'), REGEXP_INSTR(v, 'n') FROM t
--- functions-regex-like | allow | of patterns | only: mysql
SELECT REGEXP_LIKE(v, 'O', 'i') FROM t
--- functions-like | allow | of patterns
SELECT * FROM t WHERE v LIKE '%n_' OR v NOT LIKE 'x\_%' OR v SOUNDS LIKE 'wun'
--- functions-full-text | allow | words of a text
SELECT id, MATCH (title, body) AGAINST ('dig* +mole' IN BOOLEAN MODE) AS score FROM docs WHERE MATCH (title, body) AGAINST ('update nests' IN NATURAL LANGUAGE MODE) ORDER BY score DESC
--- functions-full-text-expansion | allow | words of a text
SELECT id FROM docs WHERE MATCH (title, body) AGAINST ('moles' WITH QUERY EXPANSION)
--- functions-spatial | allow | of places
SELECT id, ST_AsText(at), ST_Distance(at, POINT(0, 0)), ST_X(at) FROM places WHERE ST_Contains(ST_GeomFromText('POLYGON((0 0, 0 5, 5 5, 5 0, 0 0))'), at)
--- functions-spatial-words | allow | with names of types
SELECT ST_AsText(LINESTRING(POINT(0, 0), POINT(1, 1))), ST_AsGeoJSON(POINT(1, 2)), MBRContains(ST_GeomFromText('POINT(1 1)'), POINT(1, 1))
--- functions-numbers | allow | of numbers
SELECT ABS(-1), ROUND(1.5), CEIL(1.2), FLOOR(1.8), POW(2, 3), SQRT(4), RAND(1), PI(), CONV('a', 16, 10), CRC32('x'), 7 DIV 2, 7 % 2, 7 MOD 2, 1 << 2, ~0 & 1 | 2 ^ 3, NOT 0, !0, 1 XOR 0, 1 && 1, 0 || 1
--- functions-hash | allow | of hashes
SELECT SHA2('x', 256), UUID() IS NOT NULL, HEX(AES_ENCRYPT('a', 'b')), COMPRESS('a')
--- functions-hash-old | allow | of hashes | only: mysql <9
SELECT MD5('x'), SHA1('x')
--- functions-hash-maria | allow | of hashes | only: mariadb
SELECT MD5('x'), SHA('x'), PASSWORD('x'), OLD_PASSWORD('x')
--- functions-addresses | allow | of addresses
SELECT INET_ATON('10.0.0.1'), INET_NTOA(1), HEX(INET6_ATON('::1')), IS_IPV4('10.0.0.1')
--- functions-uuid | allow | of identifiers | only: mysql
SELECT BIN_TO_UUID(UUID_TO_BIN(UUID(), 1), 1) IS NOT NULL, IS_UUID('x'), ANY_VALUE(v), STATEMENT_DIGEST_TEXT('SELECT 1') FROM t GROUP BY id
--- functions-session | allow | about the session
SELECT VERSION(), USER(), CURRENT_USER, CURRENT_USER(), SESSION_USER(), SYSTEM_USER(), DATABASE(), SCHEMA(), CONNECTION_ID(), CURRENT_ROLE(), LAST_INSERT_ID(), ROW_COUNT()
--- functions-locks | allow | asks about a lock, takes none
SELECT IS_FREE_LOCK('x'), IS_USED_LOCK('x')
--- functions-aggregates | allow | of groups
SELECT COUNT(DISTINCT v, id), AVG(id), STDDEV_SAMP(id), VARIANCE(id), BIT_OR(id), MIN(v), MAX(v), STD(id) FROM t
--- functions-median | allow | of windows | only: mariadb
SELECT MEDIAN(id) OVER (), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id) OVER () FROM t
--- functions-default | allow | of columns
SELECT DEFAULT(v) FROM t
--- functions-sequence | allow | what a sequence had last | only: mariadb
SELECT LASTVAL(s), PREVIOUS VALUE FOR s
--- functions-sequence-table | allow | a sequence as a table | only: mariadb
SELECT * FROM s
--- functions-stored | allow | harmless stored functions
SELECT f_read(1), guard.f_label(v), `guard`.`f_read`(id) FROM t
--- functions-stored-where | allow | harmless stored functions
SELECT id FROM t WHERE f_read(id) > 0 ORDER BY f_label(v)
--- functions-stored-blank | allow | harmless stored functions
SELECT f_read (1)
--- views-plain | allow | a view
SELECT * FROM v_plain WHERE n > 1
--- views-join | allow | a view of a join
SELECT v.id, COUNT(*) FROM v_join AS v GROUP BY v.id
--- views-call | allow | a view that calls harmless functions
SELECT * FROM guard.v_call
--- generated | allow | a generated column
SELECT id, n FROM t WHERE n > 3

--- variables-system | allow | of the server and the session
SELECT @@version, @@session.sql_mode, @@global.max_connections, @@local.autocommit, @@SESSION . time_zone, @@`sql_mode`
--- variables-user | allow | of the user
SELECT @a, @`b c`, @'d', @"e", @a.b, @$x
--- variables-assign | allow | counts rows, as before there were windows
SELECT @rn := @rn + 1 AS n, id FROM t, (SELECT @rn := 0) init ORDER BY id
--- variables-compare | allow | compares
SELECT @a = 1, @a IS NULL, @a <=> NULL
--- variables-connector | allow | what drivers ask first
SELECT @@session.auto_increment_increment AS auto_increment_increment, @@character_set_client AS character_set_client, @@max_allowed_packet AS max_allowed_packet, @@system_time_zone AS system_time_zone, @@wait_timeout AS wait_timeout
--- variables-connector-comment | allow | what drivers ask first
/* mysql-connector-java-8.0.33 (Revision: 7d6b0800528b6b25c68b52dc10d6c1c8429c100c) */SELECT @@session.auto_increment_increment AS auto_increment_increment
--- variables-client | allow | what the client asks first
select @@version_comment limit 1
--- variables-user-first | allow | what the client asks first
select USER()
--- variables-isolation | allow | what tools ask | only: mysql
SELECT @@session.transaction_read_only, @@transaction_isolation
--- variables-isolation-maria | allow | what tools ask | only: mariadb
SELECT @@session.tx_read_only, @@tx_isolation

--- show-databases | allow | SHOW
SHOW DATABASES
--- show-schemas-like | allow | SHOW
SHOW SCHEMAS LIKE 'gu%'
--- show-tables | allow | SHOW
SHOW TABLES
--- show-full-tables | allow | what tools ask
SHOW FULL TABLES FROM `guard` WHERE Table_type != 'VIEW'
--- show-tables-in | allow | SHOW
SHOW TABLES IN guard LIKE 't%'
--- show-open-tables | allow | SHOW
SHOW OPEN TABLES FROM guard
--- show-table-status | allow | what tools ask
SHOW TABLE STATUS FROM guard LIKE 't'
--- show-columns | allow | SHOW
SHOW COLUMNS FROM t
--- show-full-columns | allow | what tools ask
SHOW FULL COLUMNS FROM `t` FROM `guard` LIKE 'v'
--- show-fields | allow | the other word
SHOW FIELDS IN t IN guard WHERE Field = 'id'
--- show-extended | allow | all columns | only: mysql
SHOW EXTENDED FULL COLUMNS FROM t
--- show-index | allow | SHOW
SHOW INDEX FROM t
--- show-keys | allow | what tools ask
SHOW KEYS FROM `t` WHERE Key_name = 'PRIMARY'
--- show-create-table | allow | definitions
SHOW CREATE TABLE `guard`.`t`
--- show-create-view | allow | definitions
SHOW CREATE VIEW v_plain
--- show-create-database | allow | definitions
SHOW CREATE DATABASE guard
--- show-create-schema | allow | definitions
SHOW CREATE SCHEMA IF NOT EXISTS guard
--- show-create-function | allow | definitions
SHOW CREATE FUNCTION f_read
--- show-create-procedure | allow | definitions
SHOW CREATE PROCEDURE p_write
--- show-create-trigger | allow | definitions
SHOW CREATE TRIGGER t_before
--- show-create-event | allow | definitions
SHOW CREATE EVENT e_never
--- show-create-user | allow | definitions
SHOW CREATE USER CURRENT_USER
--- show-create-sequence | allow | definitions | only: mariadb
SHOW CREATE SEQUENCE s
--- show-triggers | allow | SHOW
SHOW TRIGGERS FROM guard LIKE 't%'
--- show-events | allow | SHOW
SHOW EVENTS FROM guard
--- show-procedure-status | allow | SHOW
SHOW PROCEDURE STATUS WHERE Db = 'guard'
--- show-function-status | allow | SHOW
SHOW FUNCTION STATUS LIKE 'f_%'
--- show-grants | allow | SHOW
SHOW GRANTS
--- show-grants-for | allow | SHOW
SHOW GRANTS FOR CURRENT_USER()
--- show-privileges | allow | SHOW
SHOW PRIVILEGES
--- show-variables | allow | SHOW
SHOW VARIABLES LIKE 'version%'
--- show-global-variables | allow | SHOW
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'version')
--- show-session-variables | allow | SHOW
SHOW SESSION VARIABLES LIKE 'sql_mode'
--- show-status | allow | SHOW
SHOW GLOBAL STATUS LIKE 'Threads_%'
--- show-local-status | allow | SHOW
SHOW LOCAL STATUS LIKE 'Handler_read%'
--- show-processlist | allow | SHOW
SHOW PROCESSLIST
--- show-full-processlist | allow | SHOW
SHOW FULL PROCESSLIST
--- show-engines | allow | SHOW
SHOW STORAGE ENGINES
--- show-engine-mutex | allow | SHOW
SHOW ENGINE INNODB MUTEX
--- show-plugins | allow | SHOW
SHOW PLUGINS
--- show-character-set | allow | SHOW
SHOW CHARACTER SET LIKE 'utf8%'
--- show-charset | allow | the short word
SHOW CHARSET
--- show-collation | allow | SHOW
SHOW COLLATION WHERE Charset = 'utf8mb4' AND `Default` = 'Yes'
--- show-warnings | allow | SHOW
SHOW WARNINGS
--- show-warnings-limit | allow | SHOW
SHOW WARNINGS LIMIT 1, 5
--- show-count-warnings | allow | SHOW
SHOW COUNT(*) WARNINGS
--- show-errors | allow | SHOW
SHOW ERRORS LIMIT 5
--- show-profiles | allow | SHOW
SHOW PROFILES
--- show-profile | allow | SHOW
SHOW PROFILE CPU, BLOCK IO FOR QUERY 1
--- show-master-status | allow | of replication | only: mysql <8.4
SHOW MASTER STATUS
--- show-binary-log-status | allow | of replication | only: mysql >=8.4
SHOW BINARY LOG STATUS
--- show-replica-status | allow | of replication | only: mysql
SHOW REPLICA STATUS
--- show-slave-status | allow | of replication | only: mariadb | as: superuser
SHOW SLAVE STATUS
--- show-all-slaves | allow | of replication | only: mariadb | as: superuser
SHOW ALL SLAVES STATUS
--- show-slave-hosts | allow | of replication | only: mariadb | as: superuser
SHOW SLAVE HOSTS
--- show-statistics | allow | of clients | only: mariadb
SHOW CLIENT_STATISTICS
--- show-authors | allow | of people | only: mariadb
SHOW AUTHORS
--- show-locales | allow | of languages | only: mariadb
SHOW PLUGINS SONAME LIKE 'x%'
--- show-packages | allow | of the other grammar | only: mariadb
SHOW PACKAGE STATUS
--- show-comment | allow | comments within
SHOW /* the */ TABLES -- all
FROM guard
--- show-where-function | allow | a harmless condition
SHOW TABLES WHERE LOWER(Tables_in_guard) LIKE CONCAT('t', '%')

--- describe-table | allow | DESCRIBE
DESCRIBE t
--- desc-column | allow | DESCRIBE
DESC guard.t v
--- describe-pattern | allow | DESCRIBE
DESCRIBE t '%d'
--- explain-as-describe | allow | the word for the other
EXPLAIN t
--- explain-select | allow | EXPLAIN
EXPLAIN SELECT * FROM t WHERE id = 1
--- explain-json | allow | EXPLAIN
EXPLAIN FORMAT=JSON SELECT * FROM t
--- explain-json-blanks | allow | EXPLAIN
explain format = json select * from t
--- explain-traditional | allow | EXPLAIN
DESCRIBE FORMAT = TRADITIONAL SELECT t.id FROM t JOIN child c ON c.tid = t.id
--- explain-tree | allow | EXPLAIN | only: mysql
EXPLAIN FORMAT=TREE SELECT COUNT(*) FROM t
--- explain-analyze | allow | runs the query | only: mysql
EXPLAIN ANALYZE SELECT * FROM t
--- explain-analyze-tree | allow | runs the query | only: mysql
EXPLAIN ANALYZE FORMAT=TREE SELECT * FROM t WHERE v = 'one'
--- explain-extended | allow | EXPLAIN | only: mariadb
EXPLAIN EXTENDED SELECT * FROM t
--- explain-partitions | allow | EXPLAIN | only: mariadb
EXPLAIN PARTITIONS SELECT * FROM sales
--- explain-cte | allow | of a common table expression
EXPLAIN WITH x AS (SELECT 1) SELECT * FROM x
--- explain-union | allow | of brackets
EXPLAIN (SELECT 1) UNION (SELECT 2)
--- explain-table | allow | of a whole table | only: mysql
EXPLAIN TABLE t
--- explain-values | allow | of rows | only: mysql
EXPLAIN VALUES ROW(1)
--- explain-view | allow | of a view
EXPLAIN SELECT * FROM v_join
--- explain-schema | allow | names of another database | only: mysql >=8.3
EXPLAIN FOR SCHEMA guard SELECT * FROM t
--- analyze-select | allow | runs the query | only: mariadb
ANALYZE SELECT * FROM t
--- analyze-json | allow | runs the query | only: mariadb
ANALYZE FORMAT=JSON SELECT * FROM t WHERE v = 'one'
--- help | allow | what the client sends | only: mariadb
HELP 'contents'
--- help-mysql | allow | what the client sends | only: mysql
HELP 'SELECT'

--- catalog-tables | allow | information_schema
SELECT table_name, table_rows, data_length + index_length FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'
--- catalog-columns | allow | information_schema
SELECT column_name, data_type, is_nullable, column_default, extra FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'guard' AND TABLE_NAME = 't' ORDER BY ordinal_position
--- catalog-keys | allow | what tools ask
SELECT k.constraint_name, k.column_name, k.referenced_table_name, r.update_rule, r.delete_rule FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r USING (constraint_schema, constraint_name) WHERE k.table_schema = 'guard'
--- catalog-statistics | allow | information_schema
SELECT index_name, GROUP_CONCAT(column_name ORDER BY seq_in_index) FROM information_schema.statistics WHERE table_schema = 'guard' GROUP BY table_name, index_name
--- catalog-routines | allow | information_schema
SELECT routine_name, routine_type, routine_definition FROM information_schema.routines WHERE routine_schema = 'guard'
--- catalog-views | allow | information_schema
SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = 'guard'
--- catalog-processlist | allow | information_schema
SELECT id, user, command, time, state, info FROM information_schema.processlist WHERE command <> 'Sleep'
--- catalog-transactions | allow | what runs
SELECT trx_id, trx_state, trx_started, trx_query FROM information_schema.innodb_trx
--- catalog-metrics | allow | counters | only: mysql
SELECT name, count FROM information_schema.innodb_metrics WHERE status = 'enabled' LIMIT 5
--- catalog-privileges | allow | rights
SELECT grantee, privilege_type FROM information_schema.user_privileges
--- catalog-partitions | allow | partitions
SELECT partition_name, table_rows FROM information_schema.partitions WHERE table_name = 'sales'
--- catalog-users | allow | accounts | as: superuser
SELECT user, host FROM mysql.user
--- catalog-digests | allow | what was run | as: superuser
SELECT digest_text, count_star, sum_timer_wait FROM performance_schema.events_statements_summary_by_digest ORDER BY sum_timer_wait DESC LIMIT 5
--- catalog-locks | allow | locks | only: mysql | as: superuser
SELECT * FROM performance_schema.data_locks
--- catalog-waits | allow | locks | as: superuser
SELECT * FROM sys.innodb_lock_waits
--- catalog-sys | allow | views of the sys schema | as: superuser
SELECT * FROM sys.schema_table_statistics LIMIT 5
--- catalog-sys-session | allow | views of the sys schema that call functions | as: superuser
SELECT thd_id, conn_id, user, current_statement FROM sys.session
--- catalog-sys-unused | allow | views of the sys schema | as: superuser
SELECT * FROM sys.schema_unused_indexes LIMIT 5
--- catalog-sys-version | allow | the least of the sys schema | as: superuser
SELECT sys.format_bytes(1024), sys.version_major()
--- catalog-sys-memory | allow | memory | only: mysql | as: superuser
SELECT * FROM sys.memory_global_by_current_bytes LIMIT 5
--- catalog-status | allow | counters | only: mysql | as: superuser
SELECT variable_value FROM performance_schema.global_status WHERE variable_name = 'Uptime'
--- catalog-status-maria | allow | counters | only: mariadb
SELECT variable_value FROM information_schema.global_status WHERE variable_name = 'UPTIME'
--- tool-orm | allow | the text of an ORM
SELECT `t1`.`id` AS `id`, `t1`.`v` AS `v`, (SELECT COUNT(*) FROM `child` WHERE `child`.`tid` = `t1`.`id`) AS `child_count` FROM `t` `t1` WHERE (`t1`.`v` IN ('one', 'two') AND `t1`.`id` BETWEEN 1 AND 10) ORDER BY `t1`.`id` ASC LIMIT 10
--- tool-orm-alias | allow | the text of an ORM
select t0_.id as id_0, t0_.v as v_1 from t t0_ where t0_.v like '%n%' and 1=1 limit 0, 20
--- tool-orm-exists | allow | the text of an ORM
SELECT 1 AS `a` FROM `t` WHERE `t`.`id` = 1 LIMIT 1
--- tool-bi | allow | the text of a BI tool
SELECT STR_TO_DATE(CONCAT(YEARWEEK(`source`.`sold`), ' Sunday'), '%X%V %W') AS `sold`, SUM(`source`.`amount`) AS `sum` FROM (SELECT `guard`.`sales`.`sold` AS `sold`, `guard`.`sales`.`amount` AS `amount` FROM `guard`.`sales`) AS `source` GROUP BY STR_TO_DATE(CONCAT(YEARWEEK(`source`.`sold`), ' Sunday'), '%X%V %W') ORDER BY `sold` ASC LIMIT 1048575
--- tool-pivot | allow | a pivot table by hand
SELECT DATE_FORMAT(sold, '%Y-%m') AS month, SUM(CASE WHEN region = 'north' THEN amount ELSE 0 END) AS north, SUM(IF(region = 'south', amount, 0)) AS south FROM sales GROUP BY month WITH ROLLUP

--- params-plain | allow | placeholders | params: [1, "one"]
SELECT * FROM t WHERE id = ? OR v = ?
--- params-limit | allow | as a limit | params: [2]
SELECT id FROM t LIMIT ?
--- params-list | allow | in a list | params: [1, 2, 3]
SELECT id FROM t WHERE id IN (?, ?, ?)
--- params-literal | allow | question marks that are none | params: ["x"]
SELECT '?', "?", ?, `?` FROM (SELECT 1 AS `?`) q -- ?
--- params-evil | allow | a value that looks like a statement | params: ["'; DROP TABLE t; --"]
SELECT ? AS text
--- params-like | allow | a pattern | params: ["%n%"]
SELECT id FROM t WHERE v LIKE ?
--- params-cte | allow | in a common table expression | params: [2]
WITH x AS (SELECT id FROM t WHERE id > ?) SELECT * FROM x
--- params-null | allow | NULL | params: [null]
SELECT id FROM t WHERE v <=> ?

--- report-month | allow | months, with a share of the whole
SELECT DATE_FORMAT(sold, '%Y-%m') AS month, SUM(amount) AS total, ROUND(100 * SUM(amount) / (SELECT SUM(amount) FROM sales), 2) AS share FROM sales GROUP BY DATE_FORMAT(sold, '%Y-%m') ORDER BY month
--- report-running | allow | a running total
SELECT id, amount, SUM(amount) OVER (PARTITION BY region ORDER BY sold, id ROWS UNBOUNDED PRECEDING) AS running FROM sales
--- report-moving | allow | a moving average
SELECT id, AVG(amount) OVER (ORDER BY sold ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS moving FROM sales
--- report-top-per-group | allow | the best of each group
SELECT * FROM (SELECT s.*, ROW_NUMBER() OVER (PARTITION BY region ORDER BY amount DESC) AS place FROM sales s) ranked WHERE place <= 2
--- report-ranks | allow | all kinds of ranks
SELECT id, RANK() OVER w AS r, DENSE_RANK() OVER w AS d, PERCENT_RANK() OVER w AS p, CUME_DIST() OVER w AS c, NTILE(4) OVER w AS q FROM sales WINDOW w AS (ORDER BY amount)
--- report-neighbours | allow | what was before and comes after
SELECT id, LAG(amount, 1) OVER (ORDER BY id) AS before_it, LEAD(amount) OVER (ORDER BY id) AS after_it, FIRST_VALUE(amount) OVER (ORDER BY id) AS f, LAST_VALUE(amount) OVER (ORDER BY id) AS l, NTH_VALUE(amount, 2) OVER (ORDER BY id) AS n FROM sales
--- report-change | allow | change in percent
WITH monthly AS (SELECT DATE_FORMAT(sold, '%Y-%m') AS m, SUM(amount) AS total FROM sales GROUP BY m) SELECT m, total, ROUND((total - LAG(total) OVER (ORDER BY m)) / NULLIF(LAG(total) OVER (ORDER BY m), 0) * 100, 1) AS pct FROM monthly
--- report-cohort | allow | cohorts
WITH firsts AS (SELECT tid, MIN(id) AS first_id FROM child GROUP BY tid) SELECT f.first_id, COUNT(*) FROM firsts f JOIN child c ON c.tid = f.tid GROUP BY f.first_id
--- report-gaps | allow | gaps in a sequence of numbers
SELECT a.id + 1 AS gap_start, MIN(b.id) - 1 AS gap_end FROM sales a JOIN sales b ON b.id > a.id GROUP BY a.id HAVING gap_start < MIN(b.id)
--- report-calendar | allow | days without sales
WITH RECURSIVE days (d) AS (SELECT CAST('2024-01-29' AS DATE) UNION ALL SELECT d + INTERVAL 1 DAY FROM days WHERE d < '2024-03-02') SELECT d, COALESCE(SUM(amount), 0) AS total FROM days LEFT JOIN sales ON sold = d GROUP BY d ORDER BY d
--- report-tree | allow | a tree with its paths
WITH RECURSIVE tree AS (SELECT id, tid, CAST(id AS CHAR(200)) AS path, 0 AS depth FROM child WHERE id = 1 UNION ALL SELECT c.id, c.tid, CONCAT(tree.path, '/', c.id), depth + 1 FROM child c JOIN tree ON c.tid = tree.id WHERE depth < 3 AND c.id <> tree.id) SELECT REPEAT('  ', depth) AS indent, path FROM tree
--- report-buckets | allow | a histogram
SELECT FLOOR(amount / 5) * 5 AS bucket, COUNT(*) AS n, RPAD('', COUNT(*), '*') AS bar FROM sales GROUP BY bucket ORDER BY bucket
--- report-pivot | allow | columns out of rows
SELECT YEAR(sold) AS y, MAX(CASE MONTH(sold) WHEN 1 THEN amount END) AS jan, MAX(IF(MONTH(sold) = 2, amount, NULL)) AS feb FROM sales GROUP BY y
--- report-distinct-counts | allow | counts under conditions
SELECT COUNT(*), COUNT(DISTINCT region), SUM(region = 'north'), COUNT(IF(amount > 10, 1, NULL)) FROM sales
--- report-last-days | allow | the last thirty days
SELECT * FROM sales WHERE sold >= CURDATE() - INTERVAL 30 DAY OR sold < DATE_SUB(NOW(), INTERVAL '1-2' YEAR_MONTH)
--- report-age | allow | ages and weekdays
SELECT TIMESTAMPDIFF(YEAR, '2000-02-29', CURRENT_DATE) AS age, DAYNAME(sold), WEEKDAY(sold), WEEK(sold, 3), QUARTER(sold), TO_DAYS(sold), MAKEDATE(2024, 60) FROM sales
--- report-between-times | allow | literals of times
SELECT TIMESTAMP '2024-01-01 00:00:00' + INTERVAL 1 MICROSECOND, ADDTIME('10:00:00', '00:30:00'), TIMEDIFF('10:00', '09:00'), SEC_TO_TIME(3661), TIME_FORMAT('10:11:12', '%H %i'), PERIOD_DIFF(202402, 202401)
--- report-nulls | allow | order with NULL at the end
SELECT id, v FROM t ORDER BY v IS NULL, v DESC, FIELD(v, 'two', 'one')
--- report-duplicates | allow | duplicates
SELECT tid, COUNT(*) AS n, GROUP_CONCAT(id ORDER BY id SEPARATOR ',') AS ids FROM child GROUP BY tid HAVING COUNT(*) > 1
--- report-orphans | allow | rows without a parent
SELECT c.* FROM child c LEFT JOIN t ON t.id = c.tid WHERE t.id IS NULL
--- report-not-exists | allow | the same by a subquery
SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM child WHERE child.tid = t.id) AND id NOT IN (SELECT tid FROM child WHERE tid IS NOT NULL)
--- report-self | allow | a table with itself, one index for each
SELECT a.id, b.id FROM t a FORCE INDEX (PRIMARY) JOIN t b USE INDEX (by_v) ON a.v < b.v
--- report-hints-for | allow | hints of indexes for one thing each, with more tables behind them
SELECT t.id, c.id FROM t USE INDEX FOR ORDER BY (by_v), child c IGNORE INDEX FOR GROUP BY (tid) WHERE t.id = c.tid ORDER BY t.v
--- report-max-time | allow | a limit of time as a hint
SELECT /*+ MAX_EXECUTION_TIME(500) */ COUNT(*) FROM t
--- report-join-hints | allow | other hints
SELECT /*+ JOIN_ORDER(t, c) INDEX(t by_v) NO_RANGE_OPTIMIZATION(c) */ t.id FROM t JOIN child c ON c.tid = t.id
--- report-hint-block | allow | hints with names of blocks
SELECT /*+ QB_NAME(q1) NO_MERGE(d) */ * FROM (SELECT /*+ QB_NAME(q2) */ id FROM t) d
--- report-union-total | allow | a total below the rows
(SELECT region, SUM(amount) AS total FROM sales GROUP BY region) UNION ALL (SELECT 'all', SUM(amount) FROM sales) ORDER BY total DESC
--- report-intersect | allow | sets
SELECT id FROM t EXCEPT SELECT tid FROM child ORDER BY 1
--- report-median | allow | a median by hand
SELECT AVG(amount) AS median FROM (SELECT amount, ROW_NUMBER() OVER (ORDER BY amount) AS rn, COUNT(*) OVER () AS n FROM sales) q WHERE rn IN (FLOOR((n + 1) / 2), CEIL((n + 1) / 2))
--- report-percent | allow | a modulo, and a percent sign in text
SELECT id % 2 AS odd, CONCAT(ROUND(amount, 0), '%') AS pct FROM sales WHERE region LIKE '%th%'
--- report-limit-all | allow | a limit as tools write it
SELECT * FROM sales LIMIT 0, 18446744073709551615
--- report-any-all | allow | comparisons with all of them
SELECT * FROM sales WHERE amount >= ALL (SELECT amount FROM sales) OR amount < ANY (SELECT amount FROM sales) OR amount = SOME (SELECT 1)
--- report-row-constructor | allow | rows in comparisons
SELECT * FROM sales WHERE (region, id) > ('north', 1) ORDER BY region, id LIMIT 10
--- report-using | allow | joins by name
SELECT id, COUNT(*) FROM t JOIN child USING (id) GROUP BY id WITH ROLLUP
--- report-natural | allow | joins by all names
SELECT * FROM t NATURAL LEFT JOIN child
--- report-nested-joins | allow | brackets around joins
SELECT * FROM t LEFT JOIN (child c INNER JOIN sales s ON s.id = c.id) ON c.tid = t.id
--- report-derived-columns | allow | names for the columns of a derived table | only: mysql
SELECT q.a, q.b FROM (SELECT id, v FROM t) AS q (a, b)
--- report-cte-twice | allow | a common table expression read twice
WITH x AS (SELECT id, v FROM t), y AS (SELECT COUNT(*) AS n FROM x) SELECT x.*, y.n FROM x, y
--- report-cte-in-subquery | allow | one inside of a condition
SELECT * FROM t WHERE id IN (WITH c AS (SELECT tid FROM child) SELECT tid FROM c)
--- report-cte-view-name | allow | one with the name of a view
WITH v_plain AS (SELECT 1 AS one) SELECT one FROM v_plain
--- report-lateral | allow | the latest two of each | only: mysql
SELECT t.id, x.id FROM t LEFT JOIN LATERAL (SELECT c.id FROM child c WHERE c.tid = t.id ORDER BY c.id DESC LIMIT 2) AS x ON TRUE
--- report-grouping-order | allow | order by the totals | only: mysql
SELECT region, SUM(amount) FROM sales GROUP BY region WITH ROLLUP ORDER BY GROUPING(region), region
--- report-values-join | allow | values in a join | only: mysql
SELECT v.column_0, t.v FROM (VALUES ROW(1), ROW(2)) AS v JOIN t ON t.id = v.column_0
--- report-values-maria | allow | values in a common table expression | only: mariadb
WITH x (a) AS (VALUES (1), (2)) SELECT t.v FROM x JOIN t ON t.id = x.a
--- report-fetch | allow | the limit of the standard | only: mariadb
SELECT * FROM sales ORDER BY amount DESC FETCH FIRST 2 ROWS ONLY
--- report-sequence-table | allow | numbers from the engine for them | only: mariadb
SELECT seq FROM seq_1_to_5 WHERE seq % 2 = 1

--- json-path | allow | paths with all there is in them
SELECT JSON_EXTRACT(j, '$.b[0]', '$."a"'), JSON_UNQUOTE(JSON_EXTRACT(j, '$.a')), JSON_LENGTH(j), JSON_TYPE(j), JSON_VALID(v) FROM t WHERE JSON_CONTAINS(j, '1', '$.a') OR JSON_CONTAINS_PATH(j, 'one', '$.a', '$.b')
--- json-arrows | allow | in short | only: mysql
SELECT id, j->>'$.a' AS a FROM t WHERE j->'$.a' = 1 ORDER BY CAST(j->>'$.a' AS UNSIGNED)
--- json-member | allow | a member of an array | only: mysql
SELECT id FROM t WHERE 2 MEMBER OF (j->'$.b') OR JSON_OVERLAPS(j->'$.b', '[2, 9]')
--- json-build | allow | objects out of rows
SELECT JSON_OBJECT('id', id, 'name', v, 'tags', JSON_ARRAY('a', 1, NULL, TRUE)), JSON_ARRAYAGG(id), JSON_OBJECTAGG(id, v) FROM t GROUP BY id, v
--- json-table-rows | allow | rows out of an array, joined to their table
SELECT t.id, q.item, q.pos FROM t JOIN JSON_TABLE(COALESCE(t.j, '{}'), '$.b[*]' COLUMNS (pos FOR ORDINALITY, item INT PATH '$')) AS q ON TRUE
--- json-table-nested | allow | nested arrays
SELECT q.* FROM JSON_TABLE('[{"a": 1, "b": [{"c": 2}]}]', '$[*]' COLUMNS (a INT PATH '$.a', has_b INT EXISTS PATH '$.b', NESTED PATH '$.b[*]' COLUMNS (c VARCHAR(10) PATH '$.c' NULL ON EMPTY NULL ON ERROR))) q
--- json-value-type | allow | a value of a type | only: mysql
SELECT JSON_VALUE(j, '$.a' RETURNING DECIMAL(4,2) DEFAULT 0 ON EMPTY) FROM t
--- json-schema | allow | a schema | only: mysql
SELECT JSON_SCHEMA_VALID('{"type": "object"}', j) FROM t WHERE j IS NOT NULL
--- json-schema-view | allow | a schema in a view, as the server shows it | only: mysql
SELECT JSON_SCHEMA_VALID(_utf8mb4'{\"type\": \"object\"}', j), JSON_SCHEMA_VALIDATION_REPORT('{}', j) FROM t WHERE j IS NOT NULL
--- sformat | allow | widths that are short | only: mariadb
SELECT SFORMAT('{:>20} of {0:.2f}', 1.5), SFORMAT('%')
--- text-search | allow | words with all signs of the mode
SELECT id, title, MATCH (title, body) AGAINST ('+dig* -"update nests" >tunnels <moles' IN BOOLEAN MODE) AS score FROM docs HAVING score >= 0 ORDER BY score DESC, id LIMIT 20
--- text-search-both | allow | words and other conditions
SELECT d.id FROM docs d WHERE MATCH (d.title, d.body) AGAINST ('tunnels') AND d.id > 0
--- text-regex | allow | patterns with every bracket
SELECT v FROM t WHERE v REGEXP '^(one|two)[[:space:]]*$' OR v RLIKE 't.*e{2}' OR v NOT REGEXP '[X\\]]'
--- text-like-escape | allow | signs in patterns
SELECT v FROM t WHERE v LIKE '50\%' OR v LIKE '50!%' ESCAPE '!' OR v LIKE CONCAT('%', 'n', '%')
--- text-collate | allow | without case, and with it
SELECT v FROM t WHERE v COLLATE utf8mb4_bin = 'one' OR BINARY v = 'two' ORDER BY LOWER(v), UPPER(v)
--- text-split | allow | parts of a text
SELECT SUBSTRING_INDEX('a,b,c', ',', 1), SUBSTRING_INDEX(SUBSTRING_INDEX('a,b,c', ',', 2), ',', -1), LEFT('abc', 1), RIGHT('abc', 1), MID('abc', 2, 1), INSTR('abc', 'b'), CHAR_LENGTH('äöü'), LENGTH('äöü'), REVERSE('abc')
--- text-emails | allow | at signs in literals
SELECT id FROM t WHERE v LIKE '%@example.com' OR v = 'a@b'
--- text-urls | allow | slashes and dashes in literals
SELECT 'https://example.com/a?b=c--d&e=/*f*/#g' AS url, '--' AS dashes, '#1' AS number
--- text-semicolons | allow | semicolons in literals, and one at the end
SELECT 'a;b', "c;d" FROM t WHERE v <> ';' ;
--- text-brackets | allow | square brackets in literals
SELECT v FROM t WHERE v IN ('[1]', '{2}', '(3)')
--- text-dollars | allow | prices
SELECT CONCAT('$', FORMAT(amount, 2)), CONCAT('$$', region) FROM sales
--- text-windows | allow | line ends of Windows
SELECT id,\{r}
       v\{r}
FROM t -- all of them\{r}
WHERE id > 0\{r}
--- text-code-fence | allow | blank lines around

SELECT 1

--- comment-app | allow | the mark of a framework
SELECT `t`.* FROM `t` /* app:web,controller:users,action:index */
--- comment-app-first | allow | the mark of a framework in front
/* app:web */ SELECT `t`.`id` FROM `t` LIMIT 11
--- comment-sqlcommenter | allow | the mark of a tracing library
SELECT 1 /*action='%2Ftest',controller='t',framework='rails%3A7',traceparent='00-5bd66ef5095369c7b0d1f8f4bd33716a-c532cb4098ac3dd2-01'*/
--- comment-trailing | allow | at the end, without a line's end
SELECT COUNT(*) FROM t -- how many
--- comment-after-semicolon | allow | behind the semicolon
SELECT 1; # done
--- comment-todo | allow | signs that look like hints or ends
SELECT id /* + not a hint, 100% * sure */, v /*****/ FROM t /**/
--- comment-commented-out | allow | a condition taken out
SELECT * FROM t WHERE id > 0
-- AND v = 'it''s'
/* AND v IN ("a", 'b') */
ORDER BY id
--- comment-apostrophe | allow | an apostrophe in a comment
SELECT 1 -- don't worry
, 2 # isn't it
, 3 /* it's fine */
--- comment-dash-line | allow | a line of dashes
-- ------------------------
-- Report: sales by region
-- ------------------------
SELECT region, SUM(amount) FROM sales GROUP BY region

--- names-backticks-all | allow | everything quoted
SELECT `t`.`id` AS `the id`, `c`.`tid` AS `c.tid`, COUNT(*) AS `count(*)` FROM `guard`.`t` AS `t` INNER JOIN `guard`.`child` AS `c` ON (`c`.`tid` = `t`.`id`) GROUP BY `t`.`id`, `c`.`tid`
--- names-reserved-columns | allow | words as columns
SELECT w.kind, w.`call`, w.type AS `order`, w.status AS `group` FROM words w WHERE w.password > 0
--- names-spaces | allow | blanks and signs in other names
SELECT 1 AS `Total (EUR)`, 2 AS 'a "quoted" name', 3 AS `50%`, 4 AS `semi;colon`, 5 AS `-- dash`
--- names-function-columns | allow | columns with the names of functions
SELECT q.count, q.sum, q.`left`, q.date, q.user, q.password, q.sleep FROM (SELECT 1 AS count, 2 AS sum, 3 AS `left`, 4 AS date, 5 AS user, 6 AS password, 7 AS sleep) q
--- names-functions-quoted | allow | functions in quotes
SELECT `abs`(-1), `concat`('a', 'b'), `f_read`(1)
--- names-oj | allow | a name that is a word of ODBC
SELECT oj.id FROM t oj JOIN child lock_ ON lock_.tid = oj.id
--- names-case | allow | capitals anywhere
Select T1.ID, sUm(T1.Id) From t As T1 Group By T1.iD
--- names-long-lists | allow | a long list
SELECT id FROM t WHERE id IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40)

--- functions-crypto | allow | of encryption
SELECT HEX(AES_ENCRYPT('text', UNHEX(SHA2('key', 512)))), TO_BASE64('x'), FROM_BASE64('eA=='), LENGTH(COMPRESS('aaaa')), CRC32('x')
--- functions-numbers-more | allow | of numbers
SELECT TRUNCATE(1.999, 1), ROUND(-1.5), SIGN(-3), LOG(2), LOG2(8), LOG10(100), EXP(1), DEGREES(PI()), RADIANS(180), ATAN2(1, 1), BIT_COUNT(7), CONV('ff', 16, 10), BIN(5), OCT(8), 5 DIV 2, MOD(5, 3)
--- functions-conditions | allow | of conditions
SELECT IF(v IS NULL, 'none', v), IFNULL(v, ''), NULLIF(v, 'one'), COALESCE(NULL, v), CASE WHEN v = 'one' THEN 1 WHEN v IN ('two', 'three') THEN 2 ELSE 0 END, GREATEST(1, 2), LEAST(1, 2), ISNULL(v), v <=> NULL, ELT(2, 'a', 'b'), INTERVAL(3, 1, 2, 4) FROM t
--- functions-convert | allow | from type to type
SELECT CAST(v AS CHAR(3)), CAST('12' AS SIGNED), CAST(1 AS DECIMAL(5, 2)), CONVERT('2024-01-01', DATETIME), CAST('[1]' AS CHAR) + 0, CONVERT(v USING latin1), CAST('a' AS BINARY) FROM t
--- functions-network | allow | of addresses
SELECT INET6_NTOA(INET6_ATON('::1')), IS_IPV6('::1'), INET_NTOA(167773449)
--- functions-geo | allow | of places
SELECT id, ST_X(at), ST_Y(at), ST_AsText(at), ST_Distance_Sphere(at, POINT(1, 1)), ST_Within(at, ST_GeomFromText('POLYGON((0 0,0 9,9 9,9 0,0 0))')), MBRContains(ST_GeomFromText('LINESTRING(0 0,9 9)'), at) FROM places
--- functions-geo-builders | allow | that make places
SELECT ST_AsText(POLYGON(LINESTRING(POINT(0,0), POINT(0,1), POINT(1,1), POINT(0,0)))), ST_AsText(MULTIPOINT(POINT(1,1), POINT(2,2))), ST_AsText(GEOMETRYCOLLECTION(POINT(1,1)))
--- functions-zones-more | allow | of zones
SELECT CONVERT_TZ(NOW(), @@session.time_zone, '+00:00'), UTC_TIMESTAMP(), FROM_UNIXTIME(1700000000, '%Y %D %M'), UNIX_TIMESTAMP('2024-01-01'), GET_FORMAT(DATE, 'EUR'), EXTRACT(DAY_HOUR FROM NOW())
--- functions-uuid-all | allow | identifiers
SELECT LENGTH(UUID()), LENGTH(RANDOM_BYTES(8)), RAND(3) < 1
--- functions-mysql-only | allow | of MySQL | only: mysql
SELECT ANY_VALUE(v), BIN_TO_UUID(UUID_TO_BIN(UUID())) IS NULL, REGEXP_LIKE(MAX(v), '^t'), FORMAT_BYTES(2048), ST_Latitude(ST_SRID(POINT(1, 2), 4326)), JSON_PRETTY('{}') FROM t GROUP BY id
--- functions-vectors | allow | of vectors | only: mysql >=9
SELECT VECTOR_DIM(STRING_TO_VECTOR('[1,2]')), VECTOR_TO_STRING(TO_VECTOR('[1,2]'))
--- functions-maria-only | allow | of MariaDB | only: mariadb
SELECT NVL(v, ''), NVL2(v, 1, 2), CHR(65), ADD_MONTHS('2024-01-31', 1), TO_CHAR(NOW(), 'YYYY-MM-DD'), SFORMAT('{}', 1), NATURAL_SORT_KEY('a10'), JSON_NORMALIZE('{}'), MD5('x'), LENGTHB('x') FROM t
--- functions-maria-columns | allow | of dynamic columns | only: mariadb
SELECT COLUMN_JSON(COLUMN_CREATE('a', 1)), COLUMN_GET(COLUMN_CREATE('a', 1), 'a' AS INT)
--- functions-stored-own | allow | that only read, in every place
SELECT f_label(v) AS l, f_read(MAX(id)) FROM t WHERE f_read(id) >= 0 GROUP BY l HAVING MAX(f_read(id)) >= 0 ORDER BY f_label(l)
--- functions-stored-block | allow | with a block, a loop and a cursor of its own
SELECT f_loop(3), f_cursor()
--- functions-geometry | allow | functions over geometries of tables and short literals
SELECT id, ST_Distance(at, POINT(1, 1)) AS d FROM places WHERE ST_Within(at, ST_Buffer(POINT(1, 1), 9)) ORDER BY d LIMIT 5
--- functions-geometry-concat | allow | a point that is made of columns
SELECT id FROM places WHERE ST_Intersects(at, ST_GeomFromText(CONCAT('POINT(', ST_X(at), ' ', ST_Y(at), ')')))
--- views-over-views | allow | views over views and common table expressions
SELECT * FROM v_report r JOIN v_join j ON j.id = r.id
--- views-rollup | allow | a view with totals, which MySQL shows with functions that there are not
SELECT * FROM v_rollup
--- views-oracle | allow | a view created with sql_mode ORACLE: its definition is stored in the usual grammar | only: mariadb
SELECT * FROM v_oracle
--- functions-stored-words | allow | words of the grammar in front of brackets, and free ones as variables
SELECT f_words(2)
--- functions-twin | allow | a stored function with its database, whatever else is called so
SELECT guard.f_label('x')
--- names-denied-columns | allow | names of denied functions in front of columns
WITH sleep (a) AS (SELECT 1), get_lock (b) AS (SELECT 2) SELECT sleep.a, get_lock.b, benchmark.a FROM sleep, get_lock, (SELECT 3 AS a) AS benchmark
--- names-denied-derived | allow | names of denied functions in front of columns | only: mysql
SELECT * FROM (SELECT 1) AS sleep (a), (SELECT 2) load_file (b)
--- names-wide | allow | characters of four bytes in the name of a query | only: mysql <9
SELECT * FROM (WITH `🦔` AS (SELECT 1 AS a) SELECT a FROM `🦔`) q
--- options-brackets | allow | options in front of brackets
SELECT SQL_NO_CACHE (id), (SELECT MAX(id) FROM t) FROM t WHERE id IN (SELECT SQL_NO_CACHE_ FROM (SELECT 1 AS SQL_NO_CACHE_) q)
--- options-buffer | allow | options in front of brackets
SELECT SQL_BUFFER_RESULT (id) FROM t
--- window-blank | allow | a blank in front of the bracket | only: mysql
SELECT RANK () OVER (ORDER BY id), LAG (id) OVER (ORDER BY id), ROW_NUMBER () OVER () FROM t
--- rollup-standard | allow | the other way to write it | only: mysql >=9
SELECT region, SUM(amount) FROM sales GROUP BY ROLLUP (region)
--- describe-verb | allow | a table that is called like a verb
DESC import
--- describe-verb-column | allow | a table and a column that are called like verbs
DESCRIBE guard.import start
--- explain-verb | allow | a table that is called like a verb
EXPLAIN import
--- columns-computed | allow | columns with expressions that call what the server has | only: mariadb
SELECT a, b, DEFAULT(d) FROM t_computed
--- columns-numbered | allow | a column that takes the next number of a sequence when a row is written | only: mariadb
SELECT * FROM t_numbered
--- views-gbk | allow | a view that was made over another character set
SELECT * FROM v_gbk

--- show-like-percent | allow | SHOW
SHOW VARIABLES LIKE '%\_size'
--- show-variables-in | allow | SHOW
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('max_connections', 'version') AND Value <> ''
--- show-status-where | allow | SHOW
SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\_select' OR Variable_name REGEXP '^Uptime'
--- show-index-from-in | allow | SHOW
SHOW INDEXES IN `t` IN `guard` WHERE Non_unique = 1
--- show-create-quoted | allow | SHOW
show create table `update`;
--- show-table-status-where | allow | SHOW
SHOW TABLE STATUS FROM `guard` WHERE Engine = 'InnoDB' AND `Rows` >= 0
--- show-extended-tables | allow | SHOW | only: mysql
SHOW EXTENDED FULL TABLES FROM guard
--- show-collation-like | allow | SHOW
SHOW COLLATION LIKE 'utf8mb4\_unicode%'
--- show-errors-count | allow | SHOW
SHOW COUNT(*) ERRORS
--- show-open-where | allow | SHOW
SHOW OPEN TABLES WHERE In_use > 0
--- show-columns-where | allow | SHOW
SHOW COLUMNS FROM sales FROM guard WHERE `Type` LIKE '%int%'
--- explain-window | allow | EXPLAIN
EXPLAIN FORMAT=JSON SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM t
--- explain-recursive | allow | EXPLAIN
EXPLAIN WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r
--- explain-semicolon | allow | EXPLAIN
explain select * from t where v = 'one';
--- explain-analyze-json | allow | EXPLAIN | only: mysql >=8.3
EXPLAIN ANALYZE FORMAT=TREE SELECT * FROM t JOIN child c ON c.tid = t.id
--- describe-quoted | allow | DESCRIBE
DESCRIBE `guard`.`update` `select`
--- catalog-sizes | allow | the largest tables
SELECT table_schema AS `db`, table_name, ROUND((data_length + index_length) / 1024 / 1024, 1) AS mb FROM information_schema.tables WHERE table_type = 'BASE TABLE' ORDER BY data_length + index_length DESC LIMIT 10
--- catalog-without-key | allow | tables without a primary key
SELECT t.table_name FROM information_schema.tables t LEFT JOIN information_schema.table_constraints c ON c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.constraint_type = 'PRIMARY KEY' WHERE t.table_schema = DATABASE() AND c.constraint_name IS NULL
--- catalog-foreign | allow | foreign keys
SELECT CONCAT(table_name, '.', column_name, ' -> ', referenced_table_name, '.', referenced_column_name) FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL
--- catalog-charsets | allow | character sets of columns
SELECT column_name, character_set_name, collation_name FROM information_schema.columns WHERE table_schema = 'guard' AND data_type IN ('varchar', 'text')
--- catalog-compression | allow | counters without the reset | as: superuser
SELECT * FROM information_schema.innodb_cmp LIMIT 3
--- catalog-threads | allow | threads | as: superuser
SELECT p.id, p.user, p.time, LEFT(p.info, 100) FROM information_schema.processlist p WHERE p.command <> 'Sleep' AND p.id <> CONNECTION_ID() ORDER BY p.time DESC
--- catalog-metadata-locks | allow | locks of names | only: mysql | as: superuser
SELECT object_schema, object_name, lock_type, lock_status FROM performance_schema.metadata_locks
--- catalog-slow | allow | what took longest | only: mysql | as: superuser
SELECT digest_text, count_star, ROUND(sum_timer_wait / 1e12, 3) AS s, sum_rows_examined FROM performance_schema.events_statements_summary_by_digest WHERE schema_name = DATABASE() ORDER BY sum_timer_wait DESC LIMIT 10
--- catalog-sys-indexes | allow | indexes that are not needed | as: superuser
SELECT * FROM sys.schema_redundant_indexes WHERE table_schema = 'guard'
--- catalog-sys-statements | allow | statements with scans | as: superuser
SELECT query, db, exec_count, total_latency FROM sys.statements_with_full_table_scans LIMIT 5
--- catalog-sys-io | allow | files | as: superuser
SELECT * FROM sys.io_global_by_file_by_bytes LIMIT 3
--- catalog-sys-hosts | allow | hosts and users | as: superuser
SELECT u.user, u.statements, h.host FROM sys.user_summary u JOIN sys.host_summary h LIMIT 3
--- catalog-sys-functions | allow | functions of the sys schema | as: superuser
SELECT sys.format_time(1000), sys.format_path('/a/b'), sys.quote_identifier('a b'), sys.extract_table_from_file_name('./a/b.ibd')
--- catalog-sys-metrics | allow | all counters | only: mysql | as: superuser
SELECT Variable_name, Variable_value FROM sys.metrics WHERE Enabled = 'YES' LIMIT 5
