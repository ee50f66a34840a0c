import type { SqlCatalog } from '../../../catalog/catalog.ts';
import { describeTables } from './describe.ts';
import { listDatabases, listTables, relations, schemaNames, tableNames } from './list.ts';
import { findOthers } from './other-objects.ts';
import { columnNames, foreignKeys, functionNames, search } from './search.ts';
import { readStats } from './stats.ts';

/** Reads `sqlite_schema`, and the pragmas that report on tables. */
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
  functionNames,
  audit: async (run) => await (await import('../audit/audit.ts')).audit(run),
  diagnosis: async () => (await import('../diagnosis/diagnosis.ts')).diagnosis,
};
