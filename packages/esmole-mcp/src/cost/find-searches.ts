import type { ReadRequest, WriteRequest } from '../call/cluster-request.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { listTexts, valueAt } from '../guard/body/walk-json.ts';
import { readPitNames } from '../guard/pit-id.ts';
import { readEsqlSources } from '../guard/query/esql-sources.ts';
import type { QuerySources } from '../guard/query/scanner.ts';
import { readOpenSearchSqlSources, readSqlSources } from '../guard/query/sql-sources.ts';

/** What one search reaches. */
export interface SearchTarget {
  /** Names and patterns of indices, with commas. */
  names: string;
  /** How they are resolved. */
  params: ReadonlyMap<string, string>;
}

/** Reads that ask every shard of their indices. */
const searching: ReadonlySet<string> = new Set(
  (
    '_search _count _cat/count _validate/query _rank_eval _search/template _knn_search _graph/explore ' +
    '_rollup_search _eql/search _pit _search/point_in_time _terms_enum'
  ).split(' '),
);
/** Writes that do. */
const changing: ReadonlySet<string> = new Set(['_async_search', '_asynchronous_search', '_update_by_query', '_delete_by_query']);
/** How the indices of a text are found. Not all that a text in PPL names are known, so it counts as one over everything. */
const textSources: Readonly<Record<string, (text: string) => QuerySources>> = {
  _query: readEsqlSources,
  _sql: readSqlSources,
  '_sql/translate': readSqlSources,
  '_plugins/_sql': readOpenSearchSqlSources,
  '_plugins/_ppl': () => ({ lists: [[everything]] }),
};
const resolving = ['ignore_unavailable', 'allow_no_indices', 'expand_wildcards', 'routing'];
const everything = '*';

/** The searches in a request; empty where it searches nothing, or continues a search. */
export function findSearches(request: ReadRequest | WriteRequest): readonly SearchTarget[] {
  const params = new Map([...request.params].filter(([name]) => resolving.includes(name)));
  if (request.kind === 'write') return findInWrite(request.segments).map((names) => ({ names, params }));
  const { reads, body } = request;
  if (reads === undefined) return [];
  const { words, names } = reads;
  if (words === '_msearch' || words === '_msearch/template')
    return findInLines(body, names).map((each) => ({ names: each, params }));
  const readSources = textSources[words];
  if (readSources !== undefined) return findInText(readSources, body).map((each) => ({ names: each, params: new Map() }));
  // An id of a search that runs already has the same words.
  if (!searching.has(words) || (words === '_eql/search' && names === undefined)) return [];
  return [{ names: findPitNames(body) ?? names ?? everything, params }];
}

function findInWrite(segments: readonly string[]): readonly string[] {
  const [first = '', second = ''] = segments;
  if (changing.has(first) && segments.length === 1) return [everything];
  return changing.has(second) ? [first] : [];
}

function findInLines(body: ReadRequest['body'], names: string | undefined): readonly string[] {
  const lines = typeof body === 'string' ? splitLines(body) : Array.isArray(body) ? (body as readonly unknown[]) : [body];
  const searches: string[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const own = ['index', 'indices'].flatMap((key) => listTexts(valueAt(lines[at], key))).join(',');
    searches.push(findPitNames(lines[at + 1]) ?? (own === '' ? (names ?? everything) : own));
  }
  return searches;
}

function splitLines(body: string): readonly unknown[] {
  return body
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseStrict);
}

/** The guard has read the text before, so it can be read. */
function findInText(readSources: (text: string) => QuerySources, body: ReadRequest['body']): readonly string[] {
  const value = typeof body === 'string' ? parseStrict(body) : body;
  const text = valueAt(value, 'query');
  if (typeof text !== 'string') return [];
  const { lists } = readSources(text);
  return lists.map((names) => names.join(',')).filter((names) => names !== '');
}

function findPitNames(body: unknown): string | undefined {
  const value = typeof body === 'string' ? parseStrict(body) : body;
  const id = valueAt(valueAt(value, 'pit'), 'id');
  return typeof id === 'string' ? (readPitNames(id)?.join(',') ?? everything) : undefined;
}
