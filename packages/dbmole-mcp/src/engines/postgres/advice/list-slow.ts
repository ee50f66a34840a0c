import { type CheckReport, readCount } from '@dbmole/core';
import type { SlowStatement } from '../../../advice/advisor.ts';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../engine.ts';
import { findStatistics, reportUnreadable } from '../diagnosis/slow-queries.ts';

/** Our own questions over the catalog are in there as well. A longer text is cut off by the server. */
const slowSql = (schema: string, limit: number) => `
select s.query, s.calls::text, s.mean_exec_time::text
from ${schema}.pg_stat_statements s join pg_catalog.pg_database d on d.oid = s.dbid and d.datname = pg_catalog.current_database()
where s.query ~* '^\\s*(select|with|values|table|[(])' and s.query !~ '\\mpg_catalog[.]'
order by s.total_exec_time desc limit ${limit}`;

export async function listSlow(
  run: CatalogRun,
  guardedRun: CatalogRun,
  limit: number,
): Promise<readonly SlowStatement[] | CheckReport> {
  const schema = await findStatistics(run);
  if (typeof schema !== 'string') return schema;
  const rows = await askIfAllowed(guardedRun, slowSql(schema, limit));
  if (rows === undefined) return await reportUnreadable(run, schema);
  return rows.map(([sql, calls, mean]) => ({ sql: sql ?? '', calls: readCount(calls), meanMs: readCount(mean) }));
}
