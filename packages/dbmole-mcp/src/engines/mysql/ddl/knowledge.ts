import { parseRuleTable, type RuleEntry } from '../../../ddl/rule-table.ts';

/**
 * What MySQL and MariaDB do for each action of DDL on an InnoDB table: the best algorithm, the weakest LOCK that goes with it, and the work.
 * A test runs each of them with these clauses, and sees that the servers refuse better ones.
 */
const table = `

# Columns
ADD COLUMN
  MySQL 8.0: INPLACE NONE rebuild
  MySQL 8.0.12: INSTANT
  MariaDB 10.3: INSTANT
ADD COLUMN: first or after
  MySQL 8.0: INPLACE NONE rebuild
  MySQL 8.0.29: INSTANT
  MariaDB 10.4: INSTANT
ADD COLUMN: default in parentheses
  MySQL 8.0.13: COPY SHARED
  MariaDB 10.3: INSTANT
  safer: write a constant default without parentheses, which is instant.
ADD COLUMN: default expression
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  MySQL 8.0.13: COPY SHARED
ADD COLUMN: auto_increment
  MySQL 8.0: INPLACE SHARED rebuild
  MariaDB 10.3: INPLACE SHARED rebuild
ADD COLUMN: generated, stored
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
ADD COLUMN: generated, virtual
  MySQL 8.0: INSTANT
  MariaDB 10.3: INSTANT
ADD COLUMN: unique
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
  safer: ADD COLUMN alone, which is instant, then ADD UNIQUE in a statement of its own.
ADD COLUMN: check
  MySQL 8.0.16: COPY SHARED
  MariaDB 10.3: INSTANT
  safer: ADD COLUMN alone; add the CHECK with NOT ENFORCED if it may stay so, because enforcing it copies the table.
DROP COLUMN
  MySQL 8.0: INPLACE NONE rebuild
  MySQL 8.0.29: INSTANT
  MariaDB 10.4: INSTANT
  note: running programs that name the column fail
DROP COLUMN: indexed
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.4: NOCOPY NONE metadata
  note: it goes out of its indexes as well
  safer: DROP INDEX in a statement of its own; then DROP COLUMN is instant.
RENAME COLUMN
  MySQL 8.0: INPLACE NONE metadata
  MySQL 8.0.28: INSTANT
  MariaDB 10.4: INSTANT
  note: running programs that use the old name fail
SET DEFAULT
  MySQL 8.0: INSTANT
  MariaDB 10.3: INSTANT
  note: existing rows keep their values
DROP DEFAULT
  MySQL 8.0: INSTANT
  MariaDB 10.3: INSTANT
MODIFY COLUMN: same type
  MySQL 8.0: INSTANT
  MariaDB 10.4: INSTANT
MODIFY COLUMN: longer varchar
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.4: INSTANT
MODIFY COLUMN: varchar that needs a second byte for its length
  MySQL 8.0: COPY SHARED
  MariaDB 10.4: INSTANT
  note: up to 255 bytes the length takes one byte
MODIFY COLUMN: varchar of 128 bytes or more that needs a second byte for its length
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  note: up to 255 bytes the length takes one byte
MODIFY COLUMN: values appended to the list
  MySQL 8.0: INSTANT
  MariaDB 10.4: INSTANT
MODIFY COLUMN: other type
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  safer: add a column of the new type, fill it in batches (a trigger keeps it up to date), then swap the names; gh-ost or pt-online-schema-change do the like.
MODIFY COLUMN: character set
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  safer: gh-ost or pt-online-schema-change, which copy in batches while reads and writes go on.
MODIFY COLUMN: collation
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.4: INSTANT
  note: comparisons and unique values follow the new collation
MODIFY COLUMN: collation of an indexed column
  MySQL 8.0: COPY SHARED
  MariaDB 10.4: NOCOPY NONE index
  note: comparisons and unique values follow the new collation
MODIFY COLUMN: null to not null
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
  note: it needs a strict sql_mode, and fails if a row is null
MODIFY COLUMN: not null to null
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
MODIFY COLUMN: first or after
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.4: INSTANT

# Indexes
ADD INDEX
  MySQL 8.0: INPLACE NONE index
  MariaDB 10.3: NOCOPY NONE index
ADD UNIQUE
  MySQL 8.0: INPLACE NONE index
  MariaDB 10.3: NOCOPY NONE index
  note: a duplicate that another session writes meanwhile makes it fail at the end
ADD INDEX: expression
  MySQL 8.0.13: INPLACE SHARED index
ADD FULLTEXT INDEX
  MySQL 8.0: INPLACE SHARED index
  MariaDB 10.3: INPLACE SHARED index
  note: the first one of a table rebuilds it, to add the column FTS_DOC_ID
ADD SPATIAL INDEX
  MySQL 8.0: INPLACE SHARED index
  MariaDB 10.3: INPLACE SHARED index
DROP INDEX
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.3: NOCOPY NONE metadata
  safer: on MySQL, ALTER INDEX … INVISIBLE first (MariaDB: IGNORED), and see that nothing becomes slow; that is undone at once.
RENAME INDEX
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.5: INSTANT
ALTER INDEX: visibility
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.6: INSTANT
ADD PRIMARY KEY
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
DROP PRIMARY KEY
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  safer: DROP PRIMARY KEY, ADD PRIMARY KEY (…) in one statement, which is done in place while writes go on.
DROP PRIMARY KEY: with a new one
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild

# Constraints
ADD FOREIGN KEY
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  note: existing rows are checked
  safer: SET SESSION foreign_key_checks = 0 before it: INPLACE, LOCK=NONE; existing rows are then not checked, so look for orphans with a SELECT.
DROP FOREIGN KEY
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.3: INSTANT
ADD CHECK
  MySQL 8.0.16: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  note: existing rows are checked
DROP CHECK
  MySQL 8.0.16: INSTANT
  MariaDB 10.3: INSTANT
ALTER CHECK: not enforced
  MySQL 8.0.16: INSTANT
ALTER CHECK: enforced
  MySQL 8.0.16: COPY SHARED

# The table as a whole
RENAME
  MySQL 8.0: INSTANT
  MariaDB 10.3: INSTANT
  note: running programs that use the old name fail
CONVERT TO CHARACTER SET
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
  safer: gh-ost or pt-online-schema-change, which copy in batches while reads and writes go on.
CONVERT TO CHARACTER SET: the same
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.4: INSTANT
CONVERT TO CHARACTER SET: collation
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.4: INSTANT
  note: comparisons and unique values follow the new collation
CONVERT TO CHARACTER SET: collation of an indexed column
  MySQL 8.0: COPY SHARED
  MariaDB 10.4: NOCOPY NONE index
  note: comparisons and unique values follow the new collation
DEFAULT CHARACTER SET
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.3: INSTANT
  note: for columns that are added later; existing columns keep theirs
ROW_FORMAT
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
FORCE
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
ENGINE: the same
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
ENGINE: another
  MySQL 8.0: COPY SHARED
  MariaDB 10.3: COPY SHARED
  MariaDB 11.2: COPY NONE
AUTO_INCREMENT
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.3: INSTANT
COMMENT
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.3: INSTANT
STATISTICS OPTIONS
  MySQL 8.0: INPLACE NONE metadata
  MariaDB 10.3: INSTANT
OPTIMIZE TABLE
  MySQL 8.0: INPLACE NONE rebuild
  MariaDB 10.3: INPLACE NONE rebuild
  note: it is done as ALTER TABLE … FORCE; a table with a FULLTEXT index is copied, and writes wait

# Statements that have no ALGORITHM
TRUNCATE
  MySQL 8.0: EXCLUSIVE empty
  MariaDB 10.3: EXCLUSIVE empty
  note: it commits at once and cannot be rolled back; it fails on a table that foreign keys reference
  safer: DELETE in batches, if readers must not wait.
DROP TABLE
  MySQL 8.0: EXCLUSIVE drop
  MariaDB 10.3: EXCLUSIVE drop
  note: it commits at once and cannot be rolled back
  safer: RENAME TABLE first, and drop it when nothing has missed it.
RENAME TABLE
  MySQL 8.0: EXCLUSIVE metadata
  MariaDB 10.3: EXCLUSIVE metadata
  note: all tables of the list change their names at once; running programs that use the old name fail
CREATE TABLE
  MySQL 8.0: none
  MariaDB 10.3: none
  note: a new table; a FOREIGN KEY locks the table that it references for a moment
CREATE VIEW
  MySQL 8.0: none
  MariaDB 10.3: none
`;

export const rules: ReadonlyMap<string, RuleEntry> = parseRuleTable(table);
