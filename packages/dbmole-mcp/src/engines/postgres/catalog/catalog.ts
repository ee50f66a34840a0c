import type { SqlCatalog } from '../../../catalog/catalog.ts';
import { describeTables, functionNames } from './describe.ts';
import { listCandidates } from './fragments.ts';
import { listDatabases, listTables, relations, schemaNames, tableNames } from './list.ts';
import { findOthers } from './other-objects.ts';
import { columnNames, foreignKeys, search } from './search.ts';
import { readStats } from './stats.ts';

/** Reads pg_catalog rather than information_schema: that one leaves out what the account has no rights on, and is slower. */
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
  functionNames,
  columnNames: (run, tables) =>
    columnNames(
      run,
      tables.flatMap((table, ord) => listCandidates(table, ord, undefined)),
    ),
  audit: async (run) => await (await import('../audit/audit.ts')).audit(run),
  diagnosis: async () => (await import('../diagnosis/diagnosis.ts')).diagnosis,
};
