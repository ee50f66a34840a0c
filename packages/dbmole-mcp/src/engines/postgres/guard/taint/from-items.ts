import { isMark, type TokenList } from './token-list.ts';
import type { BodyToken } from './tokens.ts';

/** Calls whose value, in FROM, has a name that is not theirs: of the type, of what is cast, or of another function. */
const unspoken = new Set(['cast', 'treat', 'trim', 'extract', 'collation']);
const joins = new Set(['from', 'join', 'lateral']);
const clauses = new Set(['select', 'where', 'group', 'having', 'window', 'order', 'union', 'intersect', 'except', 'limit', ';']);

/** Whether there is something in FROM that is called otherwise than the text says: `select int4.f from cast(5 as int)`. */
export function hasUnspoken(tokens: TokenList): boolean {
  const around: boolean[] = [];
  /** Of the innermost parentheses, whether we are in FROM, and where something begins there. */
  let inside = false;
  let begins = false;
  for (const token of tokens) {
    if (isMark(token, '(')) {
      around.push(inside);
      inside = begins;
    } else if (begins && isWordOf(token, unspoken)) return true;
    else if (isMark(token, ')')) inside = around.pop() ?? false;
    else if (isWordOf(token, joins)) inside = true;
    else if (isWordOf(token, clauses)) inside = false;
    begins = inside && (isMark(token, '(') || isMark(token, ',') || isWordOf(token, joins));
  }
  return false;
}

function isWordOf({ kind, text }: BodyToken, words: ReadonlySet<string>): boolean {
  return (kind === 'word' || kind === 'mark') && words.has(text);
}

/** Where the parentheses around SELECT and VALUES close: what is named behind them has rows. */
export function endsOfQueries(tokens: TokenList): ReadonlySet<number> {
  const ends = new Set<number>();
  const open: boolean[] = [];
  for (const [i, token] of tokens.entries()) {
    // What is made of a query's rows there is one value.
    if (isMark(token, '(')) open.push(isQuery(tokens, i + 1) && tokens[i - 1]?.text !== 'json_array');
    else if (isMark(token, ')') && open.pop() === true) ends.add(i);
  }
  return ends;
}

function isQuery(tokens: TokenList, i: number): boolean {
  const { kind, text } = tokens[i] ?? {};
  return kind === 'word' && (text === 'select' || (text === 'values' && tokens[i + 1]?.text === '('));
}
