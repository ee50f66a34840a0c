import { textsWithin } from '../guard/body/walk-json.ts';
import { esqlDialect, openSearchSqlDialect, pplDialect, sqlDialect } from '../guard/query/quotes.ts';
import { type Dialect, Scanner, type Token, UnreadableQuery } from '../guard/query/scanner.ts';
import { hasWildTerm, startsLikeWildcard, startsWithAnything, startsWithWildcard } from './leading-wildcards.ts';

const dialects = {
  esql: esqlDialect,
  sql: sqlDialect,
  eql: esqlDialect,
  'opensearch sql': openSearchSqlDialect,
  ppl: pplDialect,
} as const;

export type TextLanguage = keyof typeof dialects;

/** Words that are followed by a pattern, or by several in parentheses. */
const patterns: Readonly<Record<string, (pattern: string) => boolean>> = {
  LIKE: startsLikeWildcard,
  RLIKE: startsWithAnything,
  REGEXP: startsWithAnything,
  REGEX: startsWithAnything,
};
/** Functions that take a pattern or a query for Lucene. */
const functions: ReadonlySet<string> = new Set(
  'QSTR KQL QUERY QUERY_STRING SIMPLE_QUERY_STRING WILDCARD WILDCARD_QUERY WILDCARDQUERY MATCH_PHRASE_PREFIX'.split(' '),
);

/**
 * The beginning of a query text in which a pattern begins with a wildcard; undefined without one. A pattern that is computed and
 * a text that cannot be read count as one.
 */
export function findWildcardInText(text: string, language: TextLanguage, params: unknown): string | undefined {
  const tokens = readTokens(text, dialects[language]);
  if (tokens === undefined) return 'a text that cannot be read';
  if (language === 'eql') return tokens.find(({ kind, value }) => kind === 'text' && startsWithWildcard(value))?.value;
  const given = textsWithin(params);
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'word') continue;
    const word = token.value.toUpperCase();
    const check = Object.hasOwn(patterns, word) ? patterns[word] : undefined;
    const found = check !== undefined ? findPattern(tokens, at + 1, { check, given }) : findArgument(tokens, at, { word, given });
    if (found !== undefined) return found;
  }
  return undefined;
}

function readTokens(text: string, dialect: Dialect): readonly Token[] | undefined {
  const scanner = new Scanner(text, dialect);
  const tokens: Token[] = [];
  try {
    for (let token = scanner.next(); token.kind !== 'end'; token = scanner.next()) tokens.push(token);
  } catch (error) {
    if (!(error instanceof UnreadableQuery)) throw error;
    return undefined;
  }
  return tokens;
}

interface Pattern {
  check(pattern: string): boolean;
  given: readonly string[];
}

function findPattern(tokens: readonly Token[], at: number, { check, given }: Pattern): string | undefined {
  const [first] = tokens.slice(at, at + 1);
  const candidates = first?.value === '(' ? listUntilClosed(tokens, at) : first === undefined ? [] : [first];
  const isWild = (value: string) => check(value) || /^\\(?![\\"*?%_.])/.test(value);
  const texts = candidates.filter(({ kind }) => kind === 'text').map(({ value }) => value);
  const wild = texts.find(isWild);
  if (wild !== undefined) return wild;
  const param = candidates.some(({ value }) => value === '?');
  if (param) return given.find(isWild);
  return texts.length === 0 && candidates.length > 0 && first?.value !== '(' ? 'a pattern that is computed' : undefined;
}

function findArgument(
  tokens: readonly Token[],
  at: number,
  { word, given }: { word: string; given: readonly string[] },
): string | undefined {
  if (!functions.has(word) || tokens[at + 1]?.value !== '(') return undefined;
  const inside = listUntilClosed(tokens, at + 1);
  const isWild = (value: string) => hasWildTerm(value) || startsWithWildcard(value);
  const found = inside.find(({ kind, value }) => kind !== 'word' && kind !== 'mark' && isWild(value))?.value;
  return found ?? (inside.some(({ value }) => value === '?') ? given.find(isWild) : undefined);
}

function listUntilClosed(tokens: readonly Token[], from: number): readonly Token[] {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { kind, value } = tokens[at] ?? { kind: 'end', value: '' };
    if (kind === 'mark') depth += value === '(' ? 1 : value === ')' ? -1 : 0;
    if (depth === 0) return tokens.slice(from, at);
  }
  return tokens.slice(from);
}
