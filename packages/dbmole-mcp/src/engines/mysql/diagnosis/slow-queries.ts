import { type CheckReport, type Finding, readCount, reportUnavailable } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import { judgeStatements, type StatementFigures } from '../../../diagnosis/statement-figures.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';
import { readAccount } from './account.ts';

const maxStatements = 100;
/** Timers count picoseconds. */
const perMillisecond = 1_000_000_000;

/** A session without a database sees those of all. Statements of the server's own tools have no schema. */
const statementsSql = `
select digest_text, count_star, sum_timer_wait, sum_rows_sent, sum_rows_examined, sum_created_tmp_disk_tables, sum_no_index_used,
  sum(sum_timer_wait) over (), count(*) over (), date_format(min(first_seen) over (), '%Y-%m-%d %H:%i')
from performance_schema.events_statements_summary_by_digest
where digest_text is not null and (database() is null or schema_name = database())
order by sum_timer_wait desc limit ${maxStatements}`;

/** Once the server's list is full, statements of a new kind are counted together, in a row without a digest. */
const overflowSql = `
select sum(count_star), @@performance_schema_digests_size
from performance_schema.events_statements_summary_by_digest where digest is null`;

/** What is missing if statements are not counted. */
export async function readState(run: CatalogRun, maria: boolean): Promise<CheckReport | undefined> {
  const [state = []] = await run('select @@performance_schema');
  if (state[0] === '1') return (await isCounting(run)) ? undefined : reportUncounted();
  const where = maria ? 'MariaDB starts with it off' : 'it was switched off';
  return reportUnavailable(
    `performance_schema is off (${where})`,
    'Set performance_schema=ON in the configuration and restart the server; or switch on the slow query log.',
  );
}

/** An account that may not see how the server counts learns that from the counts. */
async function isCounting(run: CatalogRun): Promise<boolean> {
  const off = await askIfAllowed(
    run,
    "select name from performance_schema.setup_consumers where enabled = 'NO' and name in ('global_instrumentation', 'thread_instrumentation', 'statements_digest')",
  );
  return off === undefined || off.length === 0;
}

function reportUncounted(): CheckReport {
  return reportUnavailable(
    'performance_schema does not count statements: a consumer is switched off',
    "UPDATE performance_schema.setup_consumers SET enabled = 'YES' WHERE name IN ('global_instrumentation', 'thread_instrumentation', 'statements_digest');",
  );
}

export async function reportUnreadable(run: CatalogRun): Promise<CheckReport> {
  return reportUnavailable(
    'the account may not read performance_schema',
    `GRANT SELECT ON performance_schema.* TO ${await readAccount(run)};`,
  );
}

export async function checkSlowQueries(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const { maria } = await readContext(run);
  const [off, rows, overflow] = await Promise.all([
    readState(run, maria),
    askIfAllowed(run, statementsSql),
    askIfAllowed(run, overflowSql),
  ]);
  if (off !== undefined) return off;
  if (rows === undefined) return await reportUnreadable(run);
  const report = judgeStatements(rows.map(readFigures), {
    limit,
    total: readCount(rows[0]?.[8]),
    notes: [rows[0]?.[9] ? `Counted since ${rows[0][9]}.` : 'No statement of this database is listed yet.'],
  });
  return { ...report, findings: [...report.findings, ...judgeOverflow(overflow?.[0])] };
}

function judgeOverflow([calls = null, size = null]: readonly (string | null)[] = []): Finding[] {
  const count = readCount(calls);
  if (count === 0) return [];
  return [
    {
      severity: 'low',
      weight: 0,
      evidence: `the server's list of ${size} kinds of statements is full; ${count} calls of other kinds were counted together`,
      consequence: 'A slow statement among those calls is not listed.',
      next: 'TRUNCATE TABLE performance_schema.events_statements_summary_by_digest starts the list again; performance_schema_digests_size makes it longer.',
    },
  ];
}

function readFigures([sql, calls, total, rows, examined, disk, unindexed, all]: readonly (string | null)[]): StatementFigures {
  const totalMs = readCount(total) / perMillisecond;
  const count = readCount(calls);
  return {
    sql: sql ?? '',
    calls: count,
    totalMs,
    meanMs: count === 0 ? 0 : totalMs / count,
    share: readCount(all) === 0 ? 0 : readCount(total) / readCount(all),
    rows: readCount(rows),
    facts: [
      ...(count > 0 && readCount(examined) > readCount(rows)
        ? [`${Math.round(readCount(examined) / count)} rows examined a call`]
        : []),
      ...(readCount(disk) > 0 ? [`${disk} temporary tables on disk`] : []),
      ...(readCount(unindexed) > 0 ? [`${unindexed} calls without an index`] : []),
    ],
    spills: readCount(disk) > 0,
  };
}
