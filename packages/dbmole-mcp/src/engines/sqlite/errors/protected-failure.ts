import { type Failure, failureWith } from '@dbmole/core';
import { SqliteError } from '../wire/database-process.ts';
import { toSqliteFailure } from './failure.ts';

/** The statement of an error. */
interface FailedText {
  sql?: string | undefined;
  /** Protected columns are in reach, so no error may quote a value. */
  hidesValues?: boolean | undefined;
}

/** Errors about the text of a statement, or the names in it, which come before any row is read. */
const early =
  /^(?:near "[^"]{0,200}": syntax error|incomplete input|no such (?:table|column|function): [^'\n]{1,200}|ambiguous column name: [^'\n]{1,200}|table \S{1,200} has (?:no column named \S{1,200}|\d+ columns but \d+ values were supplied)|\d+ values for \d+ columns|wrong number of arguments to function [^'\n]{1,200}|misuse of aggregate[^'\n]{0,200})$/;

/** Names of tables and columns, and no values. */
const constraint = /^(?:UNIQUE|NOT NULL|FOREIGN KEY|PRIMARY KEY) constraint failed(?:: [\w$., ]{1,500})?$/;

/** Codes of errors with a text that does not depend on values: a lock, the file, memory, an interrupt. */
const operational: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 18, 23, 26]);
const primaryMask = 0xff;

/** The error as a caller gets it: without the words of SQLite where they may quote a protected value. */
export function toShownFailure(error: unknown, file: string, { sql, hidesValues = false }: FailedText): Failure {
  const failure = toSqliteFailure(error, file, sql);
  if (!hidesValues || !(error instanceof SqliteError) || isSafe(error, sql ?? '')) return failure;
  const { code } = error;
  return failureWith(failure, {
    message: `SQLite reported ${code === undefined ? 'an error' : `error ${code}`}; its text is hidden, because it may have values of protected columns`,
    position: undefined,
    cause: undefined,
  });
}

/** Code in the schema can raise any text as an error of its own, and a text search has the codes of a statement. */
function isSafe({ message, code = 1 }: SqliteError, sql: string): boolean {
  if (operational.has(code & primaryMask) || constraint.test(message)) return true;
  const [, name = ''] = /(?:near "|: )([^"]*)/.exec(message) ?? [];
  return early.test(message) && sql.toLowerCase().includes(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
}
