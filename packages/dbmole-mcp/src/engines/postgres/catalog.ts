import type { SqlCatalog } from '../../catalog.ts';
import { describeTables } from './catalog-describe.ts';
import { listDatabases, listTables, schemaNames, tableNames } from './catalog-list.ts';
import { columnNames, search } from './catalog-search.ts';
import { candidatesOf } from './table-candidates.ts';

/** Reads pg_catalog rather than information_schema: that one leaves out what the account has no rights on, and is slower. */
export const catalog: SqlCatalog = {
  listDatabases,
  listTables,
  describeTables,
  search,
  schemaNames,
  tableNames,
  columnNames: (run, tables) =>
    columnNames(
      run,
      tables.flatMap((table, ord) => candidatesOf(table, ord, undefined)),
    ),
  audit: async (run) => await (await import('./audit.ts')).audit(run),
};
