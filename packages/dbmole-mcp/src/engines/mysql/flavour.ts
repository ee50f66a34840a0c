/** What differs between the two families; decided once, from what `version()` says. */
export interface Flavour {
  product: 'MySQL' | 'MariaDB';
  version: string;
  /** The session variable that refuses writes. */
  readOnlyVariable: 'transaction_read_only' | 'tx_read_only';
  isolationVariable: 'transaction_isolation' | 'tx_isolation';
  /** The assignment that makes the engine stop a statement by itself. */
  timeLimit(milliseconds: number): string;
}

export function flavourOf(version: string): Flavour {
  const maria = /^(?:5\.5\.5-)?([\d.]+)-MariaDB/i.exec(version);
  return maria ? mariadb(maria[1] ?? version) : mysql(version);
}

function mysql(version: string): Flavour {
  return {
    product: 'MySQL',
    version,
    readOnlyVariable: 'transaction_read_only',
    isolationVariable: 'transaction_isolation',
    // Of SELECT only; everything else is stopped by our own clock.
    timeLimit: (milliseconds) => `max_execution_time=${Math.min(Math.ceil(milliseconds), 0xffffffff)}`,
  };
}

function mariadb(version: string): Flavour {
  return {
    product: 'MariaDB',
    version,
    readOnlyVariable: 'tx_read_only',
    isolationVariable: 'tx_isolation',
    timeLimit: (milliseconds) => `max_statement_time=${(milliseconds / 1000).toFixed(6)}`,
  };
}

export interface ReadLimits {
  maxRows: number | undefined;
  timeoutMs: number;
  /** How the guard has read the statement; undefined for one of our own, which means the same in every mode. */
  sqlMode: string | undefined;
}

/**
 * What a session is told before a read. The character set belongs to it: a reset takes back even that to the server's own. So does
 * the isolation: where the server's own is SERIALIZABLE, a plain SELECT would lock the rows it reads.
 */
export function formatReadSettings(flavour: Flavour, { maxRows, timeoutMs, sqlMode }: ReadLimits): string {
  return formatSettings(flavour, timeoutMs, [
    `${flavour.readOnlyVariable}=1`,
    `${flavour.isolationVariable}='REPEATABLE-READ'`,
    `sql_select_limit=${maxRows?.toFixed(0) ?? 'DEFAULT'}`,
    ...(sqlMode === undefined ? [] : [`sql_mode='${sqlMode}'`]),
  ]);
}

/** Takes back what a read was told. */
export function formatWriteSettings(flavour: Flavour, timeoutMs: number): string {
  return formatSettings(flavour, timeoutMs, [
    `${flavour.readOnlyVariable}=0`,
    `${flavour.isolationVariable}=DEFAULT`,
    'sql_select_limit=DEFAULT',
    'sql_mode=DEFAULT',
  ]);
}

function formatSettings(flavour: Flavour, timeoutMs: number, more: readonly string[]): string {
  const assignments = [
    ...more,
    flavour.timeLimit(timeoutMs),
    // So that a USE does not go unnoticed.
    'session_track_schema=1',
  ];
  return `SET NAMES utf8mb4, ${assignments.map((assignment) => `SESSION ${assignment}`).join(', ')}`;
}
