import type { SearchField } from './log-fields.ts';
import { wildcard } from './mask-token.ts';
import type { LogPattern } from './pattern-miner.ts';
import { isVariable, type LogLine } from './split-line.ts';

type Query = Readonly<Record<string, unknown>>;

/** A cluster takes 1,024 terms in one search, at least; those of the caller's own query are among them. */
const maxTerms = 800;
/** Words of one pattern that are searched; fewer where many patterns share one search. */
const maxWords = 12;
const minWords = 3;

/** A query for the lines of a pattern: it finds all of them, and others that have the same words. */
export interface PatternQuery {
  readonly query: Query;
  readonly terms: number;
}

/** Undefined for a pattern without words that could be searched. */
export function queryPattern(
  { line }: Pick<LogPattern, 'line'>,
  { name, kind }: SearchField,
  wordLimit = maxWords,
): PatternQuery | undefined {
  const words = listWords(line).slice(0, wordLimit);
  if (words.length === 0) return undefined;
  if (kind === 'keyword') return { query: { wildcard: { [name]: { value: toWildcard(line) } } }, terms: 1 };
  const query = { match: { [name]: { query: words.join(' '), operator: 'and', zero_terms_query: 'all' } } };
  // An analyzer may cut a word in two, such as at a hyphen.
  const terms = words.reduce((sum, word) => sum + (word.match(/[\p{L}\p{N}]+/gu)?.length ?? 1), 0);
  return { query, terms };
}

/** The fixed words, longer ones first: these are rarer. */
function listWords({ tokens }: LogLine): readonly string[] {
  const words = new Set(tokens.filter((token) => !isVariable(token) && /[\p{L}\p{N}]/u.test(token)));
  return [...words].sort((one, other) => other.length - one.length);
}

/** The whole line, with any text in the place of what varies. */
function toWildcard({ tokens, gaps }: LogLine): string {
  const parts = tokens.map(
    (token, at) => `${escapeWildcard(gaps[at] ?? '')}${token.split(wildcard).map(escapeWildcard).join('*')}`,
  );
  return `${parts.join('')}*`.replace(/(\\.)|\*{2,}/g, (_, escaped?: string) => escaped ?? '*');
}

function escapeWildcard(text: string): string {
  return text.replace(/[\\*?]/g, '\\$&');
}

/** Queries for as many patterns as one search takes, of the first ones. */
export function queryAll<T extends Pick<LogPattern, 'line'>>(patterns: readonly T[], field: SearchField): Map<T, Query> {
  const wordLimit = Math.max(minWords, Math.min(maxWords, Math.floor(maxTerms / Math.max(1, patterns.length))));
  const queries = new Map<T, Query>();
  let left = maxTerms;
  for (const pattern of patterns) {
    const found = queryPattern(pattern, field, wordLimit);
    if (found === undefined || found.terms > left) continue;
    left -= found.terms;
    queries.set(pattern, found.query);
  }
  return queries;
}

/** Whether a line has the form of a pattern: its fixed words in the same order, and hardly any others. */
export function hasForm(line: LogLine, pattern: LogLine): boolean {
  if (Math.abs(line.tokens.length - pattern.tokens.length) > maxOtherWords) return false;
  let at = 0;
  for (const token of pattern.tokens) {
    if (isVariable(token)) continue;
    at = line.tokens.indexOf(token, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const maxOtherWords = 2;
