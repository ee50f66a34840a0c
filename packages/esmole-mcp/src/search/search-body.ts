import { Failure } from '@dbmole/core';
import type { SearchCallArgs } from '../tools/search.ts';
import { isObject } from './hit-table.ts';

/** Arguments that are parts of a body under the same name. */
const partNames = [
  'knn',
  'highlight',
  'collapse',
  'runtime_mappings',
  'post_filter',
  'min_score',
  'suggest',
  'explain',
  'profile',
] as const;

type Values = Readonly<Record<string, unknown>>;

/** A search with everything that has no meaning of its own here in `body`. What checks a search sees the request that is made of it. */
export interface SearchArgs
  extends Omit<SearchCallArgs, (typeof partNames)[number] | 'searches' | 'connection' | 'timeout_ms' | 'body'> {
  readonly body: Values | undefined;
}

/** Arguments of the tool, by what a body calls them. */
const argumentNames: ReadonlyMap<string, keyof SearchCallArgs> = new Map([
  ...(['query', 'sort', 'size', 'from', 'aggs', 'fields', 'search_after', 'track_total_hits'] as const).map(
    (name) => [name, name] as const,
  ),
  ['aggregations', 'aggs'],
]);

/** Sorts what was called into arguments and body, wherever it was written. `parse` validates what was moved out of the body. */
export function composeSearch(called: SearchCallArgs, parse: (args: Values) => SearchCallArgs): SearchArgs {
  const unfolded = unfoldBody(called);
  const {
    connection: _connection,
    timeout_ms: _time,
    searches: _searches,
    ...args
  } = unfolded === called ? called : parse(unfolded);
  const body = joinParts(args);
  for (const name of partNames) delete args[name];
  const counting = args.count === true ? { size: 0, track_total_hits: true } : {};
  return { ...args, ...counting, body };
}

type Parts = Pick<SearchCallArgs, (typeof partNames)[number] | 'body'>;

/** The body with the parts that were given as arguments; undefined for one without any. */
function joinParts(args: Parts): Values | undefined {
  const { body = {} } = args;
  const own = partNames.filter((name) => args[name] !== undefined);
  const twice = own.find((name) => Object.hasOwn(body, name));
  if (twice !== undefined) throw twiceFailure(twice);
  const parts: Values = { ...body, ...Object.fromEntries(own.map((name) => [name, args[name]])) };
  const whole = Object.hasOwn(parts, 'highlight') ? { ...parts, highlight: readHighlight(parts.highlight) } : parts;
  return Object.keys(whole).length === 0 ? undefined : whole;
}

/** The arguments, with those that were written into the body moved out of it. They are as they were given, so parse them again. */
function unfoldBody(args: SearchCallArgs): Values {
  const entries = Object.entries(args.body ?? {});
  if (Object.hasOwn(args.body ?? {}, 'pit')) {
    throw new Failure('input', 'the body has "pit", and es_search opens points in time itself', {
      hint: 'Leave it out, and read on with the cursor of each page.',
    });
  }
  const moved = entries.flatMap(([key, value]) => {
    const name = argumentNames.get(key);
    return name === undefined ? [] : [[name, value] as const];
  });
  if (moved.length === 0) return args;
  // `size` and `from` have defaults, so the body alone says whether they were given.
  const twice = moved.find(([name]) => name !== 'size' && name !== 'from' && args[name] !== undefined)?.[0];
  if (twice !== undefined) throw twiceFailure(twice);
  const body = Object.fromEntries(entries.filter(([key]) => !argumentNames.has(key)));
  return { ...args, ...Object.fromEntries(moved), body };
}

function twiceFailure(name: string): Failure {
  return new Failure('input', `${name} is given twice, as an argument and in the body`, { hint: 'Give it once.' });
}

/** Accepts names of fields, or an object of them, in place of the `fields` of a highlight. The cluster checks everything else. */
function readHighlight(given: unknown): unknown {
  const items: readonly unknown[] = [given].flat();
  const [only] = items;
  if (items.length === 1 && isObject(only) && Object.hasOwn(only, 'fields')) return only;
  return { fields: Object.assign({}, ...items.map((item) => (isObject(item) ? item : { [String(item)]: {} }))) };
}

/** Omits what the caller did not request, so that the cluster's own defaults apply. */
export function searchBody(args: SearchArgs): Record<string, unknown> {
  const { source, fields, sort, size, from, aggs, search_after } = args;
  const body = {
    query: readQuery(args),
    // If only fields are requested, the document would repeat them.
    _source: source === undefined ? (fields === undefined ? undefined : false) : source.length > 0 && source,
    fields,
    sort: sort?.map(readSort),
    size,
    from: search_after === undefined && from > 0 ? from : undefined,
    aggs,
    track_total_hits: args.track_total_hits,
    search_after,
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...args.body };
}

/** The cluster would take `q` alone where it comes as a parameter beside a query. */
function readQuery({ q, query }: SearchArgs): unknown {
  if (q === undefined || q.trim() === '') return query;
  const text = { query_string: { query: q } };
  return query === undefined ? text : { bool: { must: [query, text] } };
}

/** `@timestamp:desc` as in a URL. */
function readSort(sort: unknown): unknown {
  const [, field = '', order = ''] = typeof sort === 'string' ? (/^([^:]+):(asc|desc)$/.exec(sort) ?? []) : [];
  return order === '' ? sort : { [field]: { order } };
}
