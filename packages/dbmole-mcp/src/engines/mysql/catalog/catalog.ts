import type { SqlCatalog } from '../../../catalog/catalog.ts';
import { describeTables } from './describe.ts';
import { listDatabases, listTables, relations, schemaNames, tableNames } from './list.ts';
import { findOthers } from './other-objects.ts';
import { columnNames, foreignKeys, search } from './search.ts';
import { readStats } from './stats.ts';

/** Reads information_schema, in the way that suits MySQL or MariaDB. */
export const catalog: SqlCatalog = {
  listDatabases,
  listTables,
  describeTables,
  readStats,
  findOthers,
  search,
  foreignKeys,
  schemaNames,
  relations,
  tableNames,
  columnNames,
  audit: async (run) => await (await import('../audit/audit.ts')).audit(run),
  diagnosis: async () => (await import('../diagnosis/diagnosis.ts')).diagnosis,
};
