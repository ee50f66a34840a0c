import { Failure } from '@dbmole/core';
import { collectRows } from './collect-rows.ts';
import type { Link } from './link.ts';

/** The tables that a statement changes are named at its beginning; what follows may be a megabyte of values. */
const mostNames = 1_000;

/**
 * A table of an engine without transactions keeps what a dry run does to it. Only tables that the statement names are seen here: what
 * a trigger or a view leads to is known afterwards, by the engine's warning.
 */
export async function refuseWithoutTransactions(link: Link, sql: string): Promise<void> {
  const names = namesIn(sql);
  if (names.length === 0) return;
  const list = names.map((name) => `'${name}'`).join(', ');
  const [found] = await collectRows(
    link,
    `SELECT t.table_name, t.engine FROM information_schema.tables t JOIN information_schema.engines e ON e.engine = t.engine
     WHERE e.transactions = 'NO' AND t.table_name IN (${list}) AND (t.table_schema = DATABASE() OR t.table_schema IN (${list})) LIMIT 1`,
  );
  if (found === undefined) return;
  throw new Failure(
    'refused',
    `table ${found[0]} cannot be part of a dry run: ${found[1]} has no transactions, so nothing is rolled back`,
    {
      code: 'E_NO_DRY_RUN',
      hint: 'Count with query the rows that it would change, or run it without the dry run if that is wanted.',
    },
  );
}

/** Whatever may be the name of a table, also where it is none. Without quotes and backslashes, so that each can be written as a text. */
function namesIn(sql: string): string[] {
  return [...new Set([...firstMatches(sql, /`([^`'\\]+)`|"([^"'\\]+)"/g), ...firstMatches(sql, /([\p{L}\p{N}_$]+)/gu)])];
}

function firstMatches(sql: string, pattern: RegExp): string[] {
  const found: string[] = [];
  for (const [, first, second] of sql.matchAll(pattern)) {
    if (found.push(first ?? second ?? '') >= mostNames) break;
  }
  return found;
}
