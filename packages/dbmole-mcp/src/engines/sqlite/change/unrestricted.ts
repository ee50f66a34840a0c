import { matchBrackets, noToken, type Token } from '../guard/text/tokens.ts';

/** Whether a condition names no column, so that it holds for all rows or for none: none at all, `1`, `true`, `1 = 1`, `id = id`. */
export function isUnrestricted(sql: string, given: readonly Token[]): boolean {
  const tokens = withoutBrackets(given);
  if (tokens.length === 0) return true;
  const choices = split(tokens, 'OR');
  if (choices.length > 1) return choices.some((part) => isUnrestricted(sql, part));
  const all = split(tokens, 'AND');
  if (all.length > 1) return all.every((part) => isUnrestricted(sql, part));
  return comparesItself(sql, tokens) || !namesColumn(tokens);
}

function withoutBrackets(tokens: readonly Token[]): readonly Token[] {
  let inner = tokens;
  while (inner[0]?.word === '(' && matchBrackets(inner)(0) === inner.length - 1) inner = inner.slice(1, -1);
  return inner;
}

/** The parts between the word, outside of brackets and CASE. */
function split(tokens: readonly Token[], word: string): (readonly Token[])[] {
  const parts: (readonly Token[])[] = [];
  let depth = 0;
  let from = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.word === '(' || token.word === 'CASE') depth += 1;
    if (token.word === ')' || token.word === 'END') depth -= 1;
    if (depth > 0 || token.word !== word) continue;
    parts.push(tokens.slice(from, i));
    from = i + 1;
  }
  return [...parts, tokens.slice(from)];
}

/** Words of a condition that are no names of columns. */
const plain: ReadonlySet<string> = new Set(
  'TRUE FALSE NULL NOT IS IN LIKE GLOB MATCH REGEXP BETWEEN AND OR ISNULL NOTNULL COLLATE NOCASE BINARY RTRIM CASE WHEN THEN ELSE END SELECT EXISTS FROM DISTINCT ESCAPE'.split(
    ' ',
  ),
);

function namesColumn(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, word }, i) => {
    if (kind !== 'word' && kind !== 'quoted') return false;
    const isFunction = tokens[i + 1]?.word === '(';
    return !plain.has(word) && !isFunction;
  });
}

function comparesItself(sql: string, tokens: readonly Token[]): boolean {
  const at = tokens.findIndex(({ word }) => word === '=' || word === '<' || word === '>');
  const operator = tokens.slice(at).filter(({ word }, i) => i < 3 && /^[<>=]$/.test(word));
  const written = operator.map(({ word }) => word).join('');
  if (at <= 0 || !['=', '==', '<=', '>='].includes(written)) return false;
  return write(sql, tokens.slice(0, at)) === write(sql, tokens.slice(at + operator.length));
}

function write(sql: string, tokens: readonly Token[]): string {
  return tokens.map(({ start, end } = noToken) => sql.slice(start, end).toLowerCase()).join(' ');
}
