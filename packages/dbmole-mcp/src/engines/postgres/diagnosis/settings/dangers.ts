import type { Severity } from '@dbmole/core';

export interface Danger {
  /** The value, or whether a number is one: in the unit of the setting, as the server lists it. */
  bad: string | ((value: number) => boolean);
  severity: Severity;
  consequence: string;
}

const kilobytesPerGigabyte = 1024 * 1024;
const statementsLogged = 'Every statement is written to the log, with its values; it costs time, space and privacy.';
const errorsHidden = 'Errors of statements are missing in the log of the server.';
const lateVacuum = 'Autovacuum falls behind: dead rows and old statistics stay for long.';
const readsWhole = 'The planner takes indexes for expensive and reads whole tables instead.';

export const dangers: Readonly<Record<string, Danger>> = {
  fsync: { bad: 'off', severity: 'high', consequence: 'A crash of the machine can destroy the whole cluster.' },
  full_page_writes: { bad: 'off', severity: 'high', consequence: 'A crash in the middle of writing a page corrupts it.' },
  zero_damaged_pages: { bad: 'on', severity: 'high', consequence: 'Damaged pages are silently emptied: rows are lost.' },
  ignore_checksum_failure: { bad: 'on', severity: 'high', consequence: 'Damaged pages are read as if they were good.' },
  autovacuum: {
    bad: 'off',
    severity: 'high',
    consequence: 'Dead rows and old statistics stay, until the transaction ids run out.',
  },
  track_counts: {
    bad: 'off',
    severity: 'high',
    consequence: 'Autovacuum cannot tell which tables need it, and this tool has no counts.',
  },
  track_activities: { bad: 'off', severity: 'medium', consequence: 'What sessions run cannot be seen.' },
  synchronous_commit: {
    bad: 'off',
    severity: 'low',
    consequence: 'A crash loses the last commits, though nothing is corrupted.',
  },
  session_replication_role: {
    bad: 'replica',
    severity: 'high',
    consequence: 'Triggers do not fire and foreign keys are not checked in new sessions.',
  },
  ignore_system_indexes: { bad: 'on', severity: 'high', consequence: 'Every look into the catalog reads whole tables.' },
  allow_system_table_mods: { bad: 'on', severity: 'medium', consequence: 'Administrators can break the catalog by mistake.' },
  default_transaction_read_only: { bad: 'on', severity: 'medium', consequence: 'Every write fails in new sessions.' },
  default_transaction_deferrable: {
    bad: 'on',
    severity: 'low',
    consequence: 'Serializable transactions that only read wait before they begin.',
  },
  row_security: {
    bad: 'off',
    severity: 'medium',
    consequence: 'Queries of tables with policies fail instead of being filtered.',
  },
  standard_conforming_strings: {
    bad: 'off',
    severity: 'medium',
    consequence: 'A backslash in a text escapes the next character: escaping that does not expect it can be broken out of.',
  },
  transform_null_equals: { bad: 'on', severity: 'low', consequence: 'x = NULL means x IS NULL, unlike in every other database.' },
  log_statement: {
    bad: 'all',
    severity: 'medium',
    consequence: statementsLogged,
  },
  log_min_duration_statement: {
    bad: '0',
    severity: 'medium',
    consequence: statementsLogged,
  },
  password_encryption: { bad: 'md5', severity: 'low', consequence: 'New passwords are stored in a form that is easily broken.' },
  work_mem: {
    bad: (value) => value >= kilobytesPerGigabyte,
    severity: 'medium',
    consequence: 'Each sort and hash of each session may take that much: a few of them use up the memory of the machine.',
  },
  shared_buffers: {
    bad: (value) => value < 2048,
    severity: 'medium',
    consequence: 'The server keeps next to nothing in memory and reads most pages from outside.',
  },
  deadlock_timeout: {
    bad: (value) => value >= 60_000,
    severity: 'medium',
    consequence: 'Sessions that wait for each other do so for that long before one of them is ended.',
  },
  autovacuum_naptime: { bad: (value) => value >= 1_800, severity: 'medium', consequence: lateVacuum },
  autovacuum_vacuum_cost_delay: { bad: (value) => value >= 50, severity: 'low', consequence: lateVacuum },
  autovacuum_vacuum_scale_factor: { bad: (value) => value >= 1, severity: 'medium', consequence: lateVacuum },
  autovacuum_analyze_scale_factor: {
    bad: (value) => value >= 1,
    severity: 'medium',
    consequence: 'The statistics of the planner are refreshed only when all rows have changed.',
  },
  default_statistics_target: {
    bad: (value) => value < 10,
    severity: 'medium',
    consequence: 'ANALYZE keeps so few values that the planner guesses.',
  },
  random_page_cost: { bad: (value) => value >= 20, severity: 'medium', consequence: readsWhole },
  join_collapse_limit: {
    bad: (value) => value <= 1,
    severity: 'low',
    consequence: 'Joins run in the order in which they are written.',
  },
  statement_timeout: {
    bad: (value) => value > 0 && value < 1_000,
    severity: 'medium',
    consequence: 'Every statement that takes longer than this fails.',
  },
  max_wal_size: {
    bad: (value) => value < 128,
    severity: 'low',
    consequence: 'Writing forces one checkpoint after the other, and each repeats whole pages in the log.',
  },
  checkpoint_timeout: {
    bad: (value) => value < 60,
    severity: 'low',
    consequence: 'A checkpoint follows the other, and each repeats whole pages in the log.',
  },
  restart_after_crash: {
    bad: 'off',
    severity: 'medium',
    consequence: 'When one session crashes, the server shuts down and stays down.',
  },
  exit_on_error: { bad: 'on', severity: 'high', consequence: 'Every error ends the session of the client.' },
  log_min_messages: { bad: 'panic', severity: 'low', consequence: errorsHidden },
  log_min_error_statement: { bad: 'panic', severity: 'low', consequence: 'The log has errors without their statements.' },
  constraint_exclusion: {
    bad: 'off',
    severity: 'low',
    consequence: 'Queries of inheritance trees read all children.',
  },
};

const plannerConsequence = 'The planner avoids such steps, even where they are the fastest.';

/** What is dangerous about a value, which the server or an ALTER ROLE has written. */
export function findDanger(name: string, value: string): Danger | undefined {
  const danger = dangers[name];
  if (danger !== undefined) return isBad(danger, value) ? danger : undefined;
  const isOff = /^enable_(?!partitionwise)/.test(name) && value === 'off';
  return isOff ? { bad: 'off', severity: 'medium', consequence: plannerConsequence } : undefined;
}

function isBad({ bad }: Danger, value: string): boolean {
  if (typeof bad === 'string') return bad === value;
  return /^-?\d+(?:\.\d+)?$/.test(value) && bad(Number(value));
}
