import { textsWithin, valueAt } from '../guard/body/walk-json.ts';
import { readEsqlSources } from '../guard/query/esql-sources.ts';
import { esqlDialect, openSearchSqlDialect, pplDialect, sqlDialect } from '../guard/query/quotes.ts';
import { type Dialect, Scanner, type Token, UnreadableQuery } from '../guard/query/scanner.ts';
import type { FieldTable } from './field-table.ts';
import type { AggregationPlan } from './protect-answer.ts';
import { refuseField } from './refuse-field.ts';

const dialects: Readonly<Record<string, Dialect>> = {
  _query: esqlDialect,
  _sql: sqlDialect,
  '_plugins/_sql': openSearchSqlDialect,
  '_plugins/_ppl': pplDialect,
};

/** Columns of ES|QL that hold whole documents, and commands that add fields of other indices. */
const wholeNames: ReadonlySet<string> = new Set(['_source', '_ignored']);
const adding: ReadonlySet<string> = new Set(['ENRICH', 'LOOKUP']);

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
  const asksAll = language === '_query' ? esqlShowsAll(tokens) : sqlShowsAll(tokens);
  if (!asksAll) return new Map();
  throw refuseField('the query shows all fields, and some of them are protected; name the ones you need');
}

/** The indices that a query in ES|QL reads; undefined where they cannot be told, as with ENRICH, which names a policy. */
export function listQuerySources(body: unknown): readonly string[] | undefined {
  const text = valueAt(body, 'query');
  if (typeof text !== 'string' || commandWords(readTokens(text, esqlDialect)).includes('ENRICH')) return undefined;
  return [...new Set(readEsqlSources(text).lists.flat())];
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

/** Whether a token continues the name before it: no blank is between them, and one of the two is a point or an asterisk. */
function isJoined(text: string, tokens: readonly Token[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  if (token === undefined || /\s/.test(text.charAt(token.at - 1))) return false;
  const isJoint = (one: Token | undefined) => one?.kind === 'mark' && '.*'.includes(one.value);
  return isJoint(token) || (token.kind !== 'mark' && isJoint(before));
}

/** A result has all fields of the index unless KEEP or STATS chooses some. */
function esqlShowsAll(tokens: readonly Token[]): boolean {
  const words = commandWords(tokens);
  if (words.some((word) => adding.has(word))) return true;
  if (!words.some((word) => word === 'KEEP' || word === 'STATS')) return true;
  return tokens.some(({ value }, at) => value === '*' && isAlone(tokens, at));
}

/** The word after each `|` and at the beginning, of subqueries as well. */
function commandWords(tokens: readonly Token[]): readonly string[] {
  const isStart = (at: number) => at === 0 || tokens[at - 1]?.value === '|' || tokens[at - 1]?.value === '(';
  return tokens.filter(({ kind }, at) => kind === 'word' && isStart(at)).map(({ value }) => value.toUpperCase());
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
