import type { TableDetails, TableStats } from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';

const sql = `select s.stat, i.name from sqlite_stat1 s join pragma_index_info(s.idx) i
where lower(s.tbl) = lower(?) and i.seqno = 0 limit 2000`;

/** What ANALYZE has kept: of each index, the rows of the table, and how many of them share a value of its first column. */
export async function readStats(run: CatalogRun, tables: readonly TableDetails[]): Promise<TableStats[]> {
  return await Promise.all(tables.map((table) => readTable(run, table.name)));
}

async function readTable(run: CatalogRun, table: string): Promise<TableStats> {
  const name = parseNameParts(table).at(-1)?.text ?? '';
  // Without statistics there is no such table.
  const rows = await run(sql, [name]).catch(() => []);
  const columns = rows.flatMap(([stat, column]) => {
    const [all = 0, each = 0] = (stat ?? '').split(' ').map(Number);
    const distinct = each > 0 ? Math.round(all / each) : undefined;
    return column === null || column === undefined
      ? []
      : [{ column: formatIdentifier(column), nulls: undefined, distinct, common: [], min: undefined, max: undefined }];
  });
  const note =
    columns.length === 0
      ? 'no statistics; ANALYZE collects them'
      : 'from the last ANALYZE, for the first columns of indexes only';
  return { table, columns, note };
}
