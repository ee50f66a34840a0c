import { type CheckReport, type Finding, formatSeconds, formatStatement, joinFacts, readCount, readNumber } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readAccount } from './account.ts';

type Row = readonly (string | null)[];

/** Seconds from which a session is a finding. An idle one that has locked or changed rows counts almost at once. */
const longSeconds = { running: 60, idle: 60, idleWithLocks: 2 };
/** Seconds from which it is a serious one. */
const alarmingSeconds = { running: 1_800, idle: 600 };
const maxSessions = 500;

/** Threads of the server itself and of replication are not clients. */
const isClient = `p.id <> connection_id() and p.command not in ('Daemon', 'Binlog Dump', 'Binlog Dump GTID')
  and p.user not in ('system user', 'event_scheduler')`;

const sessionsSql = `
select p.id, p.user, p.db, p.command, p.state, p.time, left(p.info, 400), timestampdiff(second, t.trx_started, now()),
  t.trx_rows_modified, t.trx_rows_locked
from information_schema.processlist p left join information_schema.innodb_trx t on t.trx_mysql_thread_id = p.id
where ${isClient} and (p.command <> 'Sleep' or t.trx_id is not null)
order by coalesce(timestampdiff(second, t.trx_started, now()), p.time) desc limit ${maxSessions}`;

const transactionsSql = 'select trx_id from information_schema.innodb_trx limit 1';

/** Prepared XA transactions belong to no session, once theirs has ended or the server was started again. */
const preparedSql = `
select trx_id, timestampdiff(second, trx_started, now()), trx_rows_modified from information_schema.innodb_trx
where trx_mysql_thread_id = 0 and trx_rows_locked > 0 limit 50`;

/** Without the privilege PROCESS, which the transactions need, an account sees its own sessions only. */
const ownSessionsSql = `
select p.id, p.user, p.db, p.command, p.state, p.time, left(p.info, 400), null, null, null
from information_schema.processlist p where ${isClient} and p.command <> 'Sleep' order by p.time desc limit ${maxSessions}`;

interface SessionRow {
  id: string;
  who: string;
  isIdle: boolean;
  state: string;
  seconds: number;
  sql: string;
  transactionSeconds: number | undefined;
  changed: number;
  locked: number;
}

export async function checkActivity(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  // A server that needs no transaction for the answer does not check whether the account may see them.
  const [transactions, found, prepared] = await Promise.all([
    askIfAllowed(run, transactionsSql),
    askIfAllowed(run, sessionsSql),
    askIfAllowed(run, preparedSql),
  ]);
  const all = transactions === undefined ? undefined : found;
  const sessions = (all ?? (await run(ownSessionsSql))).map(readSession);
  return {
    findings: [...sessions.flatMap(judgeSession), ...(prepared ?? []).flatMap(judgePrepared)],
    listing: sessions.slice(0, limit).map(formatSession),
    hidden:
      all === undefined
        ? `Sessions of other accounts and all transactions are hidden; GRANT PROCESS ON *.* TO ${await readAccount(run)}; shows them.`
        : undefined,
    notes: [...(sessions.length > limit ? [`${sessions.length - limit} more sessions are not listed.`] : [])],
  };
}

function readSession([id, user, database, command, state, seconds, sql, transaction, changed, locked]: Row): SessionRow {
  return {
    id: id ?? '',
    who: `${user ?? ''}@${database ?? ''}`,
    isIdle: command === 'Sleep',
    state: state === null || state === '' ? (command ?? '') : (state ?? ''),
    seconds: readCount(seconds),
    sql: formatStatement(sql),
    transactionSeconds: readNumber(transaction),
    changed: readCount(changed),
    locked: readCount(locked),
  };
}

function formatSession({ id, who, isIdle, state, seconds, sql, transactionSeconds, changed, locked }: SessionRow): string {
  const facts = joinFacts(
    `${isIdle ? 'idle in transaction' : state} ${formatSeconds(seconds)}`,
    transactionSeconds !== undefined && `transaction ${formatSeconds(transactionSeconds)}`,
    changed > 0 && `${changed} rows changed`,
    locked > 0 && `${locked} rows locked`,
  );
  return `id ${id} (${who}): ${facts}${sql === '' ? '' : `: ${sql}`}`;
}

function judgeSession(session: SessionRow): Finding[] {
  const { isIdle, state, seconds, transactionSeconds } = session;
  if (isIdle) return transactionSeconds === undefined ? [] : judgeIdle(session);
  return seconds < longSeconds.running || isLockWait(state) ? [] : [describeRunning(session)];
}

function judgeIdle({ id, who, seconds, changed, locked }: SessionRow): Finding[] {
  const holds = joinFacts(changed > 0 && `${changed} rows changed`, locked > 0 && `${locked} rows locked`);
  if (seconds < (holds === '' ? longSeconds.idle : longSeconds.idleWithLocks)) return [];
  return [
    {
      severity: seconds >= (changed > 0 ? longSeconds.idle : alarmingSeconds.idle) ? 'high' : 'medium',
      weight: seconds,
      evidence: `session ${id} (${who}) has been idle in a transaction for ${formatSeconds(seconds)}${holds === '' ? '' : ` with ${holds}`}`,
      consequence: 'It keeps its row locks and metadata locks, and InnoDB keeps old versions of all rows for it.',
      next: `Commit or roll back in that client; a person can end it: KILL ${id}.`,
    },
  ];
}

function judgePrepared([id, seconds, changed]: Row): Finding[] {
  const age = readCount(seconds);
  if (age < longSeconds.idleWithLocks) return [];
  return [
    {
      severity: age >= alarmingSeconds.idle ? 'high' : 'medium',
      weight: age,
      evidence: `transaction ${id} of no session has ${changed} rows changed and has been open for ${formatSeconds(age)}: it is prepared (XA)`,
      consequence:
        'It keeps its row locks, also across a restart of the server, and InnoDB keeps old versions of all rows for it.',
      next: 'XA RECOVER lists it; a person who knows its coordinator can end it: XA COMMIT or XA ROLLBACK with its xid.',
    },
  ];
}

function describeRunning({ id, who, state, seconds, sql }: SessionRow): Finding {
  return {
    severity: seconds >= alarmingSeconds.running ? 'high' : 'medium',
    weight: seconds,
    evidence: `session ${id} (${who}) has been running for ${formatSeconds(seconds)} (${state}): ${sql}`,
    consequence: 'It takes a session and resources of the server for as long as it runs.',
    next: `explain of that statement; a person can stop it: KILL QUERY ${id}.`,
  };
}

/** Such a wait is a finding of the check of locks. */
export function isLockWait(state: string): boolean {
  return /^(?:waiting for .*lock|user lock)/i.test(state);
}
