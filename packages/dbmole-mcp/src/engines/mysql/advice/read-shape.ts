import type { StatementShape } from '../../../advice/statement-shape.ts';
import { readShape } from '../../../advice/token-shape.ts';
import { inTurns } from '../guard/in-turns.ts';
import { reservedWords } from '../guard/known-functions.ts';
import { tooComplex } from '../guard/refuse.ts';
import { tokenize } from '../guard/text/lexer.ts';
import { parseMode } from '../guard/text/sql-mode.ts';

/** Reading more than this takes longer than other calls should wait. */
const maxTokens = 10_000;

/** `mode` is the `sql_mode` of the session. */
export async function parseShape(sql: string, mode: string): Promise<StatementShape> {
  const all = await inTurns(tokenize(sql, parseMode(mode)));
  if (all.length > maxTokens) throw tooComplex(`more than ${maxTokens} tokens`);
  const tokens = all.at(-1)?.word === ';' ? all.slice(0, -1) : all;
  return readShape({ sql, tokens, reserved: reservedWords });
}
