import { quoteRemote } from '@dbmole/core';
import type { ServerError } from '../wire/messages.ts';

/** What the codes of the server mean that come from values; others are named by their code alone. */
const words: Readonly<Record<string, string>> = {
  '21000': 'a subquery gave more than one row',
  '22001': 'a value is too long',
  '22003': 'a number is out of range',
  '22007': 'a value is not a valid date or time',
  '22008': 'a date or time is out of range',
  '22012': 'division by zero',
  '22023': 'an argument is not valid',
  '22P02': 'a value cannot be converted to this type',
  '23502': 'a value is missing',
  '23503': 'a row that refers to another one would lose it, or has none',
  '23505': 'a value exists already',
  '23514': 'a value violates a check',
  '23P01': 'a value conflicts with another row',
  P0001: 'a function or a trigger raised an error',
};

/** Ends of statements and transactions, limits of the server, and its shutdown: what it says of them has no values. */
const operational = /^(?:08|25|40|53|55P03|57)/;
const maxName = 100;

/**
 * The error without the server's own words, which can quote values of protected columns. It keeps them where the statement has not run:
 * then they are about its text.
 */
export function hideValues(error: ServerError | undefined): ServerError | undefined {
  if (error === undefined || isAboutText(error)) return error;
  const named = error.isOfCode ? '' : formatPlace(error);
  const what = words[error.code] ?? 'the statement failed';
  const message = `${what} (SQLSTATE ${error.code})${named}; the server's own words can quote protected columns, and are not shown`;
  return error.replaceWords(message);
}

/** Code in the database can raise any error with any text. */
function isAboutText({ code, isOfCode, position, routine }: ServerError): boolean {
  if (isOfCode) return false;
  if (operational.test(code)) return true;
  if (code === '42501') return routine === 'aclcheck_error' || routine === 'aclcheck_error_col';
  return position !== undefined && /^(?:42|22|0A|3F)/.test(code);
}

/** Names from the catalog. */
function formatPlace({ constraint, column, table }: ServerError): string {
  const parts = [
    constraint === undefined ? '' : `constraint ${quoteRemote(constraint, maxName)}`,
    column === undefined ? '' : `column ${quoteRemote(column, maxName)}`,
    table === undefined ? '' : `table ${quoteRemote(table, maxName)}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` at ${parts.join(' of ')}`;
}
