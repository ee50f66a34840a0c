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

/** A worker that fails is started again after this setting, so one that has just begun may be about to fail. */
const youngSeconds = `3 * (select g.setting::float8 / 1000 from pg_catalog.pg_settings g where g.name = 'wal_retrieve_retry_interval')`;

/** Counts of errors came with PostgreSQL 15; the names and switches may be read by everyone. */
const subscriptionsSql = `
select pg_catalog.quote_ident(s.subname), s.subenabled::text, (p.pid is not null)::text,
  (extract(epoch from pg_catalog.clock_timestamp() - (select a.backend_start from pg_catalog.pg_stat_activity a where a.pid = p.pid))
    < ${youngSeconds})::text,
  (select pg_catalog.count(*) from pg_catalog.pg_subscription_rel r where r.srsubid = s.oid and r.srsubstate <> 'r')::text, s.oid::text,
  (select pg_catalog.min(r.srrelid::regclass::text) from pg_catalog.pg_subscription_rel r where r.srsubid = s.oid and r.srsubstate <> 'r')
from pg_catalog.pg_subscription s join pg_catalog.pg_database d on d.oid = s.subdbid and d.datname = pg_catalog.current_database()
  left join pg_catalog.pg_stat_subscription p on p.subid = s.oid and p.relid is null limit ${maxRows}`;

const errorsSql = `
select pg_catalog.quote_ident(s.subname), s.apply_error_count::text, s.sync_error_count::text from pg_catalog.pg_stat_subscription_stats s limit ${maxRows}`;

/** The counts start with the server or a reset; what matters is whether the last attempt failed. */
const archiverSql = `
select a.failed_count::text, a.last_failed_wal, extract(epoch from pg_catalog.clock_timestamp() - a.last_archived_time)::text
from pg_catalog.pg_stat_archiver a
where a.failed_count > 0 and (a.last_archived_time is null or a.last_failed_time > a.last_archived_time)`;

const unarchivedSql = `
select s.setting from pg_catalog.pg_settings s where s.name = 'archive_mode' and s.setting in ('on', 'always')
  and not exists (select from pg_catalog.pg_settings c where c.name in ('archive_command', 'archive_library') and c.setting <> '')
  and (s.setting = 'always' or not pg_catalog.pg_is_in_recovery())`;

/** A standby that reads archived files needs no connection. It may be behind on purpose. */
const standbySql = `
select pg_catalog.pg_is_in_recovery()::text,
  extract(epoch from pg_catalog.clock_timestamp() - pg_catalog.pg_last_xact_replay_timestamp())::text,
  pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn())::text,
  (exists (select from pg_catalog.pg_stat_wal_receiver w where w.pid is not null) or pg_catalog.current_setting('restore_command') <> '')::text,
  case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_is_wal_replay_paused() end::text,
  (select s.setting::float8 / 1000 from pg_catalog.pg_settings s where s.name = 'recovery_min_apply_delay')::text`;

/** Commits wait for standbys that are named here, except where they are told not to. */
const awaitedSql = `
select s.setting from pg_catalog.pg_settings s
where s.name = 'synchronous_standby_names' and s.setting <> '' and not pg_catalog.pg_is_in_recovery()
  and pg_catalog.current_setting('synchronous_commit') not in ('off', 'local')
  and not exists (select from pg_catalog.pg_stat_replication r where r.sync_state is null or r.sync_state in ('sync', 'quorum'))`;

export async function checkReplication(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const [slots, standbys, subscriptions, errors, archiver, [own = []], [awaited], unarchived] = await Promise.all([
    run(slotsSql),
    run(standbysSql),
    askIfAllowed(run, subscriptionsSql),
    askIfAllowed(run, errorsSql),
    askIfAllowed(run, archiverSql),
    run(standbySql),
    run(awaitedSql),
    run(unarchivedSql),
  ]);
  const failed = new Map((errors ?? []).map(([name, apply, sync]) => [name, readCount(apply) + readCount(sync)]));
  const hidden = standbys.filter(([, , state]) => state === null).length;
  return {
    findings: [
      ...slots.flatMap(judgeSlot),
      ...standbys.flatMap(judgeStandby),
      ...(subscriptions ?? []).flatMap((row) => judgeSubscription(row, failed.get(row[0] ?? null) ?? 0)),
      ...(archiver ?? []).map(judgeArchiver),
      ...judgeOwnState(own),
      ...judgeAwaited(awaited?.[0]),
      ...unarchived.map(describeUnarchived),
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

type SubscriptionState = 'disabled' | 'enabled but does not stay running' | 'running';

function judgeSubscription(row: Row, errors: number): Finding[] {
  const [name, , , , unready, , table] = row;
  const state = readState(row, errors);
  const waiting = readCount(unready);
  if (state === 'running' && errors === 0) return [];
  const isBroken = state !== 'running' || waiting > 0;
  return [
    {
      severity: isBroken ? (state === 'disabled' && errors === 0 ? 'medium' : 'high') : 'low',
      weight: errors,
      evidence: joinFacts(
        `subscription ${name} is ${state}`,
        errors > 0 && `its workers have failed ${errors} times`,
        waiting > 0 && `${waiting} ${waiting === 1 ? 'table is' : 'tables are'} not copied yet, such as ${table}`,
      ),
      consequence: isBroken
        ? 'Changes of the publisher do not arrive, and its slot keeps WAL there.'
        : 'Changes arrived late while it failed.',
      next: adviseSubscription(row, isBroken),
    },
  ];
}

function readState([, enabled, isRunning, isYoung]: Row, errors: number): SubscriptionState {
  if (enabled !== 'true') return 'disabled';
  return isRunning === 'true' && !(errors > 0 && isYoung === 'true') ? 'running' : 'enabled but does not stay running';
}

function adviseSubscription([name, enabled, , , , id]: Row, isBroken: boolean): string {
  if (!isBroken) return `It works again; select pg_stat_reset_subscription_stats(${id}) resets the count.`;
  const repair = 'The log of this server has the error of its worker: remove the row or add the table or column that it names';
  return enabled === 'true'
    ? `${repair}; it then goes on by itself.`
    : `${repair}, if it failed; then ALTER SUBSCRIPTION ${name} ENABLE;`;
}

/** Every commit waits until one of them has come back. */
function judgeAwaited(names: string | null | undefined): Finding[] {
  if (names === null || names === undefined) return [];
  return [
    {
      severity: 'high',
      weight: Number.MAX_SAFE_INTEGER,
      evidence: `synchronous_standby_names is ${names}, and no such standby is connected`,
      consequence:
        'Every COMMIT waits for it without end; what it has written is safe here, but its client does not get an answer.',
      next: "Start the standby; to go on without it: ALTER SYSTEM SET synchronous_standby_names = ''; select pg_reload_conf();",
    },
  ];
}

function describeUnarchived([mode]: Row): Finding {
  return {
    severity: 'high',
    weight: 0,
    evidence: `archive_mode is ${mode}, and there is neither archive_command nor archive_library`,
    consequence: 'The server keeps all WAL until its disk is full.',
    next: "ALTER SYSTEM SET archive_command = '…'; with the command that copies %p to the archive as %f, or '/bin/true' to keep nothing; then select pg_reload_conf();",
  };
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

function judgeOwnState([isStandby, seconds, bytes, isFed, isPaused, delay]: Row): Finding[] {
  if (isStandby !== 'true') return [];
  const old = readNumber(seconds);
  const behind = readCount(bytes);
  const lag = behind === 0 && bytes !== null ? 0 : Math.max(0, readCount(seconds) - readCount(delay));
  const since = old === undefined ? '' : `; its last change is ${formatSeconds(old)} old`;
  const replay = isPaused === 'true' ? describePaused({ lag, behind, since }) : describeLate({ lag, behind, old: old ?? 0 });
  return isFed === 'true' ? replay : [describeUnfed(since), ...replay];
}

function describeUnfed(since: string): Finding {
  return describeOwn({
    severity: 'high',
    evidence: `this standby is not connected to its primary${since}`,
    next: "select setting from pg_settings where name = 'primary_conninfo'; the log of this server says why it cannot connect.",
  });
}

function describePaused({ lag, behind, since }: { lag: number; behind: number; since: string }): Finding[] {
  return [
    describeOwn({
      severity: lag >= lagSeconds.medium || behind >= manyBytes ? 'high' : 'medium',
      evidence: `replay is paused on this standby, with ${formatBytes(behind)} received and not replayed${since}`,
      next: 'select pg_wal_replay_resume(); (unless it was paused on purpose)',
    }),
  ];
}

function describeLate({ lag, behind, old }: { lag: number; behind: number; old: number }): Finding[] {
  if (lag < lagSeconds.medium && behind < manyBytes) return [];
  return [
    describeOwn({
      severity: lag >= lagSeconds.high || behind >= 10 * manyBytes ? 'high' : 'medium',
      evidence: `this standby replays changes that are ${formatSeconds(old)} old, and has ${formatBytes(behind)} to replay`,
      next: 'Look for long queries here (diagnose check=activity), and for the disk of this server.',
    }),
  ];
}

function describeOwn(finding: Pick<Finding, 'severity' | 'evidence' | 'next'>): Finding {
  return {
    ...finding,
    weight: 0,
    consequence: 'Reads on this server are that old, and a failover to it would lose or wait for the rest.',
  };
}
