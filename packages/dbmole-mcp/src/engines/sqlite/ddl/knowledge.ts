import type { DdlEffect } from '../../../ddl/ddl-report.ts';

type Effect = Partial<Pick<DdlEffect, 'work' | 'notes' | 'safer'>>;

const metadata = 'changes the schema alone; no row is read or written';

/** What definitions do, by command. */
export const effects: Readonly<Record<string, Effect>> = {
  'ALTER TABLE ADD COLUMN': {
    work: metadata,
    notes: ['With a CHECK, NOT NULL or generated STORED column, the rows are read to check them, or it is refused.'],
  },
  'ALTER TABLE DROP COLUMN': {
    work: 'rewrites all rows of the table',
    notes: ['Refused for a column of a key, an index, a view, a trigger or a CHECK.'],
  },
  'ALTER TABLE RENAME COLUMN': { work: `${metadata}; views and triggers are rewritten` },
  'ALTER TABLE RENAME TO': { work: `${metadata}; views, triggers and foreign keys are rewritten` },
  'CREATE TABLE': { work: 'adds a table; with AS SELECT, writes its rows' },
  'CREATE INDEX': { work: 'reads the whole table, sorts, and writes the index', safer: ['Run it while no program writes.'] },
  'CREATE VIEW': { work: metadata },
  'CREATE TRIGGER': { work: metadata },
  'DROP TABLE': {
    work: 'frees the pages of the table and its indexes',
    notes: ['Its rows are deleted first where foreign keys refer to it. The file keeps its size until VACUUM.'],
  },
  'DROP INDEX': { work: 'frees the pages of the index', notes: ['The file keeps its size until VACUUM.'] },
  'DROP VIEW': { work: metadata },
  'DROP TRIGGER': { work: metadata },
  REINDEX: { work: 'rebuilds the indexes' },
  VACUUM: {
    work: 'rewrites the whole file, which takes as much room again',
    notes: ['It cannot be rolled back, and fails while another program reads or writes.'],
  },
};
