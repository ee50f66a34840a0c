import { readCount } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../engine.ts';
import type { CatalogContext } from '../catalog/context.ts';

type Row = readonly (string | null)[];

/** With more tables than this, the server needs too long for the columns of all indexes: MariaDB opens each table. */
const maxTables = 1_000;
/** Tables that are looked at for each reason. */
const maxEach = 200;
/** Where the statistics may not be read either: the first so many tables. */
const maxUnknown = 300;

interface Scope {
  /** The condition on `table_schema`, and on `table_name` where a table is named. */
  where: string;
  params: readonly string[];
}

interface Narrowed {
  /** The tables whose indexes are worth a look. */
  tables: readonly string[];
  /** Tables without any key, with their rows; undefined if that is not known. */
  keyless: readonly Row[] | undefined;
  note: string;
}

/** Which of very many tables to look at; undefined if there are few. InnoDB keeps statistics of all indexes in tables of its own. */
export async function narrowTables(
  run: CatalogRun,
  { where, params }: Scope,
  context: CatalogContext,
): Promise<Narrowed | undefined> {
  const [[count] = []] = await run(`select count(*) from information_schema.${context.names} where ${where}`, params);
  const total = readCount(count);
  if (total <= maxTables) return undefined;
  const kept = where.replaceAll('table_schema', 'database_name');
  const [doubled, keyless, hidden] = await Promise.all([
    askIfAllowed(run, formatDoubledSql(kept), params),
    askIfAllowed(run, formatKeylessSql(kept), params),
    context.maria ? [] : run(formatHiddenSql(where), params),
  ]);
  if (doubled === undefined || keyless === undefined) return await takeFirst(run, { where, params }, context, total);
  const hiddenNote = context.maria ? ', and ignored indexes' : '';
  return {
    tables: [...doubled, ...hidden].map(([, table]) => table ?? ''),
    keyless: keyless.map(([schema, table, rows = null]) => [schema ?? null, table ?? null, rows]),
    note: `Of ${total} tables those were looked at whose statistics show two indexes that begin with one column; other engines than InnoDB${hiddenNote} are left out: name a schema or a table.`,
  };
}

/** The first column of each index is the description of its first statistic. A partition has its table in front of it. */
function formatDoubledSql(where: string): string {
  return `select database_name, substring_index(table_name, '#', 1) from mysql.innodb_index_stats
    where stat_name = 'n_diff_pfx01' and ${where} group by database_name, table_name, stat_description having count(*) > 1 limit ${maxEach}`;
}

/** InnoDB makes an index of this name where a table has no key. */
function formatKeylessSql(where: string): string {
  return `select i.database_name, substring_index(i.table_name, '#', 1), max(t.n_rows)
    from mysql.innodb_index_stats i join mysql.innodb_table_stats t on t.database_name = i.database_name and t.table_name = i.table_name
    where i.index_name = 'GEN_CLUST_INDEX' and i.stat_name = 'size' and ${where.replaceAll(/\b(database_name|table_name)\b/g, 'i.$1')}
    group by 1, 2 limit ${maxEach}`;
}

function formatHiddenSql(where: string): string {
  return `select table_schema, table_name from information_schema.statistics where is_visible = 'NO' and ${where} limit ${maxEach}`;
}

async function takeFirst(run: CatalogRun, { where, params }: Scope, context: CatalogContext, total: number): Promise<Narrowed> {
  const names = await run(
    `select table_name from information_schema.${context.names} where ${where} limit ${maxUnknown}`,
    params,
  );
  return {
    tables: names.map(([table]) => table ?? ''),
    keyless: undefined,
    note: `Only ${maxUnknown} of ${total} tables were looked at, as the account may not read mysql.innodb_index_stats; name a schema or a table.`,
  };
}
