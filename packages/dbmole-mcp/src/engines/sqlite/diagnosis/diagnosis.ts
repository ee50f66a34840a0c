import { type CheckReport, reportUnavailable } from '@dbmole/core';
import { adviseIndexes } from '../../../advice/advise.ts';
import type { Diagnosis } from '../../../diagnosis/diagnosis.ts';
import { advisor } from '../advice/advisor.ts';
import { checkIndexes } from './indexes.ts';
import { checkLocks } from './locks.ts';
import { checkPrivileges } from './privileges.ts';
import { checkSettings } from './settings.ts';
import { checkTables } from './tables.ts';

export const diagnosis: Diagnosis = {
  activity: lacks(
    'SQLite has no sessions; each program reads the file itself',
    'diagnose with check=locks shows who holds a lock.',
  ),
  locks: checkLocks,
  slow_queries: lacks('SQLite keeps no statistics of statements', 'explain shows the plan of one.'),
  indexes: checkIndexes,
  index_advice: (_run, { reads, sql }) => adviseIndexes(advisor, reads, sql),
  tables: checkTables,
  replication: lacks('SQLite has no replication', 'Nothing has to be done.'),
  settings: checkSettings,
  privileges: checkPrivileges,
};

function lacks(reason: string, remedy: string): () => Promise<CheckReport> {
  return async () => reportUnavailable(reason, remedy);
}
