/** What differs between the two families; decided once, from what `version()` says. */
export interface Flavour {
  product: 'MySQL' | 'MariaDB';
  version: string;
  /** The session variable that refuses writes. */
  readOnlyVariable: 'transaction_read_only' | 'tx_read_only';
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
    // Of SELECT only; everything else is stopped by our own clock.
    timeLimit: (milliseconds) => `max_execution_time=${Math.min(Math.ceil(milliseconds), 0xffffffff)}`,
  };
}

function mariadb(version: string): Flavour {
  return {
    product: 'MariaDB',
    version,
    readOnlyVariable: 'tx_read_only',
    timeLimit: (milliseconds) => `max_statement_time=${(milliseconds / 1000).toFixed(6)}`,
  };
}

/** What a session is told before a read. The character set belongs to it: a reset takes back even that to the server's own. */
export function formatReadSettings(flavour: Flavour, limits: { maxRows: number | undefined; timeoutMs: number }): string {
  return formatSettings(flavour, { readOnly: 1, rows: limits.maxRows?.toFixed(0) ?? 'DEFAULT', timeoutMs: limits.timeoutMs });
}

export function formatWriteSettings(flavour: Flavour, timeoutMs: number): string {
  return formatSettings(flavour, { readOnly: 0, rows: 'DEFAULT', timeoutMs });
}

interface Settings {
  readOnly: 0 | 1;
  rows: string;
  timeoutMs: number;
}

function formatSettings(flavour: Flavour, { readOnly, rows, timeoutMs }: Settings): string {
  const assignments = [
    `${flavour.readOnlyVariable}=${readOnly}`,
    `sql_select_limit=${rows}`,
    flavour.timeLimit(timeoutMs),
    // So that a USE does not go unnoticed.
    'session_track_schema=1',
  ];
  return `SET NAMES utf8mb4, ${assignments.map((assignment) => `SESSION ${assignment}`).join(', ')}`;
}
