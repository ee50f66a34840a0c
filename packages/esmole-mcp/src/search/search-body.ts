export interface SearchWish {
  query?: Record<string, unknown> | undefined;
  source?: string[] | undefined;
  fields?: string[] | undefined;
  sort?: unknown[] | undefined;
  size: number;
  from: number;
  aggs?: Record<string, unknown> | undefined;
  track_total_hits?: boolean | number | undefined;
  search_after?: unknown[] | undefined;
  highlight?: string[] | undefined;
}

/** What is not asked for is not said, so that the cluster's own defaults hold. */
export function searchBody(wish: SearchWish): Record<string, unknown> {
  const { query, source, fields, sort, size, from, aggs, search_after, highlight } = wish;
  const body = {
    query,
    // With fields alone, the document itself would say everything twice.
    _source: source ?? (fields === undefined ? undefined : false),
    fields,
    sort,
    size,
    from: search_after === undefined && from > 0 ? from : undefined,
    aggs,
    track_total_hits: wish.track_total_hits,
    search_after,
    highlight: highlight === undefined ? undefined : { fields: Object.fromEntries(highlight.map((field) => [field, {}])) },
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
