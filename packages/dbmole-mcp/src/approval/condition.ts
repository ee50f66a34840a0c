import { matchBrackets, noToken, type Token } from '../statement/tokens.ts';

/** How an engine writes conditions. */
export interface ConditionDialect {
  /** Words of a condition that are no names of columns. */
  readonly plain: ReadonlySet<string>;
  /** Marks that mean OR and AND when they are written twice. */
  readonly marks: { readonly or: string; readonly and: string } | undefined;
  /** Operators by which a value compares equal to itself. */
  readonly equalities: readonly string[];
}

/** Whether a condition names no column, so that it holds for all rows or for none: none at all, `1`, `true`, `1 = 1`, `id = id`. */
export function holdsForAllOrNone(sql: string, given: readonly Token[], dialect: ConditionDialect): boolean {
  const tokens = withoutBrackets(given);
  if (tokens.length === 0) return true;
  const choices = split(tokens, 'OR', dialect.marks?.or);
  if (choices.length > 1) return choices.some((part) => holdsForAllOrNone(sql, part, dialect));
  const all = split(tokens, 'AND', dialect.marks?.and);
  if (all.length > 1) return all.every((part) => holdsForAllOrNone(sql, part, dialect));
  return comparesItself(sql, tokens, dialect) || !namesColumn(tokens, dialect);
}

function withoutBrackets(tokens: readonly Token[]): readonly Token[] {
  let inner = tokens;
  while (inner[0]?.word === '(' && matchBrackets(inner)(0) === inner.length - 1) inner = inner.slice(1, -1);
  return inner;
}

/** The parts between the operator, which is a word or a mark that is written twice, outside of brackets and CASE. */
function split(tokens: readonly Token[], word: string, mark: string | undefined): (readonly Token[])[] {
  const parts: (readonly Token[])[] = [];
  let depth = 0;
  let from = 0;
  for (const [i, token] of tokens.entries()) {
    if (token.word === '(' || token.word === 'CASE') depth += 1;
    if (token.word === ')' || token.word === 'END') depth -= 1;
    const isDouble = token.word === mark && tokens[i + 1]?.word === mark && tokens[i + 1]?.start === token.end;
    if (depth > 0 || (token.word !== word && !isDouble)) continue;
    parts.push(tokens.slice(from, i));
    from = i + (isDouble ? 2 : 1);
  }
  return [...parts, tokens.slice(from)];
}

function namesColumn(tokens: readonly Token[], { plain }: ConditionDialect): boolean {
  return tokens.some(({ kind, word }, i) => {
    if (kind !== 'word' && kind !== 'quoted') return false;
    const isFunction = tokens[i + 1]?.word === '(';
    return !plain.has(word) && !isFunction;
  });
}

function comparesItself(sql: string, tokens: readonly Token[], { equalities }: ConditionDialect): boolean {
  const at = tokens.findIndex(({ word }) => word === '=' || word === '<' || word === '>');
  const operator = tokens.slice(at).filter(({ word }, i) => i < 3 && /^[<>=]$/.test(word));
  const written = operator.map(({ word }) => word).join('');
  if (at <= 0 || !equalities.includes(written)) return false;
  return write(sql, tokens.slice(0, at)) === write(sql, tokens.slice(at + operator.length));
}

function write(sql: string, tokens: readonly Token[]): string {
  return tokens.map(({ start, end } = noToken) => sql.slice(start, end).toLowerCase()).join(' ');
}
