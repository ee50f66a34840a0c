import { defineTool, Failure, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import { refuseUnknownSchema, respondNames, respondNothing } from '../catalog/names-table.ts';
import {
  type Call,
  connectionArgument,
  databaseArgument,
  namesLimitArgument,
  offsetArgument,
  type SqlTools,
  schemaArgument,
  timeoutArgument,
} from '../tool.ts';

/** Each word is a condition on every name there is. */
const maxWords = 8;
const maxCharacters = 500;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    text: z.string().describe('words: customer email'),
    database: databaseArgument,
    schema: schemaArgument,
    limit: namesLimitArgument(),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function searchSchemaTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'search_schema',
    title: 'Search schema',
    description: 'Finds tables, columns, types and routines by words in names and comments; not rows.',
    effect: 'read',
    input,
    handler: (args, context) => tools.use(args, context, (call) => search(call, { ...args, once: context.door.isCommand })),
  });
}

type Args = z.output<ReturnType<typeof input>> & { once: boolean | undefined };

async function search(call: Call, { text, schema, limit, offset, once }: Args): Promise<ToolReply> {
  const { catalog } = call.backend;
  const run = call.backend.catalogRun(call.options);
  const words = parseWords(text);
  const hits = await catalog.search(run, { words, schema, limit, offset });
  if (hits.length > 0 || offset > 0) {
    const rows = hits.map(({ kind, name, detail }) => [kind, name, detail.replace(/\s+/gu, ' ')]);
    return respondNames({ columns: ['kind', 'name', 'detail'], rows, limit, offset, once });
  }
  await refuseUnknownSchema(call, schema);
  const names = [...(await catalog.tableNames(run)), ...(await catalog.columnNames(run, []))];
  return respondNothing({ what: 'names of tables, views and columns', names, wanted: words });
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
  if (words.length > 0 && words.length <= maxWords && text.length <= maxCharacters) return words;
  throw new Failure(
    'input',
    `text has ${words.length} words: expected 1 to ${maxWords}, of ${maxCharacters} characters together`,
  );
}
