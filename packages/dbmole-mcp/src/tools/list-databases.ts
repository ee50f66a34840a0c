import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { respondNames } from '../catalog/names-table.ts';
import { formatBytes, shortComment } from '../catalog/schema-text.ts';
import { connectionArgument, namesLimitArgument, offsetArgument, type SqlTools, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    limit: namesLimitArgument(),
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
      const rows = databases.map(({ name, current, bytes, comment }) => {
        const note = [current ? 'current' : '', shortComment(comment)].filter((text) => text !== '').join('; ');
        return [name, bytes === undefined ? '' : formatBytes(bytes), note];
      });
      return respondNames({
        columns: ['database', 'size', 'note'],
        rows,
        limit: args.limit,
        offset: args.offset,
        once: context.door.isCommand,
      });
    },
  });
}
