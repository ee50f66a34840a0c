import { type CheckReport, type Finding, formatSeconds, formatStatement, joinFacts, readCount, readNumber } from '@dbmole/core';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readAccount } from './account.ts';

/** Seconds from which a session is a finding. One that waits with locks on rows, or is prepared to commit, counts almost at once. */
const longSeconds = { running: 60, idle: 60, idleWithLocks: 2 };
/** Seconds from which it is a serious one. */
const alarmingSeconds = { running: 1_800, idle: 600 };
/** Seconds from which a transaction is, whose statements are short. */
const longTransactionSeconds = 600;
const maxSessions = 500;
/** Transactions behind the newest that an old snapshot keeps from being vacuumed. */
const maxSnapshotAge = 1_000_000;

/** Parallel workers are counted with their leader. The text of a session that the account may not see is null. */
const sessionsSql = `
select a.pid::text, a.usename::text, a.datname::text, a.application_name, a.state, a.wait_event_type || ':' || a.wait_event,
  extract(epoch from pg_catalog.clock_timestamp() - a.xact_start)::text,
  extract(epoch from pg_catalog.clock_timestamp() - a.query_start)::text,
  extract(epoch from pg_catalog.clock_timestamp() - a.state_change)::text,
  pg_catalog.left(a.query, 400), pg_catalog.age(a.backend_xmin)::text,
  (select pg_catalog.count(*) from pg_catalog.pg_stat_activity w where w.leader_pid = a.pid)::text,
  (a.backend_xid is not null)::text
from pg_catalog.pg_stat_activity a
where a.backend_type = 'client backend' and a.pid <> pg_catalog.pg_backend_pid() and a.state <> 'idle'
order by a.xact_start nulls last limit ${maxSessions}`;

const hiddenSql = `
select pg_catalog.count(*)::text, pg_catalog.current_setting('track_activities') from pg_catalog.pg_stat_activity a
where a.backend_type is null and a.usename is not null`;

const preparedSql = `
select p.gid, p.owner::text, extract(epoch from pg_catalog.clock_timestamp() - p.prepared)::text, pg_catalog.age(p.transaction)::text
from pg_catalog.pg_prepared_xacts p where p.database = pg_catalog.current_database() order by p.prepared limit 50`;

interface SessionRow {
  pid: string;
  who: string;
  state: string;
  wait: string | undefined;
  transactionSeconds: number | undefined;
  querySeconds: number;
  stateSeconds: number;
  sql: string;
  snapshotAge: number;
  workers: number;
  /** It has an id of its own, which a transaction gets when it first locks or changes a row. */
  hasLocks: boolean;
}

export async function checkActivity(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const [rows, hidden, prepared] = await Promise.all([run(sessionsSql), run(hiddenSql), run(preparedSql)]);
  const sessions = rows.map(readSession);
  return {
    findings: [...sessions.flatMap(judgeSession), ...prepared.flatMap(judgePrepared)],
    listing: sessions.slice(0, limit).map(formatSession),
    hidden: await describeHidden(run, readCount(hidden[0]?.[0])),
    notes: [
      ...(sessions.length > limit ? [`${sessions.length - limit} more sessions are not listed.`] : []),
      ...(hidden[0]?.[1] === 'off' ? ['track_activities is off: what sessions run cannot be seen.'] : []),
    ],
  };
}

async function describeHidden(run: CatalogRun, count: number): Promise<string | undefined> {
  if (count === 0) return undefined;
  const hidden = count === 1 ? '1 session of another account is hidden' : `${count} sessions of other accounts are hidden`;
  return `${hidden}; GRANT pg_read_all_stats TO ${await readAccount(run)}; shows them.`;
}

function readSession(row: readonly (string | null)[]): SessionRow {
  const [pid, user, database, application, state, wait, transaction, query, change, sql, age, workers, hasId] = row;
  return {
    pid: pid ?? '',
    who: `${application || user || 'a client'}@${database ?? ''}`,
    state: state ?? '',
    wait: wait ?? undefined,
    transactionSeconds: readNumber(transaction),
    querySeconds: readCount(query),
    stateSeconds: readCount(change),
    sql: formatStatement(sql),
    snapshotAge: readCount(age),
    workers: readCount(workers),
    hasLocks: hasId === 'true',
  };
}

function formatSession(session: SessionRow): string {
  const { pid, who, state, wait, transactionSeconds, querySeconds, stateSeconds, sql, workers } = session;
  const facts = joinFacts(
    `${state} ${formatSeconds(state === 'active' ? querySeconds : stateSeconds)}`,
    transactionSeconds !== undefined && `transaction ${formatSeconds(transactionSeconds)}`,
    wait !== undefined && `waits for ${wait}`,
    workers > 0 && `${workers} parallel workers`,
  );
  return `pid ${pid} (${who}): ${facts}: ${sql}`;
}

function judgeSession(session: SessionRow): Finding[] {
  const { pid, who, state, stateSeconds, querySeconds, sql, snapshotAge, wait, hasLocks } = session;
  const holdsBack =
    snapshotAge > maxSnapshotAge ? ` Its snapshot is ${snapshotAge} transactions old, and VACUUM keeps all rows since.` : '';
  if (state.startsWith('idle in transaction') && stateSeconds >= (hasLocks ? longSeconds.idleWithLocks : longSeconds.idle)) {
    return [
      {
        severity: stateSeconds >= alarmingSeconds.idle ? 'high' : 'medium',
        weight: stateSeconds,
        evidence: `pid ${pid} (${who}) has been idle in a transaction for ${formatSeconds(stateSeconds)}${hasLocks ? ' after locking or changing rows' : ''}; its last statement: ${sql}`,
        consequence: `It keeps its locks, and VACUUM cannot remove rows that it may still read.${holdsBack}`,
        next: `Commit or roll back in that client; a person can end it: select pg_terminate_backend(${pid}). idle_in_transaction_session_timeout prevents it.`,
      },
    ];
  }
  // A wait for a lock is a finding of the check of locks.
  if (wait?.startsWith('Lock:')) return [];
  if (querySeconds < longSeconds.running || state !== 'active') return judgeTransaction(session, holdsBack);
  return [
    {
      severity: querySeconds >= alarmingSeconds.running ? 'high' : 'medium',
      weight: querySeconds,
      evidence: `pid ${pid} (${who}) has been running for ${formatSeconds(querySeconds)}${wait === undefined ? '' : `, now waiting for ${wait}`}: ${sql}`,
      consequence: `It takes a session and resources of the server for as long as it runs.${holdsBack}`,
      next: `explain of that statement; a person can stop it: select pg_cancel_backend(${pid}).`,
    },
  ];
}

/** One that goes on with one short statement after the other. */
function judgeTransaction({ pid, who, transactionSeconds = 0, sql }: SessionRow, holdsBack: string): Finding[] {
  if (transactionSeconds < longTransactionSeconds) return [];
  return [
    {
      severity: transactionSeconds >= alarmingSeconds.running ? 'high' : 'medium',
      weight: transactionSeconds,
      evidence: `pid ${pid} (${who}) has had a transaction open for ${formatSeconds(transactionSeconds)}, over several statements; now: ${sql}`,
      consequence: `It keeps all locks since, and VACUUM cannot remove rows that it may still read.${holdsBack}`,
      next: `Let that client commit in shorter steps; a person can end it: select pg_terminate_backend(${pid}).`,
    },
  ];
}

function judgePrepared([gid, owner, seconds]: readonly (string | null)[]): Finding[] {
  const age = readCount(seconds);
  if (age < longSeconds.idleWithLocks) return [];
  return [
    {
      severity: age >= alarmingSeconds.idle ? 'high' : 'medium',
      weight: age,
      evidence: `the prepared transaction ${gid ?? ''} of ${owner ?? ''} has been waiting for its second phase for ${formatSeconds(age)}`,
      consequence: 'It keeps its locks, even across a restart of the server, and VACUUM cannot remove newer rows.',
      next: `If its coordinator is gone: ROLLBACK PREPARED '${(gid ?? '').replaceAll("'", "''")}'.`,
    },
  ];
}
