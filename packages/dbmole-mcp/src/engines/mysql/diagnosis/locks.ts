import { type CheckReport, type Finding, formatSeconds, formatStatement, readCount, reportUnavailable } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask.ts';
import { findBlockers, type LockSession } from '../../../diagnosis/blocking-tree.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';

type Row = readonly (string | null)[];

const maxWaits = 1_000;

/** The sessions that wait for one another: waiter, blocker, seconds, lock. */
const rowWaitsSql = `
select r.processlist_id, b.processlist_id, timestampdiff(second, t.trx_wait_started, now()),
  concat(l.lock_mode, ' on ', l.object_schema, '.', l.object_name)
from performance_schema.data_lock_waits w
  join performance_schema.threads r on r.thread_id = w.requesting_thread_id
  join performance_schema.threads b on b.thread_id = w.blocking_thread_id
  join performance_schema.data_locks l on l.engine_lock_id = w.requesting_engine_lock_id and l.engine = w.engine
  left join information_schema.innodb_trx t on t.trx_mysql_thread_id = r.processlist_id
limit ${maxWaits}`;

const rowWaitsOfMariaSql = `
select r.trx_mysql_thread_id, b.trx_mysql_thread_id, timestampdiff(second, r.trx_wait_started, now()),
  concat(l.lock_mode, ' on ', replace(l.lock_table, '\`', ''))
from information_schema.innodb_lock_waits w join information_schema.innodb_trx r on r.trx_id = w.requesting_trx_id
  join information_schema.innodb_trx b on b.trx_id = w.blocking_trx_id
  left join information_schema.innodb_locks l on l.lock_id = w.requested_lock_id
limit ${maxWaits}`;

/** A request for an exclusive lock waits for every holder; the others wait for those who keep writers or readers out. */
const tableWaitsSql = `
select distinct wt.processlist_id, ht.processlist_id, wt.processlist_time,
  concat('metadata lock ', w.lock_type, ' on ', w.object_schema, '.', w.object_name)
from performance_schema.metadata_locks w
  join performance_schema.metadata_locks h on h.object_type = w.object_type and h.object_schema <=> w.object_schema
    and h.object_name <=> w.object_name and h.owner_thread_id <> w.owner_thread_id
    and (h.lock_status = 'GRANTED' and (w.lock_type = 'EXCLUSIVE' or h.lock_type in ('EXCLUSIVE', 'SHARED_NO_READ_WRITE', 'SHARED_NO_WRITE'))
      or h.lock_status = 'PENDING' and h.lock_type = 'EXCLUSIVE' and w.lock_type <> 'EXCLUSIVE')
  join performance_schema.threads wt on wt.thread_id = w.owner_thread_id
  join performance_schema.threads ht on ht.thread_id = h.owner_thread_id
where w.lock_status = 'PENDING' and w.object_type = 'TABLE' limit ${maxWaits}`;

const tableWaitsOfMariaSql = `
select p.id, h.thread_id, p.time, concat('metadata lock on ', h.table_schema, '.', h.table_name)
from information_schema.processlist p join information_schema.metadata_lock_info h
  on h.thread_id <> p.id and h.table_name <> '' and locate(h.table_name, p.info) > 0
where p.state like 'Waiting for table metadata lock%' and h.lock_mode not in ('MDL_INTENTION_EXCLUSIVE') limit ${maxWaits}`;

const sessionsSql = `
select p.id, p.user, p.db, p.command, p.state, p.time, left(p.info, 400), t.trx_rows_modified, t.trx_rows_locked
from information_schema.processlist p left join information_schema.innodb_trx t on t.trx_mysql_thread_id = p.id limit 5000`;

export async function checkLocks(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const { maria } = await readContext(run);
  const [rowWaits, tableWaits, sessions] = await Promise.all([
    askIfAllowed(run, maria ? rowWaitsOfMariaSql : rowWaitsSql),
    askIfAllowed(run, maria ? tableWaitsOfMariaSql : tableWaitsSql),
    askIfAllowed(run, sessionsSql),
  ]);
  if (rowWaits === undefined || sessions === undefined) {
    const grants = maria
      ? 'GRANT PROCESS ON *.* TO the account.'
      : 'GRANT PROCESS ON *.* and GRANT SELECT ON performance_schema.* TO the account.';
    return reportUnavailable('the account may not see the locks of others', grants);
  }
  const waits = [...rowWaits, ...(tableWaits ?? [])];
  const known = new Map(sessions.map((row) => [row[0] ?? '', row]));
  const involved = collectSessions(waits, known);
  const unnamed = tableWaits === undefined ? findUnnamedWaits(sessions) : [];
  return {
    findings: [...findBlockers(involved), ...unnamed],
    listing: involved
      .filter(({ blockers }) => blockers.length > 0)
      .slice(0, limit)
      .map(
        ({ label, waitSeconds, lock, blockers }) =>
          `${label} waits ${formatSeconds(waitSeconds)} for ${lock}, held by ${blockers.join(', ')}`,
      ),
    notes: tableWaits === undefined ? [missingMetadata(maria)] : [],
  };
}

function missingMetadata(maria: boolean): string {
  return maria
    ? "Who holds a metadata lock is not known: INSTALL SONAME 'metadata_lock_info' shows it."
    : 'Who holds a metadata lock is not known: performance_schema or its instrument wait/lock/metadata/sql/mdl is off.';
}

/** The tree needs every session once: each that waits, and each that is waited for. */
function collectSessions(waits: readonly Row[], known: ReadonlyMap<string, Row>): LockSession[] {
  const ids = new Set(waits.flatMap(([waiter, blocker]) => [waiter ?? '', blocker ?? '']));
  return [...ids].map((id) => {
    const own = waits.filter(([waiter]) => waiter === id);
    const [, user, database, command, state, seconds, sql, changed, locked] = known.get(id) ?? [];
    const isIdle = command === 'Sleep';
    const rows = readCount(locked) > 0 ? `${locked} row locks` : '';
    return {
      id,
      label: `session ${id} (${user ?? 'gone'}@${database ?? ''})`,
      state: isIdle
        ? `idle in a transaction for ${formatSeconds(readCount(seconds))}${readCount(changed) > 0 ? ` after changing ${changed} rows` : ''}`
        : `in "${state ?? ''}" for ${formatSeconds(readCount(seconds))}: ${formatStatement(sql)}`,
      blockers: [...new Set(own.map(([, blocker]) => blocker ?? ''))],
      waitSeconds: Math.max(0, ...own.map(([, , wait]) => readCount(wait))),
      lock: own[0]?.[3] ?? rows,
      end: `Let that client commit or roll back; a person can end it: KILL ${id}.`,
    };
  });
}

/** Waits for a table whose holder the server does not name; those in open transactions may be it. */
function findUnnamedWaits(sessions: readonly Row[]): Finding[] {
  const waiting = sessions.filter(([, , , , state]) => /^waiting for table metadata lock/i.test(state ?? ''));
  if (waiting.length === 0) return [];
  const holders = sessions.filter(([, , , command, , , , changed]) => changed !== null && command === 'Sleep').map(([id]) => id);
  const maxWait = Math.max(...waiting.map(([, , , , , seconds]) => readCount(seconds)));
  return [
    {
      severity: maxWait >= 10 || waiting.length >= 3 ? 'high' : 'medium',
      weight: maxWait,
      evidence: `${waiting.length} sessions wait for a metadata lock, the longest for ${formatSeconds(maxWait)}: ${waiting
        .map(([id, , , , , , sql]) => `${id} ${formatStatement(sql)}`)
        .slice(0, 3)
        .join('; ')}`,
      consequence: 'Every later statement on that table waits behind them.',
      next:
        holders.length === 0
          ? 'diagnose check=activity for the session that uses the table.'
          : `One of the sessions in an open transaction probably holds it: ${holders.slice(0, 5).join(', ')}; a person can end it with KILL.`,
    },
  ];
}
