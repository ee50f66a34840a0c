import { type ClusterIdentity, type ClusterRequest, parseTarget, type RequestTarget } from '../call/cluster-request.ts';
import { formatPath } from '../call/path.ts';
import { covers } from '../guard/index-names.ts';
import { checkTargetSize } from '../guard/request-size.ts';
import { isObject } from '../search/hit-table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request that also asks what its answer lacks, so that nothing of it can be left out unsaid. */
export interface WatchedRequest extends RequestTarget {
  readonly request: ClusterRequest;
  /** Items without an error may be missing in the answer. */
  readonly isFiltered: boolean;
  readonly isTerminated: boolean;
  /** The answer without the parts that only we requested. */
  hide(json: unknown): unknown;
}

/** Top-level keys of the answer, requested in addition to `filter_path`. */
const topKeys = (
  '_shards _clusters _nodes timed_out is_partial is_running errors failures shard_failures node_failures task_failures complete ' +
  'acknowledged'
).split(' ');
/** The lists in an answer that report failures, by the word of the path that makes them. */
const itemPatterns: Readonly<Record<string, readonly string[]>> = {
  _msearch: ['error', 'status', 'timed_out', '_shards', '_clusters'].map((key) => `responses.${key}`),
  _mget: ['docs.error'],
  _bulk: ['items.*.error'],
};
const searchKeys = ['timed_out', '_shards', '_clusters', 'status'];
const textFormats = ['csv', 'tsv', 'txt', 'text'];

export function watchFailures(given: ClusterRequest, identity: ClusterIdentity): WatchedRequest {
  checkTargetSize(given);
  const target = parseTarget(given);
  const asked = target.params.get('filter_path')?.split(',') ?? [];
  // If the filter only excludes, the answer has everything else.
  const isFiltered = asked.some((pattern) => !pattern.startsWith('-'));
  const params = { ...Object.fromEntries(target.params), ...partialParams(target, identity) };
  const filter = isFiltered ? { filter_path: [...asked, ...patternsFor(target.segments)].join(',') } : {};
  return {
    ...target,
    request: { ...given, path: formatPath(target.segments), params: { ...params, ...filter } },
    isFiltered,
    isTerminated: asksToTerminate(given, target),
    hide: (json) => (isFiltered ? hideUnasked(json, asked) : json),
  };
}

function patternsFor(segments: readonly string[]): readonly string[] {
  const word = segments.find((segment) => Object.hasOwn(itemPatterns, segment));
  return [...topKeys, ...(word === undefined ? [] : (itemPatterns[word] ?? []))];
}

/** A table cannot say that it is partial, so the request makes the cluster fail instead. */
function partialParams({ segments, params }: RequestTarget, { major = 0, minor = 0 }: ClusterIdentity): Record<string, string> {
  const isTable = segments.join('/') === '_query' && textFormats.includes(params.get('format') ?? '');
  const canFail = major > 9 || (major === 9 && minor >= 1) || (major === 8 && minor >= 19);
  return isTable && canFail && !params.has('allow_partial_results') ? { allow_partial_results: 'false' } : {};
}

function asksToTerminate({ body }: ClusterRequest, { params }: RequestTarget): boolean {
  if (params.has('terminate_after')) return true;
  return typeof body === 'string' ? body.includes('"terminate_after"') : isObject(body) && 'terminate_after' in body;
}

function hideUnasked(json: unknown, asked: readonly string[]): unknown {
  if (!isObject(json)) return json;
  const patterns = asked.map((pattern) => pattern.split('.'));
  const inSearches = patterns.filter(([first = '']) => covers(first, 'responses')).map(([, second = '*']) => second);
  const hidden = topKeys.filter((key) => !patterns.some(([first = '']) => covers(first, key)));
  const hiddenInSearch = searchKeys.filter((key) => !inSearches.some((pattern) => covers(pattern, key)));
  const shown = without(json, hidden);
  if (!Array.isArray(shown.responses)) return shown;
  return { ...shown, responses: shown.responses.map((one) => (isFine(one) ? without(one, hiddenInSearch) : one)) };
}

/** An error is always shown. */
function isFine(search: unknown): search is Fields {
  return isObject(search) && search.error === undefined;
}

function without(fields: Fields, keys: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.includes(key)));
}
