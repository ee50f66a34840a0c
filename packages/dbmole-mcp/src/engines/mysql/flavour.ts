/** What differs between MySQL and MariaDB, decided once by the answer to `version()`. */
export interface Flavour {
  product: 'MySQL' | 'MariaDB';
  version: string;
  /** The session variable that refuses writes. */
  readOnlyVariable: 'transaction_read_only' | 'tx_read_only';
  isolationVariable: 'transaction_isolation' | 'tx_isolation';
  /** A transaction may serve further catalog questions for this long. */
  catalogAgeMs: number;
  /** The assignment that sets the engine's own time limit for a statement. */
  timeLimit(milliseconds: number): string;
}

export function detectFlavour(version: string): Flavour {
  const maria = /^(?:5\.5\.5-)?([\d.]+)-MariaDB/i.exec(version);
  return maria ? mariadb(maria[1] ?? version) : mysql(version);
}

function mysql(version: string): Flavour {
  return {
    product: 'MySQL',
    version,
    readOnlyVariable: 'transaction_read_only',
    isolationVariable: 'transaction_isolation',
    // The transaction sees the catalog as it was when it began.
    catalogAgeMs: 0,
    // This limits SELECT only; a timer of the session stops everything else.
    timeLimit: (milliseconds) => `max_execution_time=${Math.min(Math.ceil(milliseconds), 0xffffffff)}`,
  };
}

function mariadb(version: string): Flavour {
  return {
    product: 'MariaDB',
    version,
    readOnlyVariable: 'tx_read_only',
    isolationVariable: 'tx_isolation',
    // The catalog is not part of a transaction.
    catalogAgeMs: 100,
    timeLimit: (milliseconds) => `max_statement_time=${(milliseconds / 1000).toFixed(6)}`,
  };
}

export interface ReadLimits {
  maxRows: number | undefined;
  timeoutMs: number;
  /** The mode in which the guard read the statement; undefined for a catalog question, which means the same in every mode. */
  sqlMode: string | undefined;
  /** Undefined until a read depended on it; the session then has the time zone of the server. */
  timeZone: string | undefined;
}

/** Whether two reads differ in their bounds alone. */
export function hasSameMeaning(one: ReadLimits | undefined, { sqlMode, timeZone }: ReadLimits): boolean {
  return one !== undefined && one.sqlMode === sqlMode && one.timeZone === timeZone;
}

/**
 * Formats the settings of a session before a read. They include the character set, because a reset returns to that of the server, and
 * the isolation level, because a plain SELECT locks the rows that it reads where the server's level is SERIALIZABLE.
 */
export function formatReadSettings(flavour: Flavour, { maxRows, timeoutMs, sqlMode, timeZone }: ReadLimits): string {
  return formatSettings(flavour, timeoutMs, [
    `${flavour.readOnlyVariable}=1`,
    `${flavour.isolationVariable}='REPEATABLE-READ'`,
    `sql_select_limit=${maxRows?.toFixed(0) ?? 'DEFAULT'}`,
    ...(sqlMode === undefined ? [] : [`sql_mode='${sqlMode}'`]),
    timeZone === undefined ? 'time_zone=DEFAULT' : `time_zone='${timeZone}'`,
  ]);
}

/** Formats the settings before a write, which undo those of a read. */
export function formatWriteSettings(flavour: Flavour, timeoutMs: number): string {
  return formatSettings(flavour, timeoutMs, [
    `${flavour.readOnlyVariable}=0`,
    `${flavour.isolationVariable}=DEFAULT`,
    'sql_select_limit=DEFAULT',
    'sql_mode=DEFAULT',
    'time_zone=DEFAULT',
  ]);
}

function formatSettings(flavour: Flavour, timeoutMs: number, more: readonly string[]): string {
  const assignments = [
    ...more,
    flavour.timeLimit(timeoutMs),
    // The server then reports the database that a USE chose.
    'session_track_schema=1',
  ];
  return `SET NAMES utf8mb4, ${assignments.map((assignment) => `SESSION ${assignment}`).join(', ')}`;
}
