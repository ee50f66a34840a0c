import { type CheckReport, readCount } from '@dbmole/core';
import type { SlowStatement } from '../../../advice/advisor.ts';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';
import { readState, reportUnreadable } from '../diagnosis/slow-queries.ts';

/** Timers count picoseconds. */
const perMillisecond = 1_000_000_000;

/** MySQL keeps one statement of each kind as it was sent; MariaDB only the form without values. */
const slowSql = (text: string, limit: number) => `
select ${text}, count_star, sum_timer_wait / count_star
from performance_schema.events_statements_summary_by_digest
where (digest_text like 'SELECT%' or digest_text like 'WITH%') and count_star > 0
  and (database() is null and schema_name not in ('mysql', 'sys', 'performance_schema', 'information_schema') or schema_name = database())
  and digest_text not like '%information_schema%' and digest_text not like '%performance_schema%'
order by sum_timer_wait desc limit ${limit}`;

export async function listSlow(run: CatalogRun, limit: number): Promise<readonly SlowStatement[] | CheckReport> {
  const { maria } = await readContext(run);
  const off = await readState(run, maria);
  if (off !== undefined) return off;
  const rows = await askIfAllowed(run, slowSql(maria ? 'digest_text' : 'query_sample_text', limit));
  if (rows === undefined) return await reportUnreadable(run);
  return rows.map(([sql, calls, mean]) => ({
    sql: sql ?? '',
    calls: readCount(calls),
    meanMs: readCount(mean) / perMillisecond,
  }));
}
