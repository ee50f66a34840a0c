import { isName, noToken } from '../../../statement/tokens.ts';
import { readTokens } from '../guard/text/lexer.ts';

/** A plan names a table by its alias; the table is the name in front of that in the statement. */
export function findTable(name: string, sql: string): string {
  const tokens = readTokens(sql);
  for (const [at, token] of tokens.entries()) {
    if (!isName(token) || token.name.toLowerCase() !== name.toLowerCase()) continue;
    const before = tokens[at - 1] ?? noToken;
    const table = before.word === 'AS' ? (tokens[at - 2] ?? noToken) : before;
    const place = tokens[before.word === 'AS' ? at - 3 : at - 2]?.word ?? '';
    if (isName(table) && ['FROM', 'JOIN', ',', '.', '('].includes(place)) return table.name;
  }
  return name;
}
