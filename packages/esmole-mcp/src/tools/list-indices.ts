import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { sorts } from '../indices/sorts.ts';
import { type ClusterTools, connectionArgument, indexArgument, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    index: indexArgument,
    sort: z.enum(sorts).default('name'),
    limit: z.int().min(1).max(1_000).default(200),
    offset: z.int().min(0).max(1_000_000).default(0),
    hidden: z.boolean().default(false),
    timeout_ms: timeoutArgument,
  });

export type ListIndicesArgs = z.output<ReturnType<typeof input>>;

export function listIndicesTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_list_indices',
    title: 'List indices',
    description: 'Indices and data streams with health, docs, size and aliases. Series like logs-2024.01.01 are one line.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => (await import('../indices/indices-reply.ts')).listIndices(call, args)),
  });
}
