import { Failure } from '@dbmole/core';
import type { AnswerLimits } from '../answer/answer.ts';
import type { AskedRequest, ClusterIdentity } from '../call/cluster-request.ts';
import { esqlDialect, openSearchSqlDialect, pplDialect, sqlDialect } from '../guard/query/quotes.ts';
import { type Dialect, Scanner, UnreadableQuery } from '../guard/query/scanner.ts';
import type { QueryArgs } from '../tools/query.ts';

type LanguageName = NonNullable<QueryArgs['language']>;

/** A language as one kind of cluster has it. */
export interface Language {
  readonly title: string;
  readonly dialect: Dialect;
  /** The rest of a query is added in this way; undefined where the cluster itself takes a number of rows. */
  readonly limit: ((rows: number) => string) | undefined;
  /** Commands after which the rows have another order, or none. */
  readonly unordering: ReadonlySet<string>;
  /** How rows beyond the first page are reached: behind the sort key of a row, by a cursor of the cluster, or not at all. */
  readonly paging: 'key' | 'cursor' | 'none';
  /** Commands that count all rows of a query, and the most values that each of these columns has in one of them. */
  readonly count?: (columns: readonly string[]) => string;
  request(query: string, rows: number, args: RequestArgs): AskedRequest;
}

interface RequestArgs extends Pick<QueryArgs, 'params' | 'profile'> {
  /** Keeps columns without a value. */
  readonly keepsEmpty?: boolean;
}

const esql: Language = {
  title: 'ES|QL',
  dialect: esqlDialect,
  limit: (rows) => `\n| LIMIT ${rows}`,
  unordering: new Set(['STATS', 'FORK', 'FUSE', 'LOOKUP', 'JOIN', 'DEDUP', 'MMR', 'RERANK', 'TS_COLLAPSE']),
  paging: 'key',
  count: (columns) => `\n| STATS ${['COUNT(*)', ...columns.map((name) => `MAX(MV_COUNT(${name}))`)].join(', ')} | LIMIT 1`,
  request: (query, _rows, { params, profile, keepsEmpty = false }) => ({
    method: 'POST',
    path: '/_query',
    params: { drop_null_columns: !keepsEmpty },
    body: { query, ...(params !== undefined && { params: toList(params) }), ...(profile === true && { profile }) },
  }),
};

const sql: Language = {
  title: 'SQL',
  dialect: sqlDialect,
  limit: undefined,
  unordering: new Set(),
  paging: 'cursor',
  request: (query, rows, { params }) => ({
    method: 'POST',
    path: '/_sql',
    params: { format: 'json' },
    body: { query, fetch_size: rows, ...(params !== undefined && { params: Object.values(params) }) },
  }),
};

const openSearchSql: Language = {
  title: 'SQL',
  dialect: openSearchSqlDialect,
  limit: undefined,
  unordering: new Set(),
  paging: 'none',
  request: (query) => ({ method: 'POST', path: '/_plugins/_sql', body: { query } }),
};

const ppl: Language = {
  title: 'PPL',
  dialect: pplDialect,
  limit: (rows) => ` | head ${rows}`,
  unordering: new Set([
    'STATS',
    'JOIN',
    'INNER',
    'LEFT',
    'RIGHT',
    'FULL',
    'CROSS',
    'SEMI',
    'ANTI',
    'LOOKUP',
    'APPEND',
    'RARE',
    'TOP',
  ]),
  paging: 'none',
  count: () => ' | stats count()',
  request: (query) => ({ method: 'POST', path: '/_plugins/_ppl', body: { query } }),
};

/** Wide rows are many values. What is beyond these limits is read on with a cursor. */
export const queryLimits: AnswerLimits = {
  bytes: 1024 * 1024,
  json: { string: 128 * 1024, list: 8 * 1024 * 1024, total: 12 * 1024 * 1024, values: 250_000 },
};

/** The first words of ES|QL, SQL and PPL, and comments before them. In Lucene syntax, a colon would follow a word. */
const queryStart =
  /^\s*(?:\/\*|\/\/|--|\(\s*select\b|(?:from|row|ts|show|promql|explain|select|source|search|describe)\b(?!\s*:))/i;

/** Whether a text is a query in one of the languages, as far as its beginning shows. */
export function isQueryText(text: string): boolean {
  return queryStart.test(text);
}

/** Finds the language, or what this kind of cluster has by default. A query that begins with SELECT is in SQL. */
export function chooseLanguage(identity: ClusterIdentity, { query, language }: Pick<QueryArgs, 'query' | 'language'>): Language {
  const { product } = identity;
  const known = product === 'opensearch' ? { ppl, sql: openSearchSql } : { esql, sql };
  const byDefault = findDefault(identity);
  if (byDefault === undefined) throw languageFailure(`${formatCluster(identity)} has no query language`, identity);
  const name = language ?? guessLanguage(query) ?? byDefault;
  const found = Object.entries(known).find(([key]) => key === name)?.[1];
  if (found !== undefined && (name !== 'esql' || hasEsql(identity))) return found;
  const titles: Readonly<Record<LanguageName, string>> = {
    esql: 'ES|QL needs Elasticsearch 8.11 or later',
    sql: 'SQL',
    ppl: 'PPL needs OpenSearch',
  };
  throw languageFailure(`${titles[name]}; this is ${formatCluster(identity)}`, identity);
}

/** A query in another language than the cluster has would fail for its first word. */
function guessLanguage(query: string): LanguageName | undefined {
  const [, word = ''] = /^[\s(]*([a-z]+)\b/i.exec(query) ?? [];
  return firstWords.get(word.toLowerCase());
}

const firstWords: ReadonlyMap<string, LanguageName> = new Map([
  ['select', 'sql'],
  ['from', 'esql'],
  ['row', 'esql'],
  ['source', 'ppl'],
  ['search', 'ppl'],
]);

function findDefault({ product, ...identity }: ClusterIdentity): LanguageName | undefined {
  if (product === 'opensearch') return 'ppl';
  if (hasEsql({ product, ...identity })) return 'esql';
  return identity.flavour === 'oss' ? undefined : 'sql';
}

function hasEsql({ major, minor = 0 }: ClusterIdentity): boolean {
  return major === undefined || major > 8 || (major === 8 && minor >= 11);
}

function languageFailure(message: string, identity: ClusterIdentity): Failure {
  const byDefault = findDefault(identity);
  const hint = byDefault === undefined ? [] : [`Write ${examples[byDefault]}.`];
  return new Failure('engine', message, { code: 'E_NO_LANGUAGE', hint: [...hint, searchInstead] });
}

const examples: Readonly<Record<LanguageName, string>> = {
  esql: 'ES|QL, as in FROM index | LIMIT 10',
  sql: 'SQL, as in SELECT * FROM index',
  ppl: 'PPL, as in source=index | head 10',
};

const searchInstead = {
  call: 'es_search',
  run: 'query CONNECTION "GET /INDEX/_search" BODY',
  to: 'search and aggregate with the query DSL',
};

/** The failure of a cluster that lacks the module or plugin. */
export function noModuleFailure({ title }: Language, identity: ClusterIdentity): Failure {
  const part = identity.product === 'opensearch' ? 'plugin opensearch-sql' : `module of ${title}`;
  return new Failure('engine', `${formatCluster(identity)} here is without the ${part}`, {
    code: 'E_NO_LANGUAGE',
    hint: searchInstead,
  });
}

function formatCluster({ product, version, flavour }: ClusterIdentity): string {
  const name = { elasticsearch: 'Elasticsearch', opensearch: 'OpenSearch', unknown: 'a cluster of an unknown kind' }[product];
  return `${name}${version === undefined ? '' : ` ${version}`}${flavour === 'oss' ? ' (oss build)' : ''}`;
}

/** Parameters with a number for a name are a list; ES|QL takes named ones as a list of objects. */
function toList(params: NonNullable<QueryArgs['params']>): readonly unknown[] {
  const entries = Object.entries(params);
  const isList = entries.every(([name], at) => name === String(at + 1));
  return isList ? Object.values(params) : entries.map(([name, value]) => ({ [name]: value }));
}

/** Whether the rows have an order that the query states. */
export function isSorted(query: string, { dialect, unordering }: Language): boolean {
  const words = [...listWords(query, dialect)];
  if (unordering.size === 0) return words.some(({ word, depth }) => word === 'ORDER' && depth === 0);
  const commands = words.filter(({ depth, isCommand }) => depth === 0 && isCommand).map(({ word }) => word);
  const last = commands.lastIndexOf('SORT');
  return last !== -1 && !commands.slice(last).some((command) => unordering.has(command));
}

interface Word {
  readonly word: string;
  readonly depth: number;
  readonly isCommand: boolean;
}

function* listWords(query: string, dialect: Dialect): Generator<Word> {
  const scanner = new Scanner(query, dialect);
  let depth = 0;
  let before = '|';
  try {
    for (let token = scanner.next(); token.kind !== 'end'; token = scanner.next()) {
      const mark = token.kind === 'mark' ? token.value : '';
      if ('([{'.includes(mark || ' ')) depth++;
      if (')]}'.includes(mark || ' ')) depth--;
      if (token.kind === 'word') yield { word: token.value.toUpperCase(), depth, isCommand: before === '|' };
      before = mark;
    }
  } catch (error) {
    if (!(error instanceof UnreadableQuery)) throw error;
  }
}
