import { Failure } from '@dbmole/core';
import type { SearchArgs } from '../tools/search.ts';

interface SearchWish {
  query?: Record<string, unknown> | undefined;
  source?: string[] | undefined;
  fields?: unknown[] | undefined;
  sort?: unknown[] | undefined;
  size: number;
  from: number;
  aggs?: Record<string, unknown> | undefined;
  track_total_hits?: boolean | number | undefined;
  search_after?: readonly unknown[] | undefined;
  highlight?: string[] | undefined;
  body?: Readonly<Record<string, unknown>> | undefined;
}

/** Arguments of the tool, by what a body calls them. */
const argumentNames: ReadonlyMap<string, keyof SearchArgs> = new Map([
  ...(['query', 'sort', 'size', 'from', 'aggs', 'fields', 'search_after', 'track_total_hits'] as const).map(
    (name) => [name, name] as const,
  ),
  ['aggregations', 'aggs'],
]);

/** The arguments, with those that were written into the body moved out of it. They are as they were given, so parse them again. */
export function unfoldBody(args: SearchArgs): Readonly<Record<string, unknown>> {
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
  if (twice !== undefined) {
    throw new Failure('input', `${twice} is given twice, as an argument and in the body`, { hint: 'Give it once.' });
  }
  const body = Object.fromEntries(entries.filter(([key]) => !argumentNames.has(key)));
  return { ...args, ...Object.fromEntries(moved), body };
}

/** Omits what the caller did not request, so that the cluster's own defaults apply. */
export function searchBody(wish: SearchWish): Record<string, unknown> {
  const { query, source, fields, sort, size, from, aggs, search_after, highlight } = wish;
  const body = {
    query,
    // If only fields are requested, the document would repeat them.
    _source: source === undefined ? (fields === undefined ? undefined : false) : source.length > 0 && source,
    fields,
    sort: sort?.map(readSort),
    size,
    from: search_after === undefined && from > 0 ? from : undefined,
    aggs,
    track_total_hits: wish.track_total_hits,
    search_after,
    highlight: highlight === undefined ? undefined : { fields: Object.fromEntries(highlight.map((field) => [field, {}])) },
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...wish.body };
}

/** `@timestamp:desc` as in a URL. */
function readSort(sort: unknown): unknown {
  const [, field = '', order = ''] = typeof sort === 'string' ? (/^([^:]+):(asc|desc)$/.exec(sort) ?? []) : [];
  return order === '' ? sort : { [field]: { order } };
}
