import { type Failure, failureWith } from '@dbmole/core';
import type { ReadStatement } from '../../../guard/read-statement.ts';
import { toMysqlFailure, type Where } from './failure.ts';

/**
 * Errors from before any row is read, as the server words them; each group must be in the caller's statement. Code in the database can
 * raise any number, with any text.
 */
const early: Readonly<Record<number, RegExp>> = {
  1046: /^No database selected$/,
  1049: /^Unknown database '([^']*)'$/,
  1052: /^Column '([^']*)' in '?[\w ]{1,30}'? is ambiguous$/i,
  1054: /^Unknown column '([^']*)' in '[\w ]{1,30}'$/i,
  1055: /^Expression #\d+ of [A-Z ]{1,30} (?:is not in GROUP BY clause and )?contains nonaggregated column '([^']*)' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by$/,
  1060: /^Duplicate column name '([^']*)'$/,
  1064: /^You have an error in your SQL syntax; check the manual that corresponds to your \w+ server version for the right syntax to use near '(.*)' at line \d+$/s,
  1066: /^Not unique table\/alias: '([^']*)'$/,
  1109: /^Unknown table '([^']*)' in [\w ]{1,30}$/i,
  1110: /^Column '([^']*)' specified twice$/,
  1111: /^Invalid use of group function$/,
  1136: /^Column count doesn't match value count at row \d+$/,
  1140: /^In aggregated query without GROUP BY, expression #\d+ of [A-Z ]{1,30} contains nonaggregated column '([^']*)'; this is incompatible with sql_mode=only_full_group_by$/,
  1146: /^Table '([^']*)' doesn't exist$/,
  1205: /^Lock wait timeout exceeded; try restarting transaction$/,
  1210: /^Incorrect arguments to ([\w ]{1,40})$/i,
  1213: /^Deadlock found when trying to get lock; try restarting transaction$/,
  1222: /^The used SELECT statements have a different number of columns$/,
  1241: /^Operand should contain \d+ column\(s\)$/,
  1242: /^Subquery returns more than 1 row$/,
  1248: /^Every derived table must have its own alias$/,
  1305: /^FUNCTION ([^ ']+) does not exist$/i,
  1317: /^Query execution was interrupted$/,
  1353: /^[\w ,]{1,80} SELECT list and column names list have different column counts$/,
  1582: /^Incorrect parameter count in the call to native function '([^']*)'$/,
  1791: /^Unknown EXPLAIN format name: '([^']*)'$/,
  1792: /^Cannot execute statement in a READ ONLY transaction\.?$/,
  1969: /^Query execution was interrupted \(max_statement_time exceeded\)$/,
  3024: /^Query execution was interrupted, maximum statement execution time exceeded$/,
};

/** The names in an error from the catalog, behind all values in it. */
const named: readonly RegExp[] = [
  /for (key '[\w.$-]{1,130}')$/,
  /for (column [`'][\w.$`-]{1,200}[`']) at row \d+$/,
  /^Data (?:too long|truncated) for (column '[\w$-]{1,64}') at row \d+$/,
  /^(Column '[\w$-]{1,64}') cannot be null$/,
  /^(Field '[\w$-]{1,64}') doesn't have a default value$/,
  /, (CONSTRAINT `[\w$-]{1,64}`) FOREIGN KEY/,
  /^Check (constraint '[\w$-]{1,64}') is violated\.$/,
  /^(CONSTRAINT `[\w$.-]{1,64}`) failed for/,
];

/** The statement of an error. */
export interface FailedText {
  sql: string;
  /** Protected columns are in reach, so no error may quote a value. */
  hidesValues?: boolean | undefined;
}

export function toText({ sql, columns }: Pick<ReadStatement, 'sql' | 'columns'>): FailedText {
  return { sql, hidesValues: columns !== undefined };
}

export function toShownFailure(error: unknown, where: Where, { sql, hidesValues = false }: FailedText): Failure {
  const failure = toMysqlFailure(error, where, sql);
  return hidesValues ? hideValues(failure, sql) : failure;
}

/** The failure without the server's own words, which may have values of protected columns in them. */
function hideValues(failure: Failure, sql: string): Failure {
  const { engineCode, cause } = failure;
  // Our own words have no values, unless they quote those of the server.
  if (engineCode === undefined && !failure.message.includes('the server says')) return failure;
  const text = cause instanceof Error ? cause.message : '';
  if (isEarly(Number.parseInt(engineCode ?? '', 10), text, sql)) return failure;
  const found = named.map((pattern) => pattern.exec(text)?.[1]).find((name) => name !== undefined);
  const about = found === undefined ? '' : ` about ${found.replace(/^\w+/, (word) => word.toLowerCase())}`;
  const what = engineCode === undefined ? 'the server reported an error' : `the server reported error ${engineCode}${about}`;
  return failureWith(failure, {
    message: `${what}; its text is hidden, because it may have values of protected columns`,
    cause: undefined,
  });
}

function isEarly(number: number, text: string, sql: string): boolean {
  const found = Object.hasOwn(early, number) ? early[number]?.exec(text) : undefined;
  const written = sql.toLowerCase();
  return found?.slice(1).every((part) => part === undefined || isWritten(part.toLowerCase(), written)) ?? false;
}

/** Whether the part is in the statement; the server may have added the database and the table to a name. */
function isWritten(part: string, sql: string): boolean {
  return sql.includes(part) || (/^[\w$.-]{1,200}$/.test(part) && sql.includes(part.slice(part.lastIndexOf('.') + 1)));
}
