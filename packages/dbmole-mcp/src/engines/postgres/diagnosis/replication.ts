import { type CheckReport, type Finding, formatSeconds, joinFacts, readCount, readNumber } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readAccount } from './account.ts';

type Row = readonly (string | null)[];

const manyBytes = 1024 * 1024 * 1024;
const lagSeconds = { medium: 60, high: 600 };
const maxRows = 100;

/** Where the write-ahead log ends: on a standby, what it has received. */
const now = `case when pg_catalog.pg_is_in_recovery() then coalesce(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn())
  else pg_catalog.pg_current_wal_lsn() end`;

const slotsSql = `
select s.slot_name::text, s.slot_type, s.active::text, s.wal_status, pg_catalog.pg_wal_lsn_diff(${now}, s.restart_lsn)::bigint::text,
  s.database::text, pg_catalog.age(s.catalog_xmin)::text, s.temporary::text
from pg_catalog.pg_replication_slots s order by 5 desc nulls last limit ${maxRows}`;

const standbysSql = `
select coalesce(r.application_name, ''), coalesce(r.client_addr::text, 'local'), r.state, r.sync_state,
  pg_catalog.pg_wal_lsn_diff(${now}, r.replay_lsn)::bigint::text, extract(epoch from r.replay_lag)::text
from pg_catalog.pg_stat_replication r limit ${maxRows}`;

/** Counts of errors came with PostgreSQL 15; the names and switches may be read by everyone. */
const subscriptionsSql = `
select s.subname::text, s.subenabled::text, (p.pid is not null)::text
from pg_catalog.pg_subscription s join pg_catalog.pg_database d on d.oid = s.subdbid and d.datname = pg_catalog.current_database()
  left join pg_catalog.pg_stat_subscription p on p.subid = s.oid and p.relid is null limit ${maxRows}`;

const errorsSql = `
select s.subname::text, s.apply_error_count::text, s.sync_error_count::text from pg_catalog.pg_stat_subscription_stats s limit ${maxRows}`;

/** The counts start with the server or a reset; what matters is whether the last attempt failed. */
const archiverSql = `
select a.failed_count::text, a.last_failed_wal, extract(epoch from pg_catalog.clock_timestamp() - a.last_archived_time)::text
from pg_catalog.pg_stat_archiver a
where a.failed_count > 0 and (a.last_archived_time is null or a.last_failed_time > a.last_archived_time)`;

const standbySql = `
select pg_catalog.pg_is_in_recovery()::text,
  extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.pg_last_xact_replay_timestamp())::text,
  (pg_catalog.pg_last_wal_receive_lsn() = pg_catalog.pg_last_wal_replay_lsn())::text`;

export async function checkReplication(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const [slots, standbys, subscriptions, errors, archiver, [own = []]] = await Promise.all([
    run(slotsSql),
    run(standbysSql),
    askIfAllowed(run, subscriptionsSql),
    askIfAllowed(run, errorsSql),
    askIfAllowed(run, archiverSql),
    run(standbySql),
  ]);
  const failed = new Map((errors ?? []).map(([name, apply, sync]) => [name, readCount(apply) + readCount(sync)]));
  const hidden = standbys.filter(([, , state]) => state === null).length;
  return {
    findings: [
      ...slots.flatMap(judgeSlot),
      ...standbys.flatMap(judgeStandby),
      ...(subscriptions ?? []).flatMap((row) => judgeSubscription(row, failed.get(row[0] ?? null) ?? 0)),
      ...(archiver ?? []).map(judgeArchiver),
      ...judgeOwnLag(own),
    ],
    listing: [...slots.map(formatSlot), ...standbys.map(formatStandby), ...(subscriptions ?? []).map(formatSubscription)].slice(
      0,
      limit,
    ),
    hidden:
      hidden > 0
        ? `The state of ${hidden} standbys is hidden; GRANT pg_read_all_stats TO ${await readAccount(run)}; shows it.`
        : undefined,
    notes: [
      ...(own[0] === 'true' ? ['This server is a standby.'] : []),
      ...(slots.length + standbys.length + (subscriptions?.length ?? 0) === 0
        ? ['There are no slots, standbys or subscriptions.']
        : []),
    ],
  };
}

function formatSlot([name, type, active, status, retained, database]: Row): string {
  return `slot ${name}: ${joinFacts(`${type}`, database ?? '', active === 'true' ? 'in use' : 'not in use', `keeps ${formatBytes(readCount(retained))} of WAL`, status ?? '')}`;
}

function formatStandby([name, address, state, sync, bytes, seconds]: Row): string {
  const lag = readNumber(seconds);
  return `standby ${name} (${address}): ${joinFacts(state ?? 'hidden', sync ?? '', bytes !== null && `${formatBytes(readCount(bytes))} behind`, lag !== undefined && formatSeconds(lag))}`;
}

function formatSubscription([name, enabled, isRunning]: Row): string {
  return `subscription ${name}: ${enabled === 'true' ? 'enabled' : 'disabled'}, ${isRunning === 'true' ? 'running' : 'not running'}`;
}

function judgeSlot([name, type, active, status, retained, , age, temporary]: Row): Finding[] {
  const bytes = readCount(retained);
  const isLost = status === 'lost' || status === 'unreserved';
  if (!isLost && (active === 'true' || temporary === 'true') && bytes < manyBytes) return [];
  const rows = readCount(age) > 0 ? ', and VACUUM keeps rows of the catalog for it' : '';
  return [
    {
      severity: isLost || bytes >= manyBytes ? 'high' : 'medium',
      weight: bytes,
      evidence: `${type} slot ${name} ${active === 'true' ? 'is in use' : 'is not in use'} and keeps ${formatBytes(bytes)} of WAL (wal_status ${status ?? 'unknown'})`,
      consequence: isLost
        ? 'The WAL that its consumer needs is gone or about to be removed: the consumer has to be set up again.'
        : `The server keeps WAL until its disk is full, unless max_slot_wal_keep_size limits it${rows}.`,
      next: `Start its consumer; if that is gone, a person can drop the slot: select pg_drop_replication_slot('${(name ?? '').replaceAll("'", "''")}').`,
    },
  ];
}

function judgeStandby([name, address, state, , bytes, seconds]: Row): Finding[] {
  const lag = readCount(seconds);
  const behind = readCount(bytes);
  if (state === null || (lag < lagSeconds.medium && behind < manyBytes)) return [];
  return [
    {
      severity: lag >= lagSeconds.high || behind >= 10 * manyBytes ? 'high' : 'medium',
      weight: lag,
      evidence: `standby ${name} (${address}, ${state}) is ${formatSeconds(lag)} and ${formatBytes(behind)} behind`,
      consequence: 'Reads there are old, and a failover now would lose or wait for that much.',
      next: 'Look at the standby: its disk, its network, and queries there that hold back replay (max_standby_streaming_delay).',
    },
  ];
}

function judgeSubscription([name, enabled, isRunning]: Row, errors: number): Finding[] {
  if (enabled === 'true' && isRunning === 'true' && errors === 0) return [];
  const state = enabled === 'true' ? (isRunning === 'true' ? 'is running' : 'is enabled but not running') : 'is disabled';
  return [
    {
      severity: enabled === 'true' ? 'high' : 'medium',
      weight: errors,
      evidence: `subscription ${name} ${state}${errors > 0 ? ` and has failed ${errors} times` : ''}`,
      consequence: 'Changes of the publisher do not arrive, and its slot keeps WAL there.',
      next: 'Read the log of this server for the error of its apply worker; then ALTER SUBSCRIPTION … ENABLE or SKIP.',
    },
  ];
}

function judgeArchiver([failures, file, seconds]: Row): Finding {
  const last = readNumber(seconds);
  return {
    severity: 'high',
    weight: Number.MAX_SAFE_INTEGER,
    evidence: `archiving of WAL fails: ${failures} attempts, the last at ${file}; ${last === undefined ? 'nothing was archived since the statistics were reset' : `the last success was ${formatSeconds(last)} ago`}`,
    consequence: 'The server keeps all WAL until its disk is full, and a restore to a point in time ends before it.',
    next: 'Run what SHOW archive_command says by hand for that file; the log of the server has its error.',
  };
}

function judgeOwnLag([isStandby, seconds, isCaughtUp]: Row): Finding[] {
  const lag = readCount(seconds);
  if (isStandby !== 'true' || isCaughtUp === 'true' || lag < lagSeconds.medium) return [];
  return [
    {
      severity: lag >= lagSeconds.high ? 'high' : 'medium',
      weight: lag,
      evidence: `this standby replays changes that are ${formatSeconds(lag)} old`,
      consequence: 'Reads on this server are that old.',
      next: 'Look for long queries here (diagnose check=activity), and for the disk of this server.',
    },
  ];
}
