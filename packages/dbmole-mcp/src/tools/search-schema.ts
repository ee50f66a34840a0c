import { defineTool, Failure, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import { guessJoins } from '../catalog/guessed-joins.ts';
import { findJoinPaths, maxJoins } from '../catalog/join-path.ts';
import { refuseUnknownSchema, respondNames, respondNothing } from '../catalog/names-table.ts';
import { nearestTables } from '../catalog/nearest-tables.ts';
import { seeTables } from '../next-steps.ts';
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
    text: z.string().optional(),
    from: z.string().min(1).optional(),
    to: z.string().min(1).optional(),
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
    description:
      'Finds anything in the schema by words (`text`) of names, comments, types, values; or joins `from` a table `to` another.',
    effect: 'read',
    input,
    handler: (args, context) => {
      const { text, from, to } = args;
      if (text === undefined && from !== undefined && to !== undefined) {
        return tools.use(args, context, (call) => findJoins(call, { from, to, schema: args.schema }));
      }
      if (text === undefined || from !== undefined || to !== undefined) {
        throw new Failure('input', 'search_schema takes either text, or from and to');
      }
      return tools.use(args, context, (call) => search(call, { ...args, text, once: context.door.isCommand }));
    },
  });
}

type Args = z.output<ReturnType<typeof input>> & { text: string; once: boolean | undefined };

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

interface Ends {
  from: string;
  to: string;
  schema: string | undefined;
}

async function findJoins({ backend, options }: Call, { from, to, schema }: Ends): Promise<ToolReply> {
  const { catalog } = backend;
  const run = backend.catalogRun(options);
  const [{ tables, missing }, keys] = await Promise.all([
    catalog.describeTables(run, { names: [from, to], schema }),
    catalog.foreignKeys(run),
  ]);
  if (missing.length > 0) {
    const known = await catalog.tableNames(run);
    const nearest = missing.flatMap((name) => nearestTables(name, known));
    throw new Failure('unknown', `there is no table ${missing.join(', nor ')}`, {
      code: 'E_UNKNOWN_TABLE',
      nearest,
      hint: seeTables,
    });
  }
  const [one, other] = [from, to].map((asked) => tables.find((table) => table.asked === asked));
  const [start = '', end = ''] = [one?.name, other?.name];
  if (start === end) throw new Failure('input', `from and to are the same table ${start}`);
  const paths = findJoinPaths(keys, start, end);
  if (paths.length === 0) {
    const none = `No joins between them in up to ${maxJoins} steps over the ${keys.length} foreign keys of this database.`;
    const guesses = one && other ? guessJoins(one, other, await listOthers({ backend, options }, schema)) : [];
    if (guesses.length === 0) return respond.text(none);
    return respond.text(guesses.join('\n'), {
      line: `${none} Guessed by names and types of columns, so look whether the rows match: ${guesses.length}.`,
    });
  }
  return respond.text(paths.join('\n'), { line: `The shortest joins over foreign keys: ${paths.length}.` });
}

/** With more tables, a join over a third one is not guessed. */
const maxOthers = 200;

async function listOthers({ backend, options }: Pick<Call, 'backend' | 'options'>, schema: string | undefined) {
  const run = backend.catalogRun(options);
  const names = await backend.catalog.tableNames(run);
  if (names.length > maxOthers) return [];
  return (await backend.catalog.describeTables(run, { names, schema, parts: ['columns'] })).tables;
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
