import { type CheckReport, type Finding, formatSeconds, formatStatement, readCount, reportUnavailable } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import { findBlockers, type LockSession } from '../../../diagnosis/blocking-tree.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';
import { readAccount } from './account.ts';
import { isLockWait } from './activity.ts';

type Row = readonly (string | null)[];

const maxWaits = 1_000;

/** The id of a transaction that was prepared and whose session is gone. */
const preparedId = '0';

/** The sessions that wait for one another: waiter, blocker, seconds, lock. */
const rowWaitsSql = `
select r.processlist_id, case when b.thread_id is null then '${preparedId}' else b.processlist_id end, timestampdiff(second, t.trx_wait_started, now()),
  concat(l.lock_mode, ' on ', l.object_schema, '.', l.object_name)
from performance_schema.data_lock_waits w
  join performance_schema.threads r on r.thread_id = w.requesting_thread_id
  left join performance_schema.threads b on b.thread_id = w.blocking_thread_id
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

/** What a metadata lock waits for: each kind that is asked for, and the kinds that keep it waiting, without SHARED_. */
const conflicts: Readonly<Record<string, string>> = {
  READ: 'NO_READ_WRITE,EXCLUSIVE',
  WRITE: 'READ_ONLY,NO_WRITE,NO_READ_WRITE,EXCLUSIVE',
  WRITE_LOW_PRIO: 'READ_ONLY,NO_WRITE,NO_READ_WRITE,EXCLUSIVE',
  UPGRADABLE: 'UPGRADABLE,NO_WRITE,NO_READ_WRITE,EXCLUSIVE',
  READ_ONLY: 'WRITE,WRITE_LOW_PRIO,NO_READ_WRITE,EXCLUSIVE',
  NO_WRITE: 'WRITE,WRITE_LOW_PRIO,UPGRADABLE,NO_WRITE,NO_READ_WRITE,EXCLUSIVE',
  NO_READ_WRITE: 'READ,WRITE,WRITE_LOW_PRIO,UPGRADABLE,READ_ONLY,NO_WRITE,NO_READ_WRITE,EXCLUSIVE',
  INTENTION_EXCLUSIVE: 'SHARED,EXCLUSIVE',
};

const conflictsSql = `case replace(w.lock_type, 'SHARED_', '')
  ${Object.entries(conflicts)
    .map(([kind, others]) => `when '${kind}' then find_in_set(replace(h.lock_type, 'SHARED_', ''), '${others}') > 0`)
    .join('\n  ')}
  when 'SHARED' then h.lock_type in ('INTENTION_EXCLUSIVE', 'EXCLUSIVE') when 'EXCLUSIVE' then true else h.lock_type = 'EXCLUSIVE' end`;

/** Metadata locks of tables and of the server, and locks that clients name. A request that readers wait behind counts as held. */
const tableWaitsSql = `
select distinct wt.processlist_id, case when ht.thread_id is null then '${preparedId}' else ht.processlist_id end, wt.processlist_time,
  case w.object_type when 'TABLE' then concat('metadata lock ', w.lock_type, ' on ', w.object_schema, '.', w.object_name)
    when 'GLOBAL' then 'the global read lock' when 'USER LEVEL LOCK' then concat('user lock ', w.object_name)
    else concat(lower(w.object_type), ' lock') end
from performance_schema.metadata_locks w
  join performance_schema.metadata_locks h on h.object_type = w.object_type and h.object_schema <=> w.object_schema
    and h.object_name <=> w.object_name and h.owner_thread_id <> w.owner_thread_id and (${conflictsSql})
    and (h.lock_status = 'GRANTED' or h.lock_status = 'PENDING' and h.lock_type in ('EXCLUSIVE', 'SHARED_NO_READ_WRITE')
      and w.lock_type not in ('EXCLUSIVE', 'SHARED_NO_READ_WRITE'))
  join performance_schema.threads wt on wt.thread_id = w.owner_thread_id
  left join performance_schema.threads ht on ht.thread_id = h.owner_thread_id
where w.lock_status = 'PENDING' limit ${maxWaits}`;

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
    const account = await readAccount(run);
    const process = `GRANT PROCESS ON *.* TO ${account};`;
    const grants = maria ? process : `${process} GRANT SELECT ON performance_schema.* TO ${account};`;
    return reportUnavailable('the account may not see the locks of others', grants);
  }
  const waits = [...rowWaits, ...(tableWaits ?? [])];
  const known = new Map(sessions.map((row) => [row[0] ?? '', row]));
  const involved = collectSessions(waits, known);
  const named = new Set(waits.map(([waiter]) => waiter));
  const unnamed = findUnnamedWaits(
    sessions.filter(([id]) => !named.has(id ?? null)),
    sessions,
  );
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
    if (id === preparedId) return describePrepared(id);
    const own = waits.filter(([waiter]) => waiter === id);
    return {
      ...describeSession(id, known.get(id) ?? []),
      blockers: [...new Set(own.map(([, blocker]) => blocker ?? ''))],
      waitSeconds: Math.max(0, ...own.map(([, , wait]) => readCount(wait))),
      ...(own[0]?.[3] ? { lock: own[0][3] } : {}),
    };
  });
}

type SessionFacts = Pick<LockSession, 'id' | 'label' | 'state' | 'lock' | 'end'>;

function describeSession(id: string, [, user, database, command, state, seconds, sql, changed, locked]: Row): SessionFacts {
  const isOpen = changed !== null && changed !== undefined;
  const isIdle = command === 'Sleep';
  const idle = `idle${isOpen ? ' in a transaction' : ''} for ${formatSeconds(readCount(seconds))}${readCount(changed) > 0 ? ` after changing ${changed} rows` : ''}`;
  const release = isIdle && !isOpen ? 'release its locks (UNLOCK TABLES, RELEASE_LOCK)' : 'commit or roll back';
  return {
    id,
    label: `session ${id} (${user ?? 'gone'}@${database ?? ''})`,
    state: isIdle ? idle : `in "${state ?? ''}" for ${formatSeconds(readCount(seconds))}: ${formatStatement(sql)}`,
    lock: readCount(locked) > 0 ? `${locked} row locks` : '',
    end: `Let that client ${release}; a person can end it: KILL ${id}.`,
  };
}

function describePrepared(id: string): LockSession {
  return {
    id,
    label: 'a prepared XA transaction',
    state: 'waiting for its second phase',
    blockers: [],
    waitSeconds: 0,
    lock: '',
    end: 'XA RECOVER lists it; a person who knows its coordinator can end it: XA COMMIT or XA ROLLBACK with its xid.',
  };
}

/** Waits for a lock whose holder the server does not name, by what is waited for; those in open transactions may be it. */
function findUnnamedWaits(unnamed: readonly Row[], sessions: readonly Row[]): Finding[] {
  const waiting = unnamed.filter(([, , , , state]) => isLockWait(state ?? ''));
  const states = [...new Set(waiting.map(([, , , , state]) => state ?? ''))];
  return states.map((state) =>
    describeUnnamed(
      state,
      waiting.filter((row) => row[4] === state),
      sessions,
    ),
  );
}

function describeUnnamed(state: string, waiting: readonly Row[], sessions: readonly Row[]): Finding {
  const maxWait = Math.max(...waiting.map(([, , , , , seconds]) => readCount(seconds)));
  const shown = waiting.map(([id, , , , , , sql]) => `${id} ${formatStatement(sql)}`).slice(0, 3);
  return {
    severity: maxWait >= 10 || waiting.length >= 3 ? 'high' : 'medium',
    weight: maxWait,
    evidence: `${waiting.length} ${waiting.length === 1 ? 'session is' : 'sessions are'} in "${state}", the longest for ${formatSeconds(maxWait)}: ${shown.join('; ')}`,
    consequence: /table/i.test(state)
      ? 'Every later statement on that table waits behind them.'
      : 'They wait until the session that holds it lets go.',
    next: findHolder(state, sessions),
  };
}

function findHolder(state: string, sessions: readonly Row[]): string {
  if (/^user lock/i.test(state))
    return "select is_used_lock('its name') gives the session that holds it; a person can end that with KILL.";
  const idle = sessions.filter(([, , , command]) => command === 'Sleep');
  const isOfServer = /global|backup/i.test(state);
  const holders = (isOfServer ? idle : idle.filter(([, , , , , , , changed]) => changed !== null)).map(([id]) => id);
  if (holders.length === 0) return 'diagnose check=activity for the session that holds it.';
  const list = holders.slice(0, 5).join(', ');
  return isOfServer
    ? `An idle session has run FLUSH TABLES WITH READ LOCK or a backup: one of ${list}; UNLOCK TABLES there, or a person can end it with KILL.`
    : `One of the sessions in an open transaction probably holds it: ${list}; a person can end it with KILL.`;
}
