import { defineTool, Failure, respond, type Tool, truncateRows } from '@dbmole/core';
import * as z from 'zod';
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

/** Each word is a condition on every name there is. */
const mostWords = 8;
const mostCharacters = 500;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    text: z.string().describe('words: customer email'),
    database: databaseArgument,
    schema: schemaArgument,
    limit: limitArgument(1_000),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function searchSchemaTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'search_schema',
    title: 'Search schema',
    description: 'Finds tables, columns, types and routines that have all the words in their names or comments; not rows.',
    effect: 'read',
    input,
    handler: async (args, context) => {
      const { schema, limit, offset } = args;
      const filter = { words: parseWords(args.text), schema, limit, offset };
      const hits = await tools.use(args, context, async (call) => {
        const found = await call.backend.catalog.search(call.backend.catalogRun(call.options), filter);
        if (found.length === 0) await refuseUnknownSchema(call, schema);
        return found;
      });
      const rows = truncateRows({ columns: ['kind', 'name', 'detail'], rowLimit: limit, offset });
      for (const { kind, name, detail } of hits) {
        if (!rows.add([kind, name, detail.replace(/\s+/gu, ' ')])) break;
      }
      return respond.table(rows.finish());
    },
  });
}

function parseWords(text: string): string[] {
  const words = [
    ...new Set(
      text
        .replaceAll('\u0000', ' ')
        .split(/\s+/u)
        .filter((word) => word !== ''),
    ),
  ];
  if (words.length > 0 && words.length <= mostWords && text.length <= mostCharacters) return words;
  throw new Failure(
    'input',
    `text has ${words.length} words; it takes 1 to ${mostWords}, of ${mostCharacters} characters together`,
  );
}
