import type { SqlCatalog } from '../../../catalog/catalog.ts';
import { describeTables, findOthers, functionNames } from './describe.ts';
import { listCandidates } from './fragments.ts';
import { listDatabases, listTables, schemaNames, tableNames } from './list.ts';
import { columnNames, search } from './search.ts';

/** Reads pg_catalog rather than information_schema: that one leaves out what the account has no rights on, and is slower. */
export const catalog: SqlCatalog = {
  listDatabases,
  listTables,
  describeTables,
  findOthers,
  search,
  schemaNames,
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
