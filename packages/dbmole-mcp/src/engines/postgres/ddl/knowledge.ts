import { parseRuleTable, type RuleEntry } from '../../../ddl/rule-table.ts';

/**
 * What PostgreSQL does for each action of DDL, since version 14: the lock on its table, the lock on another table that it names, and the
 * work. A test runs each of them on real servers and compares the locks, the files and the scans.
 */
const table = `

# Columns
ADD COLUMN
  14: ACCESS EXCLUSIVE | - | catalog
ADD COLUMN: constant default
  14: ACCESS EXCLUSIVE | - | catalog
  note: the default is evaluated once, and existing rows show it
ADD COLUMN: volatile default
  14: ACCESS EXCLUSIVE | - | rewrite
  safer: ALTER TABLE {table} ADD COLUMN {column} {type}; ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT …; then UPDATE in batches of some 10,000 rows.
ADD COLUMN: serial
  14: ACCESS EXCLUSIVE | - | rewrite
  safer: ALTER TABLE {table} ADD COLUMN {column} {type}; ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT …; then UPDATE in batches of some 10,000 rows.
ADD COLUMN: identity
  14: ACCESS EXCLUSIVE | - | rewrite
  safer: ALTER TABLE {table} ADD COLUMN {column} {type}; ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT …; then UPDATE in batches of some 10,000 rows.
ADD COLUMN: generated, stored
  14: ACCESS EXCLUSIVE | - | rewrite
  safer: a plain column that a trigger fills, and an UPDATE in batches; or an index on the expression.
ADD COLUMN: generated, virtual
  18: ACCESS EXCLUSIVE | - | catalog
ADD COLUMN: domain with constraints
  14: ACCESS EXCLUSIVE | - | rewrite
  safer: ADD COLUMN of the plain type, then ADD CONSTRAINT … CHECK … NOT VALID and VALIDATE CONSTRAINT.
ADD COLUMN: not null, no default
  14: ACCESS EXCLUSIVE | - | scan
  note: it fails if the table has a row
  safer: give it a constant DEFAULT, which is not written into existing rows.
ADD COLUMN: check
  14: ACCESS EXCLUSIVE | - | scan
  safer: ALTER TABLE {table} ADD COLUMN {column} {type}; ALTER TABLE {table} ADD CONSTRAINT {constraint} CHECK (…) NOT VALID; ALTER TABLE {table} VALIDATE CONSTRAINT {constraint};
ADD COLUMN: references
  14: ACCESS EXCLUSIVE | SHARE ROW EXCLUSIVE | catalog
  note: existing rows are null and are not checked
ADD COLUMN: references, with default
  14: ACCESS EXCLUSIVE | SHARE ROW EXCLUSIVE | scan
  safer: add the column first, then ADD CONSTRAINT … FOREIGN KEY … NOT VALID and VALIDATE CONSTRAINT.
ADD COLUMN: unique
  14: ACCESS EXCLUSIVE | - | index
  safer: add the column alone; CREATE UNIQUE INDEX CONCURRENTLY {index} ON {table} ({columns}); ALTER TABLE {table} ADD CONSTRAINT {constraint} UNIQUE USING INDEX {index};
ADD COLUMN: primary key
  14: ACCESS EXCLUSIVE | - | index
  safer: add and fill the column; CREATE UNIQUE INDEX CONCURRENTLY {index} ON {table} ({columns}); ALTER TABLE {table} ADD PRIMARY KEY USING INDEX {index};
DROP COLUMN
  14: ACCESS EXCLUSIVE | - | catalog
  note: its indexes and constraints go with it; the space comes back only as rows are updated or the table is rewritten
SET NOT NULL
  14: ACCESS EXCLUSIVE | - | scan
  safer: ALTER TABLE {table} ADD CONSTRAINT {constraint} CHECK ({column} IS NOT NULL) NOT VALID; ALTER TABLE {table} VALIDATE CONSTRAINT {constraint}; then SET NOT NULL, which does not scan, and DROP CONSTRAINT {constraint}.
SET NOT NULL: a valid CHECK proves it
  14: ACCESS EXCLUSIVE | - | catalog
SET NOT NULL: it is already
  14: ACCESS EXCLUSIVE | - | catalog
DROP NOT NULL
  14: ACCESS EXCLUSIVE | - | catalog
SET DEFAULT
  14: ACCESS EXCLUSIVE | - | catalog
  note: existing rows keep their values
DROP DEFAULT
  14: ACCESS EXCLUSIVE | - | catalog
ALTER TYPE: same storage
  14: ACCESS EXCLUSIVE | - | catalog
  note: an index on the column is built again if its operator class or collation changes; a CHECK on it is checked again
ALTER TYPE: rewrite
  14: ACCESS EXCLUSIVE | - | rewrite
  safer: add a column of the new type, fill it in batches (a trigger keeps it up to date), then swap the names in one short transaction.
ADD IDENTITY
  14: ACCESS EXCLUSIVE | - | catalog
SET IDENTITY
  14: ACCESS EXCLUSIVE | - | catalog
DROP IDENTITY
  14: ACCESS EXCLUSIVE | - | catalog
DROP EXPRESSION
  14: ACCESS EXCLUSIVE | - | catalog
SET EXPRESSION: stored
  17: ACCESS EXCLUSIVE | - | rewrite
  safer: add a column of the new type, fill it in batches (a trigger keeps it up to date), then swap the names in one short transaction.
SET EXPRESSION: virtual
  18: ACCESS EXCLUSIVE | - | catalog
SET STATISTICS
  14: SHARE UPDATE EXCLUSIVE | - | catalog
SET STORAGE
  14: ACCESS EXCLUSIVE | - | catalog
  note: for values that are written from now on
SET COMPRESSION
  14: ACCESS EXCLUSIVE | - | catalog
  note: for values that are written from now on
SET COLUMN OPTIONS
  14: SHARE UPDATE EXCLUSIVE | - | catalog
RENAME COLUMN
  14: ACCESS EXCLUSIVE | - | catalog
  note: running programs that use the old name fail
  safer: add a column of the new name, keep both up to date, and drop the old one when no program uses it.

# Constraints
ADD CHECK
  14: ACCESS EXCLUSIVE | - | scan
  safer: ALTER TABLE {table} ADD CONSTRAINT {constraint} CHECK (…) NOT VALID; ALTER TABLE {table} VALIDATE CONSTRAINT {constraint};
ADD CHECK: not valid
  14: ACCESS EXCLUSIVE | - | catalog
  note: ALTER TABLE {table} VALIDATE CONSTRAINT {constraint} checks existing rows later, under a lock that blocks neither reads nor writes
ADD NOT NULL
  18: ACCESS EXCLUSIVE | - | scan
  safer: ALTER TABLE {table} ADD CONSTRAINT {constraint} NOT NULL {column} NOT VALID; ALTER TABLE {table} VALIDATE CONSTRAINT {constraint};
ADD NOT NULL: not valid
  18: ACCESS EXCLUSIVE | - | catalog
  note: ALTER TABLE {table} VALIDATE CONSTRAINT {constraint} checks existing rows later, under a lock that blocks neither reads nor writes
ADD FOREIGN KEY
  14: SHARE ROW EXCLUSIVE | SHARE ROW EXCLUSIVE | scan
  safer: ALTER TABLE {table} ADD CONSTRAINT {constraint} FOREIGN KEY ({columns}) REFERENCES {other} NOT VALID; ALTER TABLE {table} VALIDATE CONSTRAINT {constraint};
ADD FOREIGN KEY: not valid
  14: SHARE ROW EXCLUSIVE | SHARE ROW EXCLUSIVE | catalog
  note: ALTER TABLE {table} VALIDATE CONSTRAINT {constraint} checks existing rows later, under a lock that blocks neither reads nor writes
ADD UNIQUE
  14: ACCESS EXCLUSIVE | - | index
  safer: CREATE UNIQUE INDEX CONCURRENTLY {index} ON {table} ({columns}); ALTER TABLE {table} ADD CONSTRAINT {constraint} UNIQUE USING INDEX {index};
ADD UNIQUE: using an index
  14: ACCESS EXCLUSIVE | - | catalog
ADD PRIMARY KEY
  14: ACCESS EXCLUSIVE | - | index
  safer: CREATE UNIQUE INDEX CONCURRENTLY {index} ON {table} ({columns}); ALTER TABLE {table} ADD PRIMARY KEY USING INDEX {index}; make the columns NOT NULL before, or it scans for nulls.
ADD PRIMARY KEY: using an index
  14: ACCESS EXCLUSIVE | - | catalog
ADD PRIMARY KEY: using an index on nullable columns
  14: ACCESS EXCLUSIVE | - | scan
  safer: make the columns NOT NULL first, by a CHECK (… IS NOT NULL) NOT VALID that is validated.
ADD EXCLUDE
  14: ACCESS EXCLUSIVE | - | index
  note: there is no form of it that is built concurrently
VALIDATE CONSTRAINT
  14: SHARE UPDATE EXCLUSIVE | - | scan
VALIDATE CONSTRAINT: foreign key
  14: SHARE UPDATE EXCLUSIVE | ROW SHARE | scan
DROP CONSTRAINT
  14: ACCESS EXCLUSIVE | - | catalog
DROP CONSTRAINT: foreign key
  14: ACCESS EXCLUSIVE | ACCESS EXCLUSIVE | catalog
ALTER CONSTRAINT
  14: ACCESS EXCLUSIVE | - | catalog
RENAME CONSTRAINT
  14: ACCESS EXCLUSIVE | - | catalog

# The table as a whole
RENAME
  14: ACCESS EXCLUSIVE | - | catalog
  note: running programs that use the old name fail
  safer: in one transaction, rename it and CREATE VIEW with the old name.
SET SCHEMA
  14: ACCESS EXCLUSIVE | - | catalog
OWNER TO
  14: ACCESS EXCLUSIVE | - | catalog
SET STORAGE PARAMETERS
  14: SHARE UPDATE EXCLUSIVE | - | catalog
CLUSTER ON
  14: SHARE UPDATE EXCLUSIVE | - | catalog
  note: the next CLUSTER uses it
SET WITHOUT CLUSTER
  14: SHARE UPDATE EXCLUSIVE | - | catalog
ADD COLUMN: it exists
  14: ACCESS EXCLUSIVE | - | catalog
  note: nothing is changed
SET LOGGED: it is already
  14: ACCESS EXCLUSIVE | - | catalog
SET UNLOGGED: it is already
  14: ACCESS EXCLUSIVE | - | catalog
SET TABLESPACE: it is already there
  14: ACCESS EXCLUSIVE | - | catalog
SET ACCESS METHOD: it is already
  15: ACCESS EXCLUSIVE | - | catalog
SET LOGGED
  14: ACCESS EXCLUSIVE | - | rewrite
  note: the whole table is written to the WAL
SET UNLOGGED
  14: ACCESS EXCLUSIVE | - | rewrite
  note: an unlogged table is empty after a crash, and is not replicated
SET TABLESPACE
  14: ACCESS EXCLUSIVE | - | copy
  safer: a new table in that tablespace, filled in batches, and a swap of names; for an index: REINDEX (CONCURRENTLY, TABLESPACE …).
SET ACCESS METHOD
  15: ACCESS EXCLUSIVE | - | rewrite
ENABLE OR DISABLE TRIGGER
  14: SHARE ROW EXCLUSIVE | - | catalog
ENABLE OR DISABLE RULE
  14: ACCESS EXCLUSIVE | - | catalog
ROW LEVEL SECURITY
  14: ACCESS EXCLUSIVE | - | catalog
  note: without a policy, only the owner sees rows
REPLICA IDENTITY
  14: ACCESS EXCLUSIVE | - | catalog
INHERIT
  14: ACCESS EXCLUSIVE | SHARE UPDATE EXCLUSIVE | catalog
NO INHERIT
  14: ACCESS EXCLUSIVE | ACCESS SHARE | catalog
ATTACH PARTITION
  14: SHARE UPDATE EXCLUSIVE | ACCESS EXCLUSIVE | scan
  note: the new partition is scanned, and indexes that it lacks are built
  safer: before it, on {other}: ADD CONSTRAINT … CHECK (the bounds, and NOT NULL) NOT VALID, VALIDATE CONSTRAINT, and the indexes of {table} built CONCURRENTLY; then the scan is left out.
DETACH PARTITION
  14: ACCESS EXCLUSIVE | ACCESS EXCLUSIVE | catalog
  safer: ALTER TABLE {table} DETACH PARTITION {other} CONCURRENTLY; (not with a default partition, and not in a transaction block)
DETACH PARTITION: concurrently
  14: SHARE UPDATE EXCLUSIVE | ACCESS EXCLUSIVE | catalog
  note: it waits for transactions that use {table}; only then is {other} locked, for a moment
DETACH PARTITION: finalize
  14: SHARE UPDATE EXCLUSIVE | ACCESS EXCLUSIVE | catalog
DROP TABLE
  14: ACCESS EXCLUSIVE | - | drop
TRUNCATE
  14: ACCESS EXCLUSIVE | - | empty
  safer: DELETE in batches, if readers must not wait; it leaves dead rows for VACUUM.
CLUSTER
  14: ACCESS EXCLUSIVE | - | rewrite
  note: needs room for a second copy of the table and its indexes
VACUUM
  14: SHARE UPDATE EXCLUSIVE | - | vacuum
  note: to give back empty pages at the end it takes ACCESS EXCLUSIVE for a moment, if no one waits
VACUUM FULL
  14: ACCESS EXCLUSIVE | - | rewrite
  note: needs room for a second copy of the table and its indexes
  safer: plain VACUUM makes the space usable again without a rewrite; the extension pg_repack rewrites with short locks.
LOCK TABLE
  14: ACCESS EXCLUSIVE | - | catalog
  note: until the transaction ends

# Indexes
CREATE INDEX
  14: SHARE | - | index
  safer: the same with CONCURRENTLY after INDEX: it blocks no writes, takes longer, and runs outside of a transaction block.
CREATE INDEX: it exists
  14: SHARE | - | catalog
  note: nothing is built
CREATE INDEX: on all partitions
  14: SHARE | - | index
  note: a partition that has such an index already keeps it
  safer: CREATE INDEX {index} ON ONLY {table} …; for each partition CREATE INDEX CONCURRENTLY, then ALTER INDEX {index} ATTACH PARTITION ….
CREATE INDEX: on the parent only
  14: SHARE | - | catalog
  note: the index is invalid until one of each partition is attached
CREATE INDEX: concurrently
  14: SHARE UPDATE EXCLUSIVE | - | twice
  note: not inside of a transaction block; a build that fails leaves an INVALID index, which has to be dropped
DROP INDEX
  14: ACCESS EXCLUSIVE | - | drop
  safer: DROP INDEX CONCURRENTLY {index};
DROP INDEX: concurrently
  14: SHARE UPDATE EXCLUSIVE | - | drop
  note: waits for transactions that use the table; not inside of a transaction block
REINDEX INDEX
  14: SHARE | - | reindex
  note: the index itself is locked with ACCESS EXCLUSIVE, so queries of the table wait as well
  safer: REINDEX INDEX CONCURRENTLY {index};
REINDEX TABLE
  14: SHARE | - | reindex
  note: each index is locked with ACCESS EXCLUSIVE, so queries of the table wait as well
  safer: REINDEX TABLE CONCURRENTLY {table};
REINDEX: concurrently
  14: SHARE UPDATE EXCLUSIVE | - | twice
  note: not inside of a transaction block; a build that fails leaves an INVALID index, which has to be dropped
RENAME INDEX
  14: none | - | catalog
  note: the index is locked with SHARE UPDATE EXCLUSIVE, the table not at all
ALTER INDEX SET
  14: none | - | catalog
  note: the index is locked with SHARE UPDATE EXCLUSIVE; pages are filled by it from now on, or after REINDEX
ATTACH INDEX
  14: ACCESS SHARE | - | catalog
  note: the index of the partition is locked with ACCESS EXCLUSIVE for a moment

# What belongs to a table
CREATE TRIGGER
  14: SHARE ROW EXCLUSIVE | - | catalog
DROP TRIGGER
  14: ACCESS EXCLUSIVE | - | catalog
CREATE RULE
  14: ACCESS EXCLUSIVE | - | catalog
CREATE POLICY
  14: ACCESS EXCLUSIVE | - | catalog
ALTER POLICY
  14: ACCESS EXCLUSIVE | - | catalog
DROP POLICY
  14: ACCESS EXCLUSIVE | - | catalog
CREATE STATISTICS
  14: SHARE UPDATE EXCLUSIVE | - | catalog
  note: ANALYZE {table} fills it
COMMENT
  14: SHARE UPDATE EXCLUSIVE | - | catalog

# Other objects
CREATE TABLE
  14: none | - | catalog
  note: a new table; no one waits
CREATE TABLE: references
  14: SHARE ROW EXCLUSIVE | - | catalog
  note: on the table that the new one references
CREATE TABLE: partition of
  14: ACCESS EXCLUSIVE | - | catalog
  note: on the partitioned table; a default partition is scanned
  safer: CREATE TABLE … (LIKE {table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS); then ALTER TABLE {table} ATTACH PARTITION …, under a weaker lock.
CREATE TABLE: inherits
  14: SHARE UPDATE EXCLUSIVE | - | catalog
  note: on the parent
CREATE TABLE AS
  14: none | - | query
  note: the tables of the query are read, and locked as by a SELECT
CREATE MATERIALIZED VIEW
  14: none | - | query
  note: the tables of the query are read, and locked as by a SELECT
CREATE VIEW
  14: none | - | catalog
  note: the tables of the query are locked as by a SELECT
CREATE OR REPLACE VIEW
  14: ACCESS EXCLUSIVE | - | catalog
  note: on the view, if it exists
DROP VIEW
  14: ACCESS EXCLUSIVE | - | catalog
  note: on the view
DROP MATERIALIZED VIEW
  14: ACCESS EXCLUSIVE | - | drop
REFRESH MATERIALIZED VIEW
  14: ACCESS EXCLUSIVE | - | refresh
  safer: REFRESH MATERIALIZED VIEW CONCURRENTLY {table}; it needs a unique index on columns, without WHERE, and readers do not wait.
REFRESH MATERIALIZED VIEW: concurrently
  14: EXCLUSIVE | - | diff
CREATE SEQUENCE
  14: none | - | catalog
ALTER SEQUENCE
  14: SHARE ROW EXCLUSIVE | - | catalog
  note: on the sequence: nextval waits
DROP SEQUENCE
  14: ACCESS EXCLUSIVE | - | catalog
  note: on the sequence
ADD VALUE
  14: none | - | catalog
  note: no table is locked or scanned; the transaction that adds the value cannot use it
RENAME VALUE
  14: none | - | catalog
  note: no table is locked or scanned; rows show the new name
`;

export const rules: ReadonlyMap<string, RuleEntry> = parseRuleTable(table);
