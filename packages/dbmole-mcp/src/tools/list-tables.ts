import { defineTool, respond, type Tool, type ToolReply, truncateRows } from '@dbmole/core';
import * as z from 'zod';
import type { Page, TableSummary } from '../catalog.ts';
import { formatBytes, shortComment } from '../schema-text.ts';
import {
  connectionArgument,
  databaseArgument,
  limitArgument,
  offsetArgument,
  type SqlTools,
  schemaArgument,
  timeoutArgument,
} from '../tool.ts';
import { refuseUnknownSchema } from '../unknown-schema.ts';

/** A refinement, unlike a length, takes no room in the list of tools. */
const patternArgument = z
  .string()
  .refine((text) => text.length <= 200 && !text.includes('\u0000'), 'it is too long, or has a NUL in it');

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    database: databaseArgument,
    schema: schemaArgument,
    pattern: patternArgument.optional().describe('part of a name, or with * and ?'),
    limit: limitArgument(1_000),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function listTablesTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'list_tables',
    title: 'List tables',
    description: 'Tables and views with kind, estimated rows, size and comment. For columns use describe_table.',
    effect: 'read',
    input,
    handler: async (args, context) => {
      const tables = await tools.use(args, context, async (call) => {
        const found = await call.backend.catalog.listTables(call.backend.catalogRun(call.options), args);
        if (found.length === 0) await refuseUnknownSchema(call, args.schema);
        return found;
      });
      return answer(tables, args);
    },
  });
}

function answer(tables: readonly TableSummary[], { limit, offset }: Page): ToolReply {
  const rows = truncateRows({ columns: ['name', 'kind', 'rows', 'size', 'note'], rowLimit: limit, offset });
  for (const { name, kind, rows: estimate, bytes, comment, rights } of tables) {
    const note = [rights ?? '', shortComment(comment)].filter((text) => text !== '').join('; ');
    const size = bytes === undefined ? '' : formatBytes(bytes);
    if (!rows.add([name, kind, estimate === undefined ? '' : `~${estimate}`, size, note])) break;
  }
  return respond.table(rows.finish());
}
