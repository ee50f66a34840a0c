import { accepted, defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { type ClusterTools, connectionArgument, indexArgument } from '../tool.ts';

const anyObject = z.looseObject({});
const names = z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()).optional()).optional();

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    index: indexArgument,
    query: anyObject.optional(),
    q: z.string().optional(),
    source: names,
    fields: z
      .array(z.union([z.string(), anyObject]))
      .meta(accepted)
      .optional(),
    // A text such as `n:desc` is accepted as well.
    sort: z.array(z.unknown().meta({ type: 'object' })).optional(),
    file: z.string().min(1),
    timeout_ms: z.int().min(1).max(3_600_000).optional(),
  });

export type ExportArgs = z.output<ReturnType<typeof input>>;

export function exportTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_export',
    title: 'Export',
    description: 'Writes all hits to a new .csv or .jsonl file in the export folder.',
    effect: 'create',
    timeoutMs: 600_000,
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => {
        const place = { folder: tools.exportFolder, variable: 'ESMOLE_EXPORT_DIR', instead: 'es_search' };
        const { progress } = context;
        return (await import('../export/export-reply.ts')).exportHits(call, args, { place, progress });
      }),
  });
}
