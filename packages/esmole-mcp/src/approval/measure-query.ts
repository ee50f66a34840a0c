import { buildPath } from '../call/path.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { isObject, listTexts, valueAt } from '../guard/body/walk-json.ts';
import { formatCount, formatIndices, type Measured, type Measuring, unmeasured } from './measured.ts';

/** Parameters that decide which documents a write by query finds. */
const choosing =
  'q df default_operator analyzer analyze_wildcard lenient routing ignore_unavailable allow_no_indices expand_wildcards'.split(
    ' ',
  );
const maxIndices = 1_000;

/** Counts the documents that the query finds now, for each index behind the names. */
export async function measureQuery(measuring: Measuring): Promise<Measured> {
  const { request, change } = measuring;
  const body = typeof request.body === 'string' ? parseStrict(request.body) : request.body;
  const limit = readLimit(request.params.get('max_docs') ?? valueAt(body, 'max_docs'));
  const verb = request.segments[1] === '_delete_by_query' ? 'deleted' : 'updated';
  return await countMatches(measuring, { names: change.names ?? '', query: valueAt(body, 'query'), limit, verb });
}

/** `_reindex`: what is copied. */
export async function measureCopy(measuring: Measuring): Promise<Measured> {
  const { request, change } = measuring;
  const body = typeof request.body === 'string' ? parseStrict(request.body) : request.body;
  const source = valueAt(body, 'source');
  const names = listTexts(valueAt(source, 'index')).join(',');
  const [into] = listTexts(valueAt(valueAt(body, 'dest'), 'index'));
  if (!isObject(source) || source.remote !== undefined || names === '' || into === undefined)
    return unmeasured(change, 'the source is in another cluster, or not known');
  const limit = readLimit(request.params.get('max_docs') ?? valueAt(body, 'max_docs'));
  return await countMatches(measuring, { names, query: source.query, limit, verb: `copied to ${into.slice(0, 100)}` });
}

interface Matching {
  names: string;
  query: unknown;
  limit: number;
  verb: string;
}

async function countMatches(measuring: Measuring, { names, query, limit, verb }: Matching): Promise<Measured> {
  const { request, change, count, mayName } = measuring;
  const params = Object.fromEntries([...request.params].filter(([name]) => choosing.includes(name)));
  const aggs = { indices: { terms: { field: '_index', size: maxIndices } } };
  const body = { size: 0, track_total_hits: true, aggs, ...(query !== undefined && { query }) };
  const asked = { method: 'POST', path: buildPath(names, '_search'), params, body } as const;
  const all = { ...asked, params: withoutQuery(params), body: { size: 0, track_total_hits: true } };
  const answer = await count(asked);
  const failure = await measuring.failureOf(answer);
  if (failure !== undefined) throw failure;
  const [found, whole] = [readFound(answer), readFound(await count(all))];
  if (found === undefined) return unmeasured(change, 'the cluster did not count all shards');
  const counts = found.indices.map(([index, documents]) => [index, documents.toLocaleString('en-US')] as const);
  const of = whole === undefined || whole.total < found.total ? '' : ` of ${whole.total.toLocaleString('en-US')}`;
  const limited = limit < found.total ? `, ${formatCount(limit, 'document')} at most` : '';
  const where = counts.length === 0 ? '' : `: ${formatIndices(counts, mayName)}`;
  const matches = `${found.total.toLocaleString('en-US')}${of} ${found.total === 1 && of === '' ? 'document' : 'documents'} ${verb}`;
  return { summary: `${matches}${limited}${where}`, basis: found, documents: Math.min(limit, found.total), details: [] };
}

function withoutQuery({ q: _q, ...params }: Record<string, string>): Record<string, string> {
  return params;
}

function readLimit(given: unknown): number {
  const limit = Number(given);
  return given === undefined || !Number.isInteger(limit) || limit < 0 ? Number.POSITIVE_INFINITY : limit;
}

function readFound({ json, cut, isPartial }: Awaited<ReturnType<Measuring['count']>>) {
  const total = Number(valueAt(valueAt(valueAt(json, 'hits'), 'total'), 'value'));
  const failed = Number(valueAt(valueAt(json, '_shards'), 'failed'));
  if (cut !== undefined || isPartial === true || failed !== 0 || valueAt(json, 'timed_out') !== false || !Number.isFinite(total))
    return undefined;
  const buckets = valueAt(valueAt(valueAt(json, 'aggregations'), 'indices'), 'buckets');
  const indices = (Array.isArray(buckets) ? buckets : []).map((bucket): [string, number] => [
    String(valueAt(bucket, 'key')),
    Number(valueAt(bucket, 'doc_count')),
  ]);
  return { total, indices: indices.toSorted(([one], [other]) => (one < other ? -1 : 1)) };
}
