import { refuseUnplannable } from '../../../cost/cost-refusal.ts';
import type { ReadStatement } from '../../../guard/read-statement.ts';
import { seePlan } from '../../../next-steps.ts';
import { inTurns } from '../guard/in-turns.ts';
import { tokenize } from '../guard/text/lexer.ts';
import { parseMode } from '../guard/text/sql-mode.ts';
import { findMeasured, hasQuery } from '../guard/text/statement.ts';

const describing: ReadonlySet<string> = new Set(['EXPLAIN', 'DESCRIBE', 'DESC', 'ANALYZE']);
const queryStarts: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'TABLE', 'VALUES', '(']);

/** The statement whose plan shows what an accepted read does: itself, or the one that it measures. Undefined where it reads nothing. */
export async function findPlanned({ sql, premise }: ReadStatement): Promise<string | undefined> {
  const tokens = await inTurns(tokenize(sql, parseMode(premise ?? '')));
  const word = tokens[0]?.word ?? '';
  if (queryStarts.has(word)) return sql;
  if (describing.has(word)) {
    const { at, isElsewhere } = findMeasured(tokens);
    if (isElsewhere) throw refuseUnplannable('it explains a statement in another database', seePlan);
    return at === undefined ? undefined : sql.slice(tokens[at]?.start ?? sql.length);
  }
  if (word === 'HELP') return undefined;
  if (word === 'SHOW' && !hasQuery(tokens)) return undefined;
  throw refuseUnplannable(`${word === '' ? 'the statement' : word} has no plan`, 'Use a SELECT instead.');
}
