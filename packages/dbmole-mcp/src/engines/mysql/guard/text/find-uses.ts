import { Failure } from '@dbmole/core';
import { isName, matchBrackets, noToken, stepTokens, type Token } from '../../../../statement/tokens.ts';
import type { Steps } from '../in-turns.ts';
import { type CallForm, type CallUse, judgeCall } from '../judge-call.ts';
import { reservedWords } from '../known-functions.ts';
import { tooComplex } from '../refuse.ts';
import type { LexMode } from './sql-mode.ts';

export interface TableUse {
  schema: string | undefined;
  name: string;
  at: number;
}

/** The tables and functions that a statement names. */
export interface Uses {
  tables: TableUse[];
  calls: CallUse[];
  /** The statement may evaluate defaults of columns. */
  defaults: boolean;
  /** The statement is a query or the plan of one, rather than SHOW or the like. */
  isQuery?: boolean;
  /** The tokens of a statement of the caller. */
  tokens?: readonly Token[];
}

/** Repeated names count. No server joins more than 61 tables, but a statement may unite many queries. */
const maxUses = 10_000;

export function refuseMany(uses: number): void {
  if (uses > maxUses) throw tooComplex(`more than ${maxUses} tables and functions are named`);
}

/** Whether the statement has `DEFAULT(column)`, which runs the expression of the default. */
export function usesDefaults(tokens: readonly Token[]): boolean {
  return tokens.some(({ word }, index) => word === 'DEFAULT' && tokens[index + 1]?.word === '(');
}

/** The part of the mode that decides which words are calls. */
type CallMode = Pick<LexMode, 'ignoreSpace'>;

/** Finds every call that is not known to be harmless, and throws at the first that is denied unless it is judged otherwise. */
export function* findCalls(
  tokens: readonly Token[],
  mode: CallMode,
  sql: string,
  onDenied: OnDenied = refuseDenied,
): Steps<CallUse[]> {
  const calls: CallUse[] = [];
  let context: (CallMode & { sql: string }) | undefined;
  let findClosing: ((open: number) => number) | undefined;
  for (let index = 1; index < tokens.length; index += 1) {
    if (index % stepTokens === 0) yield;
    if (tokens[index]?.word !== '(') continue;
    context ??= { ...mode, sql };
    const form = formAt(tokens, index - 1, context);
    const judged = form === undefined ? undefined : judgeCall(form);
    if (judged === undefined || isNoCall(tokens, index - 1)) continue;
    findClosing ??= matchBrackets(tokens);
    if (!isWithColumns(tokens, findClosing(index))) calls.push(...acceptCall(judged, tokens[index - 1] ?? noToken, onDenied));
  }
  return calls;
}

type OnDenied = (denial: Failure, name: string) => void;

function refuseDenied(denial: Failure): never {
  throw denial;
}

function acceptCall(judged: CallUse | Failure, { name }: Token, onDenied: OnDenied): CallUse[] {
  if (!(judged instanceof Failure)) return [judged];
  onDenied(judged, name);
  return [];
}

function formAt(tokens: readonly Token[], at: number, { ignoreSpace, sql }: CallMode & { sql: string }): CallForm | undefined {
  const token = tokens[at] ?? noToken;
  const path = pathBefore(tokens, at);
  // After a dot, reserved words can be names, even with a blank between: `a . replace (…)`.
  if (!isName(token) || (path.length === 0 && reservedWords.has(token.word))) return undefined;
  return {
    name: token.name,
    path,
    word: path.length === 0 ? token.word : '',
    glued: isGlued(sql.slice(token.end, tokens[at + 1]?.start), ignoreSpace),
    empty: tokens[at + 2]?.word === ')',
    bounded: isBounded(tokens, at, sql),
    at: token.start,
  };
}

/** Contents of the first argument that can make a call arbitrarily expensive. */
const costlyFirst: ReadonlyMap<string, RegExp> = new Map([
  // A letter of `pattern` may be an escape of the literal or of JSON.
  ['JSON_SCHEMA_VALID', /pattern|\\[^"']/i],
  ['JSON_SCHEMA_VALIDATION_REPORT', /pattern|\\[^"']/i],
  // This finds a width of four digits, or one that another argument gives.
  ['SFORMAT', /[0-9\\]{4}|\{[^{}]*\{/],
]);

/** Whether literals as arguments keep the call short. */
function isBounded(tokens: readonly Token[], name: number, sql: string): boolean {
  const { word } = tokens[name] ?? noToken;
  const costly = costlyFirst.get(word);
  if (costly === undefined) return xpathWords.has(word) && areShortTexts(tokens, name + 2, sql);
  // Definitions of views show the character set of literals.
  const first = tokens[name + 2]?.word === '_UTF8MB4' ? name + 3 : name + 2;
  const { kind, start, end } = tokens[first] ?? noToken;
  return kind === 'text' && !costly.test(sql.slice(start, end)) && [',', ')'].includes(tokens[first + 1]?.word ?? '');
}

const xpathWords: ReadonlySet<string> = new Set(['EXTRACTVALUE', 'UPDATEXML']);
const maxXpath = 1_000;

/** Whether the arguments are short literals without a condition: with one, an XPath of a few hundred characters can take years. */
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

/** Whether the name and its parenthesis are adjacent. A mode may ignore blanks between them, but never comments. */
function isGlued(between: string, ignoreSpace: boolean): boolean {
  return between === '' || (ignoreSpace && between.trim() === '');
}

/** A path has at most a catalog, a database and a package. */
const maxPathLength = 3;

/** The names before the points before a name. */
function pathBefore(tokens: readonly Token[], at: number): string[] {
  const path: string[] = [];
  for (let index = at; tokens[index - 1]?.word === '.' && path.length < maxPathLength; index -= 2) {
    path.unshift(tokens[index - 2]?.name ?? '');
  }
  return path;
}

/** Words before a name with a list of columns. */
const beforeColumns: ReadonlySet<string> = new Set(['AS', ')', 'WITH', 'RECURSIVE', 'TABLE', 'INTO', 'EXISTS']);

function isNoCall(tokens: readonly Token[], at: number): boolean {
  return isInPlaceOfColumns(tokens, at) || (tokens[at - 1]?.word === 'SELECT' && selectOptions.has(tokens[at]?.word ?? ''));
}

/** Options of SELECT; on MariaDB they can be ordinary names elsewhere: `SELECT SQL_NO_CACHE (a)`. */
const selectOptions: ReadonlySet<string> = new Set(['SQL_NO_CACHE', 'SQL_BUFFER_RESULT']);

/** Whether this is `AS x (a, b)`, `) x (a, b)`, `INTO a.x (a, b)`, a type, or `'$' COLUMNS (a …)`, which calls nothing. */
function isInPlaceOfColumns(tokens: readonly Token[], at: number): boolean {
  let first = at;
  while (tokens[first - 1]?.word === '.') first -= 2;
  const before = tokens[first - 1] ?? noToken;
  return beforeColumns.has(before.word) || (before.kind === 'text' && tokens[at]?.word === 'COLUMNS');
}

/** Whether this is `WITH x (a, b) AS (…)`, which calls nothing. */
function isWithColumns(tokens: readonly Token[], close: number): boolean {
  return tokens[close + 1]?.word === 'AS' && tokens[close + 2]?.word === '(';
}

/** The state inside one pair of parentheses. */
interface Depth {
  /** A SELECT came before, so that FROM is its clause and not a part of TRIM or EXTRACT. */
  query: boolean;
  /** A comma separates tables. */
  list: boolean;
}

/** Words that end a list of tables. None of them can be an unquoted name on any server. */
const listEnds: ReadonlySet<string> = new Set(['WHERE', 'GROUP', 'HAVING', 'ORDER', 'LIMIT', 'UNION', 'SET', ';']);
const joins: ReadonlySet<string> = new Set(['JOIN', 'STRAIGHT_JOIN', 'TABLE']);
/** After FOR these are part of an index hint, and the list of tables continues. */
const indexHints: ReadonlySet<string> = new Set(['JOIN', 'ORDER', 'GROUP']);

/** Finds all names in the place of a table: tables, views, and queries of a WITH. */
export function findTables(tokens: readonly Token[]): Steps<TableUse[]> {
  return new TableFinder(tokens).run();
}

class TableFinder {
  readonly #tokens: readonly Token[];
  readonly #found: TableUse[] = [];
  readonly #outer: Depth[] = [];
  #depth: Depth = { query: false, list: false };
  /** The next name is that of a table. */
  #expected = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  *run(): Steps<TableUse[]> {
    // CHECKSUM alone has a list of tables without a query.
    if (this.#tokens[0]?.word === 'CHECKSUM') this.#depth.list = true;
    for (let index = 0; index < this.#tokens.length; index += 1) {
      index = this.#step(this.#tokens[index] ?? noToken, index);
      if (index % stepTokens === stepTokens - 1) yield;
    }
    return this.#found;
  }

  /** Returns the index of the last token that was consumed. */
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
    // The server accepts any word in the place of OJ in `{ OJ x …}`.
    if (token.word === '{') return index + 1;
    const isLateral = token.word === 'LATERAL' && this.#tokens[index + 1]?.word === '(';
    return isLateral || token.word === '.' ? index : this.#table(token, index);
  }

  #enter(depth: Depth, expected: boolean): void {
    this.#depth = depth;
    this.#expected = expected;
  }

  /** A parenthesis in the place of a table holds tables or a query. */
  #open(): void {
    this.#outer.push(this.#depth);
    this.#depth = { query: false, list: this.#expected };
  }

  #close(): void {
    this.#enter(this.#outer.pop() ?? { query: false, list: false }, false);
  }

  #table(token: Token, index: number): number {
    this.#expected = false;
    if (!isName(token) || reservedWords.has(token.word)) return index;
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
