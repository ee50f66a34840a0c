import { isName, noToken, type Token } from '../../../../../statement/tokens.ts';
import { reservedWords } from '../../known-functions.ts';
import type { SourceText } from './source-text.ts';

/** An item of a select list without its alias: `*`, a column as it is, or an expression. */
type SelectItem =
  | { kind: 'star'; path: readonly string[] }
  | { kind: 'column'; path: readonly string[]; name: string | undefined; from: number; to: number }
  | { kind: 'value'; name: string | undefined; from: number; to: number };

export function readItem(text: SourceText, { from, to }: { from: number; to: number }): SelectItem {
  const star = readStar(text, from, to);
  if (star !== undefined) return { kind: 'star', path: star };
  const { end, alias } = readAlias(text, from, to);
  const path = readPath(text, stripBrackets(text, from, end));
  if (path === undefined) return { kind: 'value', name: alias, from, to: end };
  const isBare = text.tokens[from]?.word !== '(';
  const name = alias ?? (isBare && end === to ? path.at(-1) : undefined);
  return { kind: 'column', path, name, from, to: end };
}

/** The names before `*`, as in `t.*`. */
function readStar({ tokens }: SourceText, from: number, to: number): string[] | undefined {
  if (tokens[to - 1]?.word !== '*') return undefined;
  const path: string[] = [];
  for (let at = from; at < to - 1; at += 2) {
    if (!isName(tokens[at] ?? noToken) || tokens[at + 1]?.word !== '.') return undefined;
    path.push(tokens[at]?.name ?? '');
  }
  return path;
}

/**
 * The alias, and where the expression before it ends. The name is undefined where it cannot be told, as for an expression without an
 * alias: then it may be any name.
 */
function readAlias(text: SourceText, from: number, to: number): { end: number; alias: string | undefined } {
  const { tokens } = text;
  const last = tokens[to - 1] ?? noToken;
  const before = tokens[to - 2] ?? noToken;
  if (to - from < 2) return { end: to, alias: undefined };
  if (before.word === 'AS') return { end: to - 2, alias: isName(last) ? last.name : undefined };
  if (!mayBeAlias(last) || !endsExpression(before)) return { end: to, alias: undefined };
  // The last word may be a unit or an escape.
  if (hasWord(text, ['INTERVAL', 'ESCAPE'], from, to)) return { end: to, alias: undefined };
  return { end: to - 1, alias: isName(last) ? last.name : undefined };
}

function mayBeAlias(token: Token): boolean {
  return token.kind === 'text' || token.kind === 'quoted' || (token.kind === 'word' && !reservedWords.has(token.word));
}

/** Reserved words that are values, and may be the end of an expression. */
const values: ReadonlySet<string> = new Set(
  `END NULL TRUE FALSE CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER LOCALTIME LOCALTIMESTAMP UTC_DATE UTC_TIME
  UTC_TIMESTAMP`.split(/\s+/),
);

function endsExpression({ kind, word }: Token): boolean {
  if (kind === 'mark') return word === ')' || word === '?' || word === '}';
  return kind !== 'word' || word === '' || !reservedWords.has(word) || values.has(word);
}

function hasWord({ tokens, closing }: SourceText, words: readonly string[], from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const { word } = tokens[at] ?? noToken;
    if (word === '(') at = closing(at);
    else if (words.includes(word)) return true;
  }
  return false;
}

/** Leaves out parentheses around the whole. */
function stripBrackets({ tokens, closing }: SourceText, from: number, to: number): { from: number; to: number } {
  let range = { from, to };
  while (tokens[range.from]?.word === '(' && closing(range.from) === range.to - 1) {
    range = { from: range.from + 1, to: range.to - 1 };
  }
  return range;
}

/** The words of a column and nothing else. */
function readPath({ tokens }: SourceText, { from, to }: { from: number; to: number }): string[] | undefined {
  const path: string[] = [];
  for (let at = from; at < to; at += 2) {
    const token = tokens[at] ?? noToken;
    if (!isName(token) || (at + 1 < to && tokens[at + 1]?.word !== '.')) return undefined;
    if (at === from && to - from === 1 && reservedWords.has(token.word)) return undefined;
    path.push(token.name);
  }
  return (to - from) % 2 === 1 ? path : undefined;
}
