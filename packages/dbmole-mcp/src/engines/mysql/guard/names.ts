import { Failure } from '@dbmole/core';
import { type CallForm, type CallUse, judgeCall } from './functions.ts';
import type { Steps } from './in-turns.ts';
import { isReserved } from './known-functions.ts';
import { tooComplex } from './refuse.ts';
import type { LexMode } from './sql-mode.ts';
import { isName, matchBrackets, noToken, stepTokens, type Token } from './tokens.ts';

export interface TableUse {
  schema: string | undefined;
  name: string;
  at: number;
}

/** What a statement leads to beyond its own text. */
export interface Uses {
  tables: TableUse[];
  calls: CallUse[];
  /** It may ask for the defaults of columns. */
  defaults: boolean;
}

/** Also of one name that is used again and again. No server joins more than 61 tables, but a statement may unite many queries. */
const maxUses = 10_000;

export function refuseMany(uses: number): void {
  if (uses > maxUses) throw tooComplex(`more than ${maxUses} tables and functions are named`);
}

/** `DEFAULT(column)` runs the expression that the column has for it. */
export function usesDefaults(tokens: readonly Token[]): boolean {
  return tokens.some(({ word }, index) => word === 'DEFAULT' && tokens[index + 1]?.word === '(');
}

/** What of the mode decides which words are calls. */
type CallMode = Pick<LexMode, 'ignoreSpace' | 'oracle'>;

/** Every call that is not known to be harmless; throws at the first that is known not to be. */
export function* findCalls(tokens: readonly Token[], mode: CallMode, sql: string): Steps<CallUse[]> {
  const calls: CallUse[] = [];
  let context: (CallMode & { sql: string }) | undefined;
  let closingOf: ((open: number) => number) | undefined;
  for (let index = 1; index < tokens.length; index += 1) {
    if (index % stepTokens === 0) yield;
    if (tokens[index]?.word !== '(') continue;
    context ??= { ...mode, sql };
    const form = formAt(tokens, index - 1, context);
    const judged = form === undefined ? undefined : judgeCall(form);
    if (judged === undefined || isNoCall(tokens, index - 1)) continue;
    closingOf ??= matchBrackets(tokens);
    if (isWithColumns(tokens, closingOf(index))) continue;
    if (judged instanceof Failure) throw judged;
    calls.push(judged);
  }
  return calls;
}

function formAt(
  tokens: readonly Token[],
  at: number,
  { ignoreSpace, oracle, sql }: CallMode & { sql: string },
): CallForm | undefined {
  const token = tokens[at] ?? noToken;
  const path = pathBefore(tokens, at);
  // Behind a point some of them are names, even with a blank between: `a . replace (…)`.
  if (!isName(token) || (path.length === 0 && isReserved(token.word, oracle))) return undefined;
  return {
    name: token.name,
    path,
    word: path.length === 0 ? token.word : '',
    glued: isGlued(sql.slice(token.end, tokens[at + 1]?.start), ignoreSpace),
    empty: tokens[at + 2]?.word === ')',
    shortXpath: xpathWords.has(token.word) && areShortTexts(tokens, at + 2, sql),
    at: token.start,
  };
}

const xpathWords: ReadonlySet<string> = new Set(['EXTRACTVALUE', 'UPDATEXML']);
const maxXpath = 1_000;

/** With a condition in it, an XPath of a few hundred characters can take years. */
function areShortTexts(tokens: readonly Token[], from: number, sql: string): boolean {
  let length = 0;
  for (let at = from; length <= maxXpath; at += 2) {
    const { kind, start, end } = tokens[at] ?? noToken;
    if (kind !== 'text' || sql.slice(start, end).includes('[')) return false;
    length += end - start;
    if (tokens[at + 1]?.word === ')') return length <= maxXpath;
    if (tokens[at + 1]?.word !== ',') return false;
  }
  return false;
}

/** By what stands between a name and its bracket. Blanks may not count, and comments always do. */
function isGlued(between: string, ignoreSpace: boolean): boolean {
  return between === '' || (ignoreSpace && between.trim() === '');
}

/** A catalog, a database and a package, at most. */
const longestPath = 3;

/** The names before the points before a name. */
function pathBefore(tokens: readonly Token[], at: number): string[] {
  const path: string[] = [];
  for (let index = at; tokens[index - 1]?.word === '.' && path.length < longestPath; index -= 2) {
    path.unshift(tokens[index - 2]?.name ?? '');
  }
  return path;
}

/** What a name with columns follows. */
const beforeColumns: ReadonlySet<string> = new Set(['AS', ')', 'WITH', 'RECURSIVE', 'TABLE', 'INTO', 'EXISTS']);

function isNoCall(tokens: readonly Token[], at: number): boolean {
  return isInPlaceOfColumns(tokens, at) || (tokens[at - 1]?.word === 'SELECT' && selectOptions.has(tokens[at]?.word ?? ''));
}

/** Options with all servers, but on MariaDB only there: `SELECT SQL_NO_CACHE (a)`. */
const selectOptions: ReadonlySet<string> = new Set(['SQL_NO_CACHE', 'SQL_BUFFER_RESULT']);

/** `AS x (a, b)`, `) x (a, b)`, `INTO a.x (a, b)`, a type, or `'$' COLUMNS (a …)`: nothing is called there. */
function isInPlaceOfColumns(tokens: readonly Token[], at: number): boolean {
  let first = at;
  while (tokens[first - 1]?.word === '.') first -= 2;
  const before = tokens[first - 1] ?? noToken;
  return beforeColumns.has(before.word) || (before.kind === 'text' && tokens[at]?.word === 'COLUMNS');
}

/** `WITH x (a, b) AS (…)`: nor there. */
function isWithColumns(tokens: readonly Token[], close: number): boolean {
  return tokens[close + 1]?.word === 'AS' && tokens[close + 2]?.word === '(';
}

/** Inside one pair of brackets. */
interface Depth {
  /** A SELECT was there, so that FROM is its clause and not a part of TRIM or EXTRACT. */
  query: boolean;
  /** A comma separates tables. */
  list: boolean;
}

/** None of these can be a name without quotes, on any server. */
const listEnds: ReadonlySet<string> = new Set(['WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'UNION', 'SET', ';']);
const joins: ReadonlySet<string> = new Set(['JOIN', 'STRAIGHT_JOIN', 'TABLE']);
/** Behind FOR they say what a hint of an index is for, and the list goes on. */
const indexHints: ReadonlySet<string> = new Set(['JOIN', 'ORDER', 'GROUP']);

/** All names that stand where a table does, whatever they turn out to be: tables, views, or queries of a WITH. */
export function findTables(tokens: readonly Token[], { oracle }: Pick<LexMode, 'oracle'>): Steps<TableUse[]> {
  return new TableFinder(tokens, oracle).run();
}

class TableFinder {
  readonly #tokens: readonly Token[];
  readonly #oracle: boolean;
  readonly #found: TableUse[] = [];
  readonly #outer: Depth[] = [];
  #depth: Depth = { query: false, list: false };
  /** The next name is that of a table. */
  #expected = false;

  constructor(tokens: readonly Token[], oracle: boolean) {
    this.#tokens = tokens;
    this.#oracle = oracle;
  }

  *run(): Steps<TableUse[]> {
    // Only there is a list without a query.
    if (this.#tokens[0]?.word === 'CHECKSUM') this.#depth.list = true;
    for (let index = 0; index < this.#tokens.length; index += 1) {
      index = this.#step(this.#tokens[index] ?? noToken, index);
      if (index % stepTokens === stepTokens - 1) yield;
    }
    return this.#found;
  }

  /** The index of the last token that was taken. */
  #step(token: Token, index: number): number {
    const { word } = token;
    if (word === '(') this.#open();
    else if (word === ')') this.#close();
    else if (word === ',') this.#expected = this.#depth.list;
    else if (word === 'SELECT') this.#enter({ query: true, list: false }, false);
    else if (word === 'FROM') {
      if (this.#depth.query) this.#enter({ query: true, list: true }, true);
    } else if (indexHints.has(word) && this.#tokens[index - 1]?.word === 'FOR') this.#expected = false;
    else if (joins.has(word)) this.#expected = true;
    else if (listEnds.has(word)) this.#enter({ ...this.#depth, list: false }, false);
    else if (this.#expected) return this.#tableAt(token, index);
    return index;
  }

  #tableAt(token: Token, index: number): number {
    // `{ OJ x …}`, with any name for OJ.
    if (token.word === '{') return index + 1;
    const isLateral = token.word === 'LATERAL' && this.#tokens[index + 1]?.word === '(';
    return isLateral || token.word === '.' ? index : this.#table(token, index);
  }

  #enter(depth: Depth, expected: boolean): void {
    this.#depth = depth;
    this.#expected = expected;
  }

  /** A bracket where a table is expected holds tables, or a query. */
  #open(): void {
    this.#outer.push(this.#depth);
    this.#depth = { query: false, list: this.#expected };
  }

  #close(): void {
    this.#enter(this.#outer.pop() ?? { query: false, list: false }, false);
  }

  #table(token: Token, index: number): number {
    this.#expected = false;
    if (!isName(token) || isReserved(token.word, this.#oracle)) return index;
    let last = index;
    const parts = [token.name];
    while (this.#tokens[last + 1]?.word === '.' && isName(this.#tokens[last + 2] ?? noToken)) {
      last += 2;
      parts.push(this.#tokens[last]?.name ?? '');
    }
    if (this.#tokens[last + 1]?.word === '(') return index;
    this.#found.push({ schema: parts.length > 1 ? parts.at(-2) : undefined, name: parts.at(-1) ?? '', at: token.start });
    return last;
  }
}
