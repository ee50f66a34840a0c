import { type CheckReport, formatSeconds, formatStatement, readCount } from '@dbmole/core';
import { findBlockers, type LockSession } from '../../../diagnosis/blocking-tree.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatLabel } from '../catalog/fragments.ts';
import { readAccount } from './account.ts';

const maxSessions = 500;

/** An advisory lock by the numbers that the client gave: one of 64 bits, or two. */
const advisoryLock = `case when l.locktype = 'advisory' then 'advisory lock ' || case l.objsubid
  when 1 then ((l.classid::int8 << 32) | l.objid::int8)::text else '(' || l.classid || ', ' || l.objid || ')' end end`;

/**
 * The sessions of the trees of waiting. Names of relations are known only for the database of this session. A blocker with pid 0 is a
 * prepared transaction.
 */
const treesSql = `
with waiting as materialized (
  select l.pid, pg_catalog.min(l.waitstart) as since, pg_catalog.min(l.mode) as mode, pg_catalog.min(l.locktype) as locktype,
    pg_catalog.min(case when l.database = d.oid then l.relation end) as relation, pg_catalog.min(${advisoryLock}) as advisory
  from pg_catalog.pg_locks l, pg_catalog.pg_database d
  where not l.granted and l.pid is not null and d.datname = pg_catalog.current_database() group by l.pid limit ${maxSessions}),
edges as materialized (select w.*, pg_catalog.pg_blocking_pids(w.pid) as blockers from waiting w),
involved as (select e.pid from edges e union select pg_catalog.unnest(e.blockers) from edges e)
select i.pid::text, a.usename::text, a.datname::text, a.application_name, a.state,
  extract(epoch from pg_catalog.clock_timestamp() - case when a.state = 'active' then a.query_start else a.state_change end)::text,
  pg_catalog.left(a.query, 400), pg_catalog.to_json(e.blockers)::text,
  extract(epoch from pg_catalog.clock_timestamp() - e.since)::text,
  case when e.pid is null then (
    select pg_catalog.string_agg(distinct coalesce(${advisoryLock}, ${formatLabel('c', 'n')} || ' ' || l.mode), ', ')
    from pg_catalog.pg_locks l join pg_catalog.pg_database d on d.datname = pg_catalog.current_database() and l.database = d.oid
      left join pg_catalog.pg_class c on c.oid = l.relation left join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where l.pid = i.pid and l.granted and (l.locktype = 'advisory' or c.relkind in ('r', 'p', 'm') and c.oid >= 16384))
  else e.mode || ' on ' || coalesce(
    (select ${formatLabel('c', 'n')} from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where c.oid = e.relation), e.advisory, e.locktype) end
from involved i left join edges e on e.pid = i.pid left join pg_catalog.pg_stat_activity a on a.pid = i.pid
limit ${2 * maxSessions}`;

const maxHeld = 200;

export async function checkLocks(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const sessions = (await run(treesSql)).map(readSession);
  const waiting = sessions.filter(({ blockers }) => blockers.length > 0).toSorted((a, b) => b.waitSeconds - a.waitSeconds);
  return {
    findings: findBlockers(sessions),
    listing: waiting
      .slice(0, limit)
      .map(
        ({ label, lock, waitSeconds, blockers }) =>
          `${label} waits ${formatSeconds(waitSeconds)} for ${lock}, held by ${blockers.join(', ')}`,
      ),
    hidden: sessions.some(({ state }) => state.startsWith(hiddenState))
      ? `What sessions of other accounts run is hidden; GRANT pg_read_all_stats TO ${await readAccount(run)}; shows it.`
      : undefined,
    notes: [],
  };
}

const hiddenState = 'in a state that this account may not see';

function readSession(row: readonly (string | null)[]): LockSession {
  const [pid, user, database, application, state, seconds, sql, blockers, wait, lock] = row;
  const isPrepared = pid === '0';
  return {
    id: pid ?? '',
    label: isPrepared ? 'a prepared transaction' : `pid ${pid} (${application || user || 'a client'}@${database ?? ''})`,
    state: isPrepared ? 'waiting for its second phase' : formatState(state, seconds, sql),
    // A session can be listed more than once: for each of its parallel workers.
    blockers: blockers === null || blockers === undefined ? [] : [...new Set((JSON.parse(blockers) as number[]).map(String))],
    waitSeconds: readCount(wait),
    lock: (lock ?? '').slice(0, maxHeld),
    end: isPrepared
      ? 'select gid, prepared, owner from pg_prepared_xacts; then COMMIT PREPARED or ROLLBACK PREPARED.'
      : `Let that client ${state === 'idle' ? 'unlock it' : 'commit or roll back'}; a person can end it: select pg_terminate_backend(${pid}).`,
  };
}

function formatState(
  state: string | null | undefined,
  seconds: string | null | undefined,
  sql: string | null | undefined,
): string {
  if (state === null || state === undefined) return hiddenState;
  return `${state} for ${formatSeconds(readCount(seconds))}: ${formatStatement(sql)}`;
}
