import { accepted, defineTool, parseArguments, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { maxCellOffset, resultWindow } from '../search/result-window.ts';
import { type ClusterTools, connectionArgument, indexArgument, timeoutArgument } from '../tool.ts';

const anyObject = z.looseObject({});
/** A text is Lucene syntax, unless it is JSON; some callers give a whole search as its query. */
const query = z.preprocess(readQuery, anyObject.optional()).optional();
/** True selects the whole document, and false no part of it, as in a request to a cluster. */
const source = z.preprocess(readSource, z.array(z.string()).optional()).optional();
/** A part of the body, which only the cluster judges; the type is what a caller is shown. */
const part = (type: 'object' | 'boolean' | 'number' | 'array') => z.unknown().meta({ type }).optional();

const maxSearches = 20;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    index: indexArgument,
    query,
    q: z.string().optional(),
    knn: part('object'),
    source,
    fields: z.array(z.union([z.string(), anyObject])).optional(),
    highlight: z
      .unknown()
      .meta({ type: 'array', items: { type: 'string' } })
      .optional(),
    sort: z.array(z.unknown()).optional(),
    size: z.int().min(0).max(resultWindow).default(10),
    from: z.int().min(0).default(0),
    cursor: z.string().optional(),
    count: z.boolean().optional(),
    aggs: anyObject.optional(),
    aggs_only: z.boolean().optional(),
    agg_offset: z.int().min(0).max(1_000_000).default(0),
    collapse: part('object'),
    runtime_mappings: part('object'),
    post_filter: part('object'),
    min_score: part('number'),
    suggest: part('object'),
    explain: part('boolean'),
    profile: part('boolean'),
    track_total_hits: z.union([z.boolean(), z.int().min(0)]).optional(),
    body: anyObject.optional(),
    search_after: z.array(z.unknown()).meta(accepted).optional(),
    searches: z.array(anyObject).min(1).max(maxSearches).optional(),
    cell_limit: z.int().min(1).max(30_000).default(500),
    cell_offset: z.int().min(0).max(maxCellOffset).default(0),
    timeout_ms: timeoutArgument,
  });

/** A search as it is called; `SearchArgs` is the same with all parts of the body in one place. */
export type SearchCallArgs = z.output<ReturnType<typeof input>>;

function readQuery(given: unknown): unknown {
  if (typeof given === 'string') return /^\s*(?:\{|$)/.test(given) ? given : { query_string: { query: given } };
  const whole = z.strictObject({ query: anyObject }).safeParse(given);
  return whole.success ? whole.data.query : given;
}

function readSource(given: unknown): unknown {
  const [only] = Array.isArray(given) && given.length === 1 ? given : [given];
  return only === true ? undefined : only === false ? [] : given;
}

/** Parts of the body of a search that are accepted next to the arguments. */
const bodyKeys: ReadonlySet<string> = new Set(
  (
    'knn collapse runtime_mappings derived post_filter min_score rescore retriever rank suggest explain profile script_fields ' +
    'docvalue_fields stored_fields indices_boost track_scores terminate_after timeout version seq_no_primary_term _source'
  ).split(' '),
);

export function searchTool(tools: ClusterTools): Tool {
  const tool: Tool = defineTool({
    name: 'es_search',
    title: 'Search',
    description:
      'Query DSL, or q in Lucene syntax. One hit per line, aggregations as tables; the first line says the total, what is missing, and how to ' +
      'read on (cursor, agg_offset). source: [] leaves documents out; count: only the number; body: other parts of a search; ' +
      'searches: several at once.',
    effect: 'read',
    input,
    nested: { argument: 'body', keys: bodyKeys },
    advice: { size: 'Follow the cursor of each page to read more.' },
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => {
        const [{ search, searchSeveral }, { composeSearch }] = await Promise.all([
          import('../search/search-reply.ts'),
          import('../search/search-body.ts'),
        ]);
        // The tool's own schema has this output.
        const parse = (given: object) => parseArguments(tool, given) as SearchCallArgs;
        if (args.searches === undefined) return await search(call, composeSearch(args, parse));
        return await searchSeveral(call, args, (given) => composeSearch(parse(given), parse));
      }),
  });
  return tool;
}
