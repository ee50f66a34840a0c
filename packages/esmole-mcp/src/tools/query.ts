import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { type ClusterTools, connectionArgument, timeoutArgument } from '../tool.ts';

/** A list has its values by their places. */
export const paramsArgument = z.preprocess(
  (given) => (Array.isArray(given) ? Object.fromEntries(given.map((value, at) => [String(at + 1), value])) : given),
  z.looseObject({}).optional(),
);
export const languages = ['esql', 'sql', 'ppl'] as const;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    query: z.string().min(1),
    params: paramsArgument.optional(),
    language: z.enum(languages).optional(),
    limit: z.int().min(1).default(100),
    cursor: z.string().max(200).optional(),
    profile: z.boolean().optional(),
    timeout_ms: timeoutArgument,
  });

export type QueryArgs = z.output<ReturnType<typeof input>>;

export function queryTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_query',
    title: 'Query',
    description: 'ES|QL (Elasticsearch 8.11+), SQL (older) or PPL (OpenSearch) as a table; SORT to read on by cursor.',
    effect: 'read',
    input,
    advice: { limit: 'Follow the cursor of each page to read more.' },
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => (await import('../query/query-reply.ts')).runQuery(call, args)),
  });
}
