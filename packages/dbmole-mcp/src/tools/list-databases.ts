import { defineTool, respond, type Tool, truncateRows } from '@dbmole/core';
import * as z from 'zod';
import { formatBytes, shortComment } from '../schema-text.ts';
import { connectionArgument, limitArgument, offsetArgument, type SqlTools, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    limit: limitArgument(1_000),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function listDatabasesTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'list_databases',
    title: 'List databases',
    description: 'The databases of a server. Pass one as `database` to the other tools.',
    effect: 'read',
    input,
    handler: async (args, context) => {
      const databases = await tools.use(args, context, ({ backend, options }) =>
        backend.catalog.listDatabases(backend.catalogRun(options), args),
      );
      const rows = truncateRows({ columns: ['database', 'size', 'note'], rowLimit: args.limit, offset: args.offset });
      for (const { name, current, bytes, comment } of databases) {
        const note = [current ? 'current' : '', shortComment(comment)].filter((text) => text !== '').join('; ');
        if (!rows.add([name, bytes === undefined ? '' : formatBytes(bytes), note])) break;
      }
      return respond.table(rows.finish());
    },
  });
}
