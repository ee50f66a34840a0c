import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { type ClusterTools, connectionArgument, indexArgument, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    index: indexArgument,
    fields: z.string().min(1).max(2_000).optional(),
    populated: z.boolean().default(false),
    offset: z.int().min(0).max(1_000_000).default(0),
    raw: z.boolean().default(false),
    timeout_ms: timeoutArgument,
  });

export type GetMappingArgs = z.output<ReturnType<typeof input>>;

export function getMappingTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_get_mapping',
    title: 'Get mapping',
    description:
      'Fields of an index or pattern, each once, conflicts between indices first; `+.keyword` is a multi-field. fields: names with *; populated: only those that documents have; raw: JSON.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => (await import('../mapping/mapping-reply.ts')).getMapping(call, args)),
  });
}
