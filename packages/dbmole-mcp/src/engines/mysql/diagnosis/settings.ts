import { type CheckReport, type Finding, formatShare, readCount, type Severity } from '@dbmole/core';
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
    good: "CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES')",
    consequence: 'Values that do not fit are cut or replaced without an error.',
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
where lower(variable_name) in (${[...Object.keys(dangers), 'max_connections', 'innodb_buffer_pool_size', 'log_bin', 'expire_logs_days', 'max_prepared_stmt_count'].map((name) => `'${name}'`).join(', ')})`;
const variablesOfMariaSql = variablesSql.replace('performance_schema', 'information_schema');

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
  const [variables, status, changed] = await Promise.all([
    run(maria ? variablesOfMariaSql : variablesSql),
    run(`select variable_name, variable_value from ${maria ? 'information_schema' : 'performance_schema'}.global_status
      where variable_name in (${statusNames})`),
    run(maria ? changedOfMariaSql : changedSql),
  ]);
  const value = new Map(variables.map(([name, text]) => [name ?? '', text ?? '']));
  // MariaDB has the names in capital letters.
  const counts = new Map(status.map(([name, text]) => [(name ?? '').toLowerCase(), readCount(text)]));
  const used = counts.get('threads_connected') ?? 0;
  return {
    findings: [
      ...[...value].flatMap(([name, text]) => judgeSetting(name, text, value)),
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
      `${used} of ${value.get('max_connections')} connections are used.`,
      ...(changed.length > limit ? [`${changed.length - limit} more settings that were set are not listed.`] : []),
    ],
  };
}

function judgeSetting(name: string, value: string, others: ReadonlyMap<string, string>): Finding[] {
  const danger = dangers[name];
  if (danger === undefined || !danger.bad(value, others)) return [];
  const { severity, consequence, good } = danger;
  const isFixed = name === 'innodb_doublewrite' || name === 'innodb_force_recovery';
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
