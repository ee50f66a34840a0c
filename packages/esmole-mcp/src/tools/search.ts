import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { resultWindow } from '../search/result-window.ts';
import { type ClusterTools, connectionArgument, indexArgument, timeoutArgument } from '../tool.ts';

const anyObject = z.looseObject({});

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    index: indexArgument,
    query: anyObject.optional(),
    q: z.string().optional(),
    source: z.array(z.string()).optional(),
    fields: z.array(z.string()).optional(),
    sort: z.array(z.unknown()).optional(),
    size: z.int().min(0).max(resultWindow).default(10),
    from: z.int().min(0).max(resultWindow).default(0),
    aggs: anyObject.optional(),
    aggs_only: z.boolean().optional(),
    track_total_hits: z.union([z.boolean(), z.int().min(0)]).optional(),
    search_after: z.array(z.unknown()).optional(),
    highlight: z.array(z.string()).optional(),
    cell_limit: z.int().min(1).max(30_000).default(500),
    cell_offset: z.int().min(0).max(100_000).default(0),
    timeout_ms: timeoutArgument,
  });

export type SearchArgs = z.output<ReturnType<typeof input>>;

export function searchTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_search',
    title: 'Search',
    description:
      'Query DSL, or q in Lucene syntax, over an index or pattern. One hit per line, aggregations as small tables; the first line says the total, ' +
      'what is missing, and how to read on.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => (await import('../search/search-reply.ts')).search(call, args)),
  });
}
