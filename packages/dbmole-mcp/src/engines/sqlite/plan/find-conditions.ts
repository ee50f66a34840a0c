import { isName, noToken, type Token } from '../../../statement/tokens.ts';
import { readTokens } from '../guard/text/lexer.ts';

const comparing: ReadonlySet<string> = new Set(['=', '<', '>', 'IN', 'BETWEEN', 'IS']);
const clauses: ReadonlySet<string> = new Set(['WHERE', 'ON', 'GROUP', 'ORDER', 'SELECT', 'FROM', 'LIMIT', 'HAVING', 'SET']);
/** Words before a column of a plain comparison. */
const starts: ReadonlySet<string> = new Set(['WHERE', 'ON', 'AND', '(']);

const maxColumns = 3;

/**
 * The columns of one table that the statement compares with something, which an index on them could serve. A name without a table counts
 * where the statement reads only one.
 */
export function findConditions(sql: string, alias: string, isOnly: boolean): string[] {
  const tokens = readTokens(sql);
  const found: string[] = [];
  let clause = '';
  for (const [at, token] of tokens.entries()) {
    if (clauses.has(token.word)) clause = token.word;
    const isCondition = clause === 'WHERE' || clause === 'ON';
    if (isCondition && isName(token) && isOwnColumn(tokens, at, { alias, isOnly }) && isCompared(tokens, at))
      found.push(token.name);
  }
  return [...new Set(found)].slice(0, maxColumns);
}

function isOwnColumn(tokens: readonly Token[], at: number, { alias, isOnly }: { alias: string; isOnly: boolean }): boolean {
  const isQualified = tokens[at - 1]?.word === '.';
  const start = isQualified ? at - 3 : at - 1;
  const isOwn = isQualified ? tokens[at - 2]?.name.toLowerCase() === alias.toLowerCase() : isOnly;
  return isOwn && starts.has(tokens[start]?.word ?? '') && !isArgument(tokens, start);
}

/** Whether the parenthesis at this place is that of a function. */
function isArgument(tokens: readonly Token[], at: number): boolean {
  const name = tokens[at - 1] ?? noToken;
  return tokens[at]?.word === '(' && isName(name) && !starts.has(name.word) && name.word !== 'OR' && name.word !== 'NOT';
}

function isCompared(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]?.word ?? '';
  const isUnequal = next === '<' && tokens[at + 2]?.word === '>';
  return comparing.has(next) && !isUnequal && tokens[at + 2]?.word !== 'NOT';
}
