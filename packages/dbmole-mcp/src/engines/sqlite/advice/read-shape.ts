import type { StatementShape } from '../../../advice/statement-shape.ts';
import { readShape } from '../../../advice/token-shape.ts';
import { tooComplex } from '../guard/refuse.ts';
import { tokenize } from '../guard/text/lexer.ts';
import { reservedWords } from '../values/identifiers.ts';

/** Reading more than this takes longer than other calls should wait. */
const maxTokens = 10_000;

export function parseShape(sql: string): StatementShape {
  const all = tokenize(sql);
  if (all.length > maxTokens) throw tooComplex(`more than ${maxTokens} tokens`, 0);
  const tokens = all.at(-1)?.word === ';' ? all.slice(0, -1) : all;
  return readShape({ sql, tokens, reserved });
}

/** Operators, which SQLite takes for names in other places. */
const reserved: ReadonlySet<string> = new Set([...reservedWords, 'LIKE', 'GLOB', 'REGEXP', 'MATCH', 'CASE', 'CAST', 'INDEXED']);
