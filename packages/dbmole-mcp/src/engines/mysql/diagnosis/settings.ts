import { type CheckReport, type Finding, formatShare, readCount, type Severity } from '@dbmole/core';
import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CheckScope } from '../../../diagnosis/diagnosis.ts';
import type { CatalogRun } from '../../../engine.ts';
import { readContext } from '../catalog/context.ts';

const connectionShares = { medium: 0.8, high: 0.95 };
/** Reads of pages that were not in the buffer pool, as a share of all, from which it is too small. */
const maxMissShare = 0.05;
const minReads = 100_000;

const statusNames =
  "'Threads_connected', 'Max_used_connections', 'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads', 'Connection_errors_max_connections', 'Prepared_stmt_count'";

interface Danger {
  bad: (value: string, others: ReadonlyMap<string, string>) => boolean;
  severity: Severity;
  consequence: string;
  good: string;
}

const isOff = (value: string) => ['0', 'OFF', 'off'].includes(value);
const isOn = (value: string) => ['1', 'ON', 'on'].includes(value);

const isolation: Danger = {
  bad: (value) => value === 'READ-UNCOMMITTED',
  severity: 'medium',
  good: "'REPEATABLE-READ'",
  consequence: 'New sessions read changes that may be rolled back.',
};

const skipErrors: Danger = {
  bad: (value) => value !== 'OFF' && value !== '',
  severity: 'high',
  good: 'OFF',
  consequence: 'A replica goes on after these errors, and differs from its source from then on.',
};

/** A replica has them on as it should. */
const readOnly: Danger = {
  bad: (value, others) => isOn(value) && others.get('replicates') === undefined,
  severity: 'medium',
  good: 'OFF',
  consequence: 'Writes fail, and this server is not a replica.',
};

const dangers: Readonly<Record<string, Danger>> = {
  innodb_doublewrite: {
    bad: isOff,
    severity: 'high',
    good: 'ON',
    consequence: 'A crash in the middle of writing a page corrupts it.',
  },
  innodb_flush_log_at_trx_commit: {
    bad: (value) => value !== '1' && value !== '3',
    severity: 'medium',
    good: '1',
    consequence: 'A crash loses about a second of committed transactions.',
  },
  sync_binlog: {
    bad: (value, others) => value === '0' && others.get('log_bin') === 'ON',
    severity: 'low',
    good: '1',
    consequence: 'A crash can lose the end of the binary log, and replicas then differ.',
  },
  binlog_expire_logs_seconds: {
    bad: (value, others) =>
      value === '0' && others.get('log_bin') === 'ON' && ['0', '0.000000', ''].includes(others.get('expire_logs_days') ?? ''),
    severity: 'medium',
    good: '2592000',
    consequence: 'Binary logs are never removed: they fill the disk.',
  },
  innodb_force_recovery: {
    bad: (value) => value !== '0',
    severity: 'high',
    good: '0',
    consequence: 'The server runs in a mode for saving data: from 3 on it rolls nothing back, from 4 on it can damage tables.',
  },
  foreign_key_checks: { bad: isOff, severity: 'high', good: 'ON', consequence: 'Foreign keys are not checked in new sessions.' },
  unique_checks: { bad: isOff, severity: 'medium', good: 'ON', consequence: 'Unique keys may not be checked in new sessions.' },
  general_log: {
    bad: isOn,
    severity: 'medium',
    good: 'OFF',
    consequence: 'Every statement is written to a log, with its values; it costs time, space and privacy.',
  },
  sql_mode: {
    bad: (value) => !/STRICT_(?:TRANS|ALL)_TABLES/i.test(value),
    severity: 'medium',
    good: "CONCAT(@@GLOBAL.sql_mode, ',STRICT_TRANS_TABLES')",
    consequence: 'Values that do not fit are cut or replaced without an error.',
  },
  autocommit: {
    bad: isOff,
    severity: 'medium',
    good: 'ON',
    consequence: 'New sessions stay in a transaction after each statement, and keep its locks until they commit.',
  },
  transaction_isolation: isolation,
  tx_isolation: isolation,
  default_storage_engine: {
    bad: (value) => !/^innodb$/i.test(value),
    severity: 'medium',
    good: 'InnoDB',
    consequence: 'New tables may have no transactions and no foreign keys.',
  },
  innodb_deadlock_detect: {
    bad: isOff,
    severity: 'medium',
    good: 'ON',
    consequence: 'Sessions that wait for each other do so until innodb_lock_wait_timeout.',
  },
  innodb_fast_shutdown: {
    bad: (value) => value === '2',
    severity: 'medium',
    good: '1',
    consequence: 'A shutdown is like a crash: the next start has to recover.',
  },
  innodb_strict_mode: {
    bad: isOff,
    severity: 'low',
    good: 'ON',
    consequence: 'Options of tables that are not possible are ignored without an error.',
  },
  innodb_stats_persistent: {
    bad: isOff,
    severity: 'low',
    good: 'ON',
    consequence: 'Statistics are guessed again after each start, so plans change.',
  },
  binlog_format: {
    bad: (value, others) => value === 'STATEMENT' && others.get('log_bin') === 'ON',
    severity: 'medium',
    good: "'ROW'",
    consequence: 'Statements that are not deterministic give other rows on a replica.',
  },
  replica_skip_errors: skipErrors,
  slave_skip_errors: skipErrors,
  read_only: readOnly,
  super_read_only: readOnly,
  offline_mode: {
    bad: isOn,
    severity: 'high',
    good: 'OFF',
    consequence: 'Clients that are not administrators are disconnected.',
  },
  long_query_time: {
    bad: (value, others) => Number(value) === 0 && isOn(others.get('slow_query_log') ?? ''),
    severity: 'medium',
    good: '1',
    consequence: 'Every statement is written to the slow query log, with its values; it costs time, space and privacy.',
  },
  innodb_file_per_table: {
    bad: isOff,
    severity: 'low',
    good: 'ON',
    consequence: 'Dropped tables do not return their space to the disk.',
  },
};

/** Global values: those of this session are of our own making. */
const variablesSql = `
select lower(variable_name), variable_value from performance_schema.global_variables
where lower(variable_name) in (${[...Object.keys(dangers), 'max_connections', 'innodb_buffer_pool_size', 'log_bin', 'expire_logs_days', 'max_prepared_stmt_count', 'slow_query_log', 'event_scheduler'].map((name) => `'${name}'`).join(', ')})`;
const variablesOfMariaSql = variablesSql.replace('performance_schema', 'information_schema');

/** Events that nothing runs while the scheduler is off. */
const eventsSql = `
select count(*), min(concat(event_schema, '.', event_name)) from information_schema.events where status = 'ENABLED'`;

const quotedAccount = "concat('''', user, '''@''', host, '''')";
const openAccountsSql = `
select ${quotedAccount} from mysql.user where coalesce(authentication_string, '') = '' and account_locked = 'N'
  and plugin in ('mysql_native_password', 'caching_sha2_password', 'sha256_password') order by 1 limit 100`;
const openAccountsOfMariaSql = `
select ${quotedAccount} from mysql.user u where coalesce(authentication_string, '') = '' and is_role = 'N'
  and plugin in ('', 'mysql_native_password', 'ed25519') and not exists (select 1 from mysql.global_priv g
    where g.user = u.user and g.host = u.host and json_value(g.priv, '$.account_locked') in ('1', 'true')) order by 1 limit 100`;

/** What sessions set for themselves, this one too: the server does not say whether the global value was set. */
const ownVariables =
  "'foreign_key_checks', 'max_execution_time', 'session_track_schema', 'sql_select_limit', 'time_zone', 'transaction_isolation', 'transaction_read_only'";

/** Where a value comes from is known since MySQL 8.0, and to MariaDB. */
const changedSql = `
select i.variable_name, g.variable_value, i.variable_source, null
from performance_schema.variables_info i join performance_schema.global_variables g on g.variable_name = i.variable_name
where i.variable_source <> 'COMPILED' and not (i.variable_source = 'DYNAMIC' and i.variable_name in (${ownVariables}))
  and i.variable_name not regexp '(dir|file|path|socket|hostname|port|version|uuid|address|user|plugin|basedir|pid)' order by 1 limit 200`;
const changedOfMariaSql = `
select lower(variable_name), global_value, global_value_origin, default_value from information_schema.system_variables
where global_value_origin not in ('COMPILE-TIME', 'AUTO') and not (global_value <=> default_value)
  and lower(variable_name) not regexp '(dir|file|path|socket|hostname|port|version|uuid|address|user|plugin|basedir|pid)' order by 1 limit 200`;

export async function checkSettings(run: CatalogRun, { limit }: CheckScope): Promise<CheckReport> {
  const { maria } = await readContext(run);
  const [variables, status, changed, [replica], events, open] = await Promise.all([
    run(maria ? variablesOfMariaSql : variablesSql),
    run(`select variable_name, variable_value from ${maria ? 'information_schema' : 'performance_schema'}.global_status
      where variable_name in (${statusNames})`),
    run(maria ? changedOfMariaSql : changedSql),
    readReplica(run, maria),
    askIfAllowed(run, eventsSql),
    askIfAllowed(run, maria ? openAccountsOfMariaSql : openAccountsSql),
  ]);
  const value = new Map(variables.map(([name, text]) => [name ?? '', text ?? '']));
  // An account that may not see it takes the server for a replica.
  if (replica !== undefined) value.set('replicates', 'ON');
  // MariaDB has the names in capital letters.
  const counts = new Map(status.map(([name, text]) => [(name ?? '').toLowerCase(), readCount(text)]));
  const used = counts.get('threads_connected') ?? 0;
  return {
    findings: [
      ...[...value].flatMap(([name, text]) => judgeSetting(name, text, value)),
      ...judgeEvents(value.get('event_scheduler') ?? 'ON', events?.[0] ?? []),
      ...judgeAccounts(open?.map(([account]) => account ?? '') ?? []),
      ...judgePrepared(counts.get('prepared_stmt_count') ?? 0, readCount(value.get('max_prepared_stmt_count'))),
      ...judgeConnections(used, readCount(value.get('max_connections')), counts),
      ...judgeBufferPool(readCount(value.get('innodb_buffer_pool_size')), counts),
    ],
    listing: changed
      .slice(0, limit)
      .map(
        ([name, text, source, standard]) =>
          `${name} = ${text} (${standard === null ? '' : `default ${standard}, `}from ${source?.toLowerCase()})`,
      ),
    notes: [
      ...(open === undefined ? ['Accounts without a password are shown to administrators only.'] : []),
      `${used} of ${value.get('max_connections')} connections are used.`,
      ...(changed.length > limit ? [`${changed.length - limit} more settings that were set are not listed.`] : []),
    ],
  };
}

function judgeSetting(name: string, value: string, others: ReadonlyMap<string, string>): Finding[] {
  const danger = dangers[name];
  if (danger === undefined || !danger.bad(value, others)) return [];
  const { severity, consequence, good } = danger;
  const isFixed = /^(?:innodb_doublewrite|innodb_force_recovery|\w+_skip_errors)$/.test(name);
  return [
    {
      severity,
      weight: severity === 'high' ? 1 : 0,
      evidence: `${name} is ${value === '' ? 'empty' : value}`,
      consequence,
      next: isFixed
        ? `Set ${name}=${good} in the configuration and restart.`
        : `SET GLOBAL ${name} = ${good}; and the same in the configuration.`,
    },
  ];
}

/** A row if the server is a replica, or may be one. */
async function readReplica(run: CatalogRun, maria: boolean): Promise<readonly (readonly unknown[])[]> {
  const rows = maria
    ? await askIfAllowed(run, 'SHOW ALL SLAVES STATUS')
    : await askIfAllowed(run, 'select channel_name from performance_schema.replication_connection_configuration limit 1');
  return rows ?? [[]];
}

function judgeEvents(scheduler: string, [count, event]: readonly (string | null)[]): Finding[] {
  if (isOn(scheduler) || readCount(count) === 0) return [];
  return [
    {
      severity: 'medium',
      weight: 1,
      evidence: `event_scheduler is ${scheduler}, and ${count} ${count === '1' ? 'event is' : 'events are'} enabled, such as ${event}`,
      consequence: 'What they do at their time is not done.',
      next: /disabled/i.test(scheduler)
        ? 'Set event_scheduler=ON in the configuration and restart.'
        : 'SET GLOBAL event_scheduler = ON; and the same in the configuration.',
    },
  ];
}

function judgeAccounts(accounts: readonly string[]): Finding[] {
  const [first] = accounts;
  if (first === undefined) return [];
  return [
    {
      severity: 'high',
      weight: 2,
      evidence: `${accounts.length} ${accounts.length === 1 ? 'account has' : 'accounts have'} no password: ${accounts.slice(0, 5).join(', ')}${accounts.length > 5 ? ', …' : ''}`,
      consequence: 'Everyone who reaches the server can log in with it.',
      next: `ALTER USER ${first} IDENTIFIED BY '…'; or DROP USER ${first};`,
    },
  ];
}

function judgeConnections(used: number, most: number, counts: ReadonlyMap<string, number>): Finding[] {
  const share = most === 0 ? 0 : used / most;
  const refused = counts.get('connection_errors_max_connections') ?? 0;
  if (share < connectionShares.medium && refused === 0) return [];
  return [
    {
      severity: share >= connectionShares.high ? 'high' : 'medium',
      weight: share,
      evidence: `${used} of ${most} connections are used, ${counts.get('max_used_connections') ?? 0} at most so far${refused > 0 ? `; ${refused} clients were refused` : ''}`,
      consequence: 'New clients are refused when none is left.',
      next: 'diagnose check=activity for sessions that sit idle; use a pool in the applications or raise max_connections.',
    },
  ];
}

function judgePrepared(count: number, most: number): Finding[] {
  if (most === 0 || count < connectionShares.medium * most) return [];
  return [
    {
      severity: count >= connectionShares.high * most ? 'high' : 'medium',
      weight: count / most,
      evidence: `${count} of ${most} prepared statements are in use`,
      consequence: 'At the limit no client can prepare a statement.',
      next: 'An application prepares without closing: make its pool reuse statements, or raise max_prepared_stmt_count.',
    },
  ];
}

function judgeBufferPool(bytes: number, counts: ReadonlyMap<string, number>): Finding[] {
  const requests = counts.get('innodb_buffer_pool_read_requests') ?? 0;
  const share = requests === 0 ? 0 : (counts.get('innodb_buffer_pool_reads') ?? 0) / requests;
  if (requests < minReads || share < maxMissShare) return [];
  return [
    {
      severity: 'medium',
      weight: share,
      evidence: `${formatShare(share)} of the reads of pages miss the buffer pool, which has ${formatBytes(bytes)}`,
      consequence: 'The data in use does not fit into it, so statements wait for the disk.',
      next: 'diagnose check=slow_queries for what reads so much; then raise innodb_buffer_pool_size.',
    },
  ];
}
