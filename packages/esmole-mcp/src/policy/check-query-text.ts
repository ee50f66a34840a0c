import { textsWithin, valueAt } from '../guard/body/walk-json.ts';
import { readEsqlSources } from '../guard/query/esql-sources.ts';
import { esqlDialect, openSearchSqlDialect, pplDialect, sqlDialect } from '../guard/query/quotes.ts';
import { type Dialect, Scanner, type Token, UnreadableQuery } from '../guard/query/scanner.ts';
import { readSqlSources } from '../guard/query/sql-sources.ts';
import { checkSearch } from './check-search.ts';
import type { FieldTable } from './field-table.ts';
import type { AggregationPlan } from './protect-answer.ts';
import { refuseField } from './refuse-field.ts';

const dialects: Readonly<Record<string, Dialect>> = {
  _query: esqlDialect,
  _sql: sqlDialect,
  '_plugins/_sql': openSearchSqlDialect,
  '_plugins/_ppl': pplDialect,
};

/** Columns of ES|QL that hold whole documents or all dimensions, and commands that add fields of other indices. */
const wholeNames: ReadonlySet<string> = new Set(['_source', '_ignored', '_tsid', '_timeseries']);
const adding: ReadonlySet<string> = new Set(['ENRICH', 'LOOKUP', 'JOIN', 'LEFT', 'RIGHT', 'FULL', 'INNER']);
/** Commands that show dimensions which the text does not name. */
const ofSeries: ReadonlySet<string> = new Set(['TS', 'METRICS', 'PROMQL', 'TS_INFO']);
/** Functions that search fields which they do not name, or name inside of a text. */
const searching: ReadonlySet<string> = new Set(['KQL', 'QSTR', 'QUERY', 'MATCH', 'MULTI_MATCH']);

/**
 * Refuses a query text that could show a protected field: it may not name one, nor ask for all fields. What the columns of its result
 * are made of is not traced further.
 */
export function checkQueryText(language: string, body: unknown, table: FieldTable): ReadonlyMap<string, AggregationPlan> {
  const text = valueAt(body, 'query');
  const dialect = dialects[language];
  if (dialect === undefined || typeof text !== 'string')
    throw refuseField(`the fields of this ${language} request cannot be traced`);
  if (['runtime_mappings', 'cursor'].some((key) => valueAt(body, key) !== undefined))
    throw refuseField(`the fields of this ${language} request cannot be traced`);
  const tokens = readTokens(text, dialect);
  const named = [...readNames(text, tokens), ...textsWithin(valueAt(body, 'params'))];
  const found = named.find((name) => wholeNames.has(name) || table.findNamed(name) !== undefined);
  if (found !== undefined) throw refuseField(`the query names the protected field ${found}`);
  const commands = commandWords(tokens);
  if (language === '_query' && table.findNamed('_tsid') !== undefined && commands.some((word) => ofSeries.has(word)))
    throw refuseField('the query shows all dimensions of a time series, and some of them are protected');
  if (table.strict && tokens.some(({ value }, at) => searching.has(value.toUpperCase()) && tokens[at + 1]?.value === '('))
    throw refuseField('the query may search protected fields; compare fields by their names');
  checkSearch({ query: valueAt(body, 'filter') }, new Map(), table);
  const asksAll = language === '_query' ? esqlShowsAll(tokens) : sqlShowsAll(tokens);
  if (!asksAll || !table.mapsProtected) return new Map();
  throw refuseField('the query shows all fields, and some of them are protected; name the ones you need');
}

/** The indices that a query reads; undefined where they cannot be told, as with ENRICH in ES|QL, which names a policy. */
export function listQuerySources(language: string, body: unknown): readonly string[] | undefined {
  const text = valueAt(body, 'query');
  if (typeof text !== 'string') return undefined;
  if (language === '_sql') return listSqlSources(text);
  if (commandWords(readTokens(text, esqlDialect)).includes('ENRICH')) return undefined;
  return [...new Set(readEsqlSources(text).lists.flat())];
}

/** A statement that describes names none, and shows no document. */
function listSqlSources(text: string): readonly string[] {
  return [...new Set(readSqlSources(text).lists.flat())];
}

function readTokens(text: string, dialect: Dialect): readonly Token[] {
  const scanner = new Scanner(text, dialect);
  const tokens: Token[] = [];
  try {
    for (let token = scanner.next(); token.kind !== 'end'; token = scanner.next()) tokens.push(token);
  } catch (error) {
    if (!(error instanceof UnreadableQuery)) throw error;
    throw refuseField(`the query has ${error.message}, so that its fields cannot be traced`);
  }
  return tokens;
}

/** Every name with its parts, and each part from every place on: `u.email` may be the field `email` of `u`. */
function* readNames(text: string, tokens: readonly Token[]): Generator<string> {
  for (const [at, { kind, value }] of tokens.entries()) {
    if (kind === 'mark' && value !== '*') continue;
    let name = '';
    for (let end = at; end === at || isJoined(text, tokens, end); end++) {
      name += tokens[end]?.value ?? '';
      if (name !== '*') yield name;
    }
  }
}

/** Whether a token continues the name before it: a point is between them, or an asterisk without a blank. */
function isJoined(text: string, tokens: readonly Token[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  if (token === undefined) return false;
  const joints = /\s/.test(text.charAt(token.at - 1)) ? '.' : '.*';
  const isJoint = (one: Token | undefined) => one?.kind === 'mark' && joints.includes(one.value);
  return isJoint(token) || (token.kind !== 'mark' && isJoint(before));
}

/** A result has all fields of the index unless KEEP or STATS chooses some, in every branch of the query. */
function esqlShowsAll(tokens: readonly Token[]): boolean {
  if (commandWords(tokens).some((word) => adding.has(word))) return true;
  if (!mainCommands(tokens).some((word) => word === 'KEEP' || word === 'STATS')) return true;
  return tokens.some(({ value }, at) => value === '*' && isAlone(tokens, at));
}

/** The word after each `|` and at the beginning, of subqueries as well. */
function commandWords(tokens: readonly Token[]): readonly string[] {
  const isStart = (at: number) => at === 0 || tokens[at - 1]?.value === '|' || tokens[at - 1]?.value === '(';
  return tokens.filter(({ kind }, at) => kind === 'word' && isStart(at)).map(({ value }) => value.toUpperCase());
}

/** The word after each `|` that is in no brackets, where a field may be called like a command. */
function mainCommands(tokens: readonly Token[]): readonly string[] {
  let depth = 0;
  const words: string[] = [];
  for (const [at, { kind, value }] of tokens.entries()) {
    if (kind === 'mark') depth += '(['.includes(value) ? 1 : ')]'.includes(value) ? -1 : 0;
    if (kind === 'word' && depth === 0 && isPipe(tokens[at - 1])) words.push(value.toUpperCase());
  }
  return words;
}

function isPipe(token: Token | undefined): boolean {
  return token?.kind === 'mark' && token.value === '|';
}

/** `SELECT *`, and not `COUNT(*)` or a product. */
function isAlone(tokens: readonly Token[], at: number): boolean {
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (before?.value === '(' && after?.value === ')') return false;
  const isFactor = (after !== undefined && after.kind !== 'mark') || after?.value === '(';
  return !isFactor || after.value.toUpperCase() === 'FROM' || before?.kind === 'mark' || isClause(before);
}

function isClause(token: Token | undefined): boolean {
  return token === undefined || (token.kind === 'word' && /^(?:KEEP|SELECT|DISTINCT|ALL|FIELDS|BY)$/i.test(token.value));
}

function sqlShowsAll(tokens: readonly Token[]): boolean {
  const words = new Set(tokens.filter(({ kind }) => kind === 'word').map(({ value }) => value.toUpperCase()));
  // A query in PPL without these shows all fields, as does one that asks for names.
  if (words.has('SOURCE') && !['FIELDS', 'STATS', 'TABLE', 'TOP', 'RARE'].some((word) => words.has(word))) return true;
  return tokens.some(({ value }, at) => value === '*' && isAlone(tokens, at));
}
