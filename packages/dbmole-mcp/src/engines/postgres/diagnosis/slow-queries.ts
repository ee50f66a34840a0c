import { type CheckReport, readCount, reportUnavailable } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import { judgeStatements, type StatementFigures } from '../../../diagnosis/statement-figures.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readAccount } from './account.ts';

const extensionSql = `
select pg_catalog.quote_ident(n.nspname), e.extversion
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_stat_statements'`;

const maxStatements = 100;
const blockBytes = 8192;

/** The columns have these names since version 1.8 of the extension, which PostgreSQL 13 brought. */
const statementsSql = (schema: string) => `
select s.queryid::text, pg_catalog.left(s.query, 400), s.calls::text, s.total_exec_time::text, s.mean_exec_time::text, s.rows::text,
  s.temp_blks_written::text, s.shared_blks_read::text, pg_catalog.sum(s.total_exec_time) over ()::text, pg_catalog.count(*) over ()::text
from ${schema}.pg_stat_statements s join pg_catalog.pg_database d on d.oid = s.dbid and d.datname = pg_catalog.current_database()
where s.query !~ '^<insufficient privilege>$' and s.query !~ '\\mpg_catalog[.]'
order by s.total_exec_time desc limit ${maxStatements}`;

const hiddenSql = (schema: string) => `
select pg_catalog.count(*) filter (where s.query = '<insufficient privilege>')::text from ${schema}.pg_stat_statements s`;

const sinceSql = (schema: string) => `
select pg_catalog.to_char(i.stats_reset, 'YYYY-MM-DD HH24:MI'), i.dealloc::text,
  pg_catalog.current_setting('pg_stat_statements.track', true) from ${schema}.pg_stat_statements_info i`;

/** The schema of the extension, or what is missing. */
export async function findStatistics(run: CatalogRun): Promise<string | CheckReport> {
  const [found] = await run(extensionSql);
  return (
    found?.[0] ??
    reportUnavailable(
      'the extension pg_stat_statements is not installed in this database',
      'Add pg_stat_statements to shared_preload_libraries, restart the server, then CREATE EXTENSION pg_stat_statements.',
    )
  );
}

export async function reportUnreadable(run: CatalogRun, schema: string): Promise<CheckReport> {
  return reportUnavailable(
    'pg_stat_statements is installed, but its library is not loaded, the account may not read it, or its view was replaced',
    `Add it to shared_preload_libraries and restart the server, or GRANT SELECT ON ${schema}.pg_stat_statements TO ${await readAccount(run)};`,
  );
}

function reportUntracked(): CheckReport {
  return reportUnavailable(
    'pg_stat_statements counts no statement, as its setting track is "none"',
    'ALTER SYSTEM RESET pg_stat_statements.track; select pg_reload_conf();',
  );
}

/** Views with these names need not be those of the extension, and version 1.8 has no `pg_stat_statements_info`. */
export async function checkSlowQueries(run: CatalogRun, { limit }: CheckScope, guardedRun: CatalogRun): Promise<CheckReport> {
  const schema = await findStatistics(run);
  if (typeof schema !== 'string') return schema;
  const [rows, hidden, since] = await Promise.all([
    askIfAllowed(guardedRun, statementsSql(schema)),
    askIfAllowed(guardedRun, hiddenSql(schema)),
    askIfAllowed(guardedRun, sinceSql(schema)),
  ]);
  if (rows === undefined) return await reportUnreadable(run, schema);
  const [reset, evicted, track] = since?.[0] ?? [];
  if (track === 'none') return reportUntracked();
  const hiddenCount = readCount(hidden?.[0]?.[0]);
  return judgeStatements(rows.map(readFigures), {
    limit,
    total: readCount(rows[0]?.[9]),
    hidden:
      hiddenCount > 0
        ? `${hiddenCount} statements of other accounts are hidden; GRANT pg_read_all_stats TO ${await readAccount(run)}; shows them.`
        : undefined,
    notes: [
      'Statements over pg_catalog are left out.',
      reset ? `Counted since ${reset}.` : 'The server did not report since when it counts.',
      ...(readCount(evicted) > 0
        ? [`${evicted} times rare statements were dropped for lack of space (pg_stat_statements.max).`]
        : []),
    ],
  });
}

function readFigures([, sql, calls, total, mean, rows, temp, read, all]: readonly (string | null)[]): StatementFigures {
  return {
    sql: sql ?? '',
    calls: readCount(calls),
    totalMs: readCount(total),
    meanMs: readCount(mean),
    share: readCount(all) === 0 ? 0 : readCount(total) / readCount(all),
    rows: readCount(rows),
    facts: [
      ...(readCount(temp) > 0 ? [`${temp} blocks written to temporary files`] : []),
      ...(readCount(read) > 0 ? [`${read} blocks read from outside the buffers`] : []),
    ],
    spills: readCount(temp) > 0,
    spilledBytes: readCount(temp) * blockBytes,
  };
}
