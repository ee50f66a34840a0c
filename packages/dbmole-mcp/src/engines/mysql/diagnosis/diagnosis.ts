import { adviseIndexes } from '../../../advice/advise.ts';
import type { Diagnosis } from '../../../diagnosis/diagnosis.ts';
import { advisor } from '../advice/advisor.ts';
import { checkActivity } from './activity.ts';
import { checkIndexes } from './indexes.ts';
import { checkLocks } from './locks.ts';
import { checkPrivileges } from './privileges.ts';
import { checkReplication } from './replication.ts';
import { checkSettings } from './settings/settings.ts';
import { checkSlowQueries } from './slow-queries.ts';
import { checkTables } from './tables/tables.ts';

export const diagnosis: Diagnosis = {
  activity: checkActivity,
  locks: checkLocks,
  slow_queries: checkSlowQueries,
  indexes: checkIndexes,
  index_advice: (_run, { reads, sql }) => adviseIndexes(advisor, reads, sql),
  tables: checkTables,
  replication: checkReplication,
  settings: checkSettings,
  privileges: checkPrivileges,
};
