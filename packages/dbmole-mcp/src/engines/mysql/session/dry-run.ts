import { Failure } from '@dbmole/core';
import { collectRows } from '../values/user-rows.ts';
import type { Conversation } from '../wire/conversation.ts';
import { readCommand, readFirstWord } from './statement-kind.ts';

/** The first words of statements whose changes ROLLBACK takes back. */
const rollable: ReadonlySet<string> = new Set('INSERT REPLACE UPDATE DELETE WITH SELECT TABLE VALUES'.split(' '));

const toFilePattern = /\b(outfile|dumpfile)\b/i;

/** Whether a rollback may leave what the statement did, as far as its first word tells. */
export function commitsItself(sql: string): boolean {
  return !rollable.has(readFirstWord(sql)) || toFilePattern.test(sql);
}

/** Refuses a dry run of statements that commit implicitly: the dry run would change the data. */
export function refuseUnlessRollable(sql: string): void {
  if (!commitsItself(sql)) return;
  const toFile = toFilePattern.test(sql);
  const what = toFile ? 'a statement that writes a file' : readCommand(sql);
  throw new Failure('refused', `${what} has no dry run: this engine cannot roll it back`, {
    code: 'E_NO_DRY_RUN',
    hint: 'Use a dry run only for INSERT, UPDATE, DELETE, REPLACE and queries.',
  });
}

/** The tables that a statement changes are named at its beginning; what follows may be a megabyte of values. */
const maxNames = 1_000;

/**
 * A table of an engine without transactions keeps what a dry run does to it. Only tables that the statement names are seen here: what
 * a trigger or a view leads to is known afterwards, by the engine's warning.
 */
export async function refuseWithoutTransactions(conversation: Conversation, sql: string): Promise<void> {
  const names = namesIn(sql);
  if (names.length === 0) return;
  const list = names.map((name) => `'${name}'`).join(', ');
  const [found] = await collectRows(
    conversation,
    `SELECT t.table_name, t.engine FROM information_schema.tables t JOIN information_schema.engines e ON e.engine = t.engine
     WHERE e.transactions = 'NO' AND t.table_name IN (${list}) AND (t.table_schema = DATABASE() OR t.table_schema IN (${list})) LIMIT 1`,
  );
  if (found === undefined) return;
  throw new Failure(
    'refused',
    `table ${found[0]} cannot be part of a dry run: ${found[1]} has no transactions, so nothing would be rolled back`,
    {
      code: 'E_NO_DRY_RUN',
      hint: [{ call: 'query', to: 'count the rows that it would change' }, 'Or run it without the dry run if that is intended.'],
    },
  );
}

/** Every word that could be the name of a table. None has quotes or backslashes, so that each can be written as a literal. */
function namesIn(sql: string): string[] {
  return [...new Set([...firstMatches(sql, /`([^`'\\]+)`|"([^"'\\]+)"/g), ...firstMatches(sql, /([\p{L}\p{N}_$]+)/gu)])];
}

function firstMatches(sql: string, pattern: RegExp): string[] {
  const found: string[] = [];
  for (const [, first, second] of sql.matchAll(pattern)) {
    if (found.push(first ?? second ?? '') >= maxNames) break;
  }
  return found;
}
