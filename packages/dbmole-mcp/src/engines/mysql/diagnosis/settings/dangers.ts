import type { Severity } from '@dbmole/core';

export interface Danger {
  bad: (value: string, others: ReadonlyMap<string, string>) => boolean;
  severity: Severity;
  consequence: string;
  good: string;
  /** What is shown of a long value. */
  show?: (value: string) => string;
}

const isOff = (value: string) => ['0', 'OFF', 'off'].includes(value);
export const isOn = (value: string) => ['1', 'ON', 'on'].includes(value);

const isBelow = (limit: number) => (value: string) => Number(value) < limit;
const isFrom = (limit: number) => (value: string) => Number(value) >= limit;
/** Above zero, which means no limit. */
const isTight = (limit: number) => (value: string) => Number(value) > 0 && Number(value) < limit;
const megabyte = 1024 * 1024;

const largeBuffer: Danger = {
  bad: isFrom(256 * megabyte),
  severity: 'medium',
  good: 'DEFAULT',
  consequence: 'Each session may take that much, more than once: a few of them use up the memory of the machine.',
};

const shortTime = (limit: number): Danger => ({
  bad: isTight(limit),
  severity: 'medium',
  good: '0',
  consequence: 'Every SELECT that takes longer than this fails.',
});

const readOnlyTransactions: Danger = {
  bad: isOn,
  severity: 'medium',
  good: 'OFF',
  consequence: 'Every write of new sessions fails.',
};

const smallLog = (bytes: number): Danger => ({
  bad: isTight(bytes),
  severity: 'low',
  good: `${100 * megabyte}`,
  consequence: 'The redo log is full all the time, so that writes wait for pages to be flushed.',
});

/** Ways to answer a query that are on unless they were switched off. */
const switchedOff =
  /(?:^|,)(?:index_merge(?:_union)?|index_condition_pushdown|derived_merge|materialization|semijoin|firstmatch)=off/g;

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

export const dangers: Readonly<Record<string, Danger>> = {
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
  sql_select_limit: {
    bad: isTight(1e15),
    severity: 'high',
    good: 'DEFAULT',
    consequence: 'A SELECT without LIMIT is cut to that many rows in new sessions, without a warning.',
  },
  transaction_read_only: readOnlyTransactions,
  tx_read_only: readOnlyTransactions,
  max_execution_time: shortTime(1_000),
  max_statement_time: shortTime(1),
  max_allowed_packet: {
    bad: isBelow(megabyte),
    severity: 'medium',
    good: `${64 * megabyte}`,
    consequence: 'Statements and rows that are longer fail.',
  },
  sort_buffer_size: largeBuffer,
  join_buffer_size: largeBuffer,
  read_buffer_size: largeBuffer,
  read_rnd_buffer_size: largeBuffer,
  tmp_table_size: {
    bad: isTight(megabyte),
    severity: 'low',
    good: 'DEFAULT',
    consequence: 'Nearly every temporary table is written to the disk.',
  },
  innodb_buffer_pool_size: {
    bad: isBelow(32 * megabyte),
    severity: 'medium',
    good: `${128 * megabyte}`,
    consequence: 'InnoDB keeps next to nothing in memory and reads most pages from the disk.',
  },
  innodb_redo_log_capacity: smallLog(16 * megabyte),
  innodb_log_file_size: smallLog(8 * megabyte),
  innodb_checksum_algorithm: {
    bad: (value) => /none$/i.test(value),
    severity: 'high',
    good: 'crc32',
    consequence: 'A page that the disk has damaged is not noticed.',
  },
  innodb_flush_method: {
    bad: (value) => /^(?:nosync|littlesync)$/i.test(value),
    severity: 'high',
    good: 'O_DIRECT',
    consequence: 'A crash of the machine can destroy all tables.',
  },
  innodb_stats_auto_recalc: {
    bad: isOff,
    severity: 'low',
    good: 'ON',
    consequence: 'Statistics stay as they were after the last ANALYZE TABLE, and plans go by them.',
  },
  innodb_thread_concurrency: {
    bad: isTight(4),
    severity: 'medium',
    good: '0',
    consequence: 'Only that many statements work in InnoDB at once; the others wait.',
  },
  innodb_lock_wait_timeout: {
    bad: isFrom(600),
    severity: 'low',
    good: '50',
    consequence: 'A session waits that long for a row that another has locked.',
  },
  innodb_read_only: { bad: isOn, severity: 'medium', good: 'OFF', consequence: 'Every write to an InnoDB table fails.' },
  check_constraint_checks: {
    bad: isOff,
    severity: 'high',
    good: 'ON',
    consequence: 'CHECK constraints are not checked in new sessions.',
  },
  wait_timeout: {
    bad: isTight(10),
    severity: 'medium',
    good: 'DEFAULT',
    consequence: 'Clients that pause that long are disconnected.',
  },
  query_cache_type: {
    bad: (value) => isOn(value),
    severity: 'low',
    good: 'OFF',
    consequence: 'All sessions share one lock of the query cache, and every write empties it for its table.',
  },
  character_set_server: {
    bad: (value, others) => /^(?:utf8(?:mb3)?|latin1)$/.test(value) && others.get('product') === 'MySQL',
    severity: 'low',
    good: 'utf8mb4',
    consequence: 'New databases refuse many characters, such as emoji.',
  },
  local_infile: {
    bad: (value, others) => isOn(value) && others.get('product') === 'MySQL',
    severity: 'low',
    good: 'OFF',
    consequence: 'A client can be made to send its own files: a server that it is led to can ask for any.',
  },
  optimizer_switch: {
    bad: (value) => value.search(switchedOff) >= 0,
    severity: 'medium',
    good: "'default'",
    consequence: 'The optimizer avoids these ways, even where they are the fastest.',
    show: (value) => (value.match(switchedOff) ?? []).map((flag) => flag.replace(',', '')).join(', '),
  },
};
