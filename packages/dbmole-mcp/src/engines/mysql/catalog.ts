import type { SqlCatalog } from '../../catalog.ts';
import { describeTables } from './catalog-describe.ts';
import { listDatabases, listTables, schemaNames, tableNames } from './catalog-list.ts';
import { columnNames, search } from './catalog-search.ts';

/** Reads information_schema; how, depends on which of the two families answers. */
export const catalog: SqlCatalog = {
  listDatabases,
  listTables,
  describeTables,
  search,
  schemaNames,
  tableNames,
  columnNames,
  audit: async (run) => await (await import('./audit.ts')).audit(run),
};
