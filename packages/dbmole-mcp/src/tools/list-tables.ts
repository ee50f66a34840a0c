import { defineTool, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import { lacks, type TableKind, type TableListing, tableKinds } from '../catalog/catalog.ts';
import { refuseUnknownSchema, respondNames, respondNothing } from '../catalog/names-table.ts';
import { formatBytes, shortComment } from '../catalog/schema-text.ts';
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

/** A refinement, unlike a length, takes no room in the list of tools. */
const patternArgument = z
  .string()
  .refine((text) => text.length <= 200 && !text.includes('\u0000'), 'it is too long, or has a NUL in it');

const kindArgument = z.string().refine(isKind, `expected ${tableKinds.join(', ')}`);

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    database: databaseArgument,
    schema: schemaArgument,
    pattern: patternArgument.optional().describe('part of a name, or with * and ?'),
    kind: kindArgument.optional(),
    without: z.enum(lacks).optional(),
    limit: namesLimitArgument(200),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function listTablesTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'list_tables',
    title: 'List tables',
    description: 'Tables and views: rows, size, primary key, row security, number of references.',
    effect: 'read',
    input,
    handler: (args, context) => tools.use(args, context, (call) => listTables(call, { ...args, once: context.door.isCommand })),
  });
}

type Args = z.output<ReturnType<typeof input>> & { once: boolean | undefined };

async function listTables(call: Call, args: Args): Promise<ToolReply> {
  const { catalog } = call.backend;
  const run = call.backend.catalogRun(call.options);
  const { shown, total } = await catalog.listTables(run, args);
  const { limit, offset, pattern, schema, once } = args;
  const isNarrowed = [pattern, args.kind, args.without].some((filter) => filter !== undefined);
  if (shown.length > 0 || offset > 0) {
    const columns = ['name', 'kind', 'rows', 'size', 'primary_key', 'row_security', 'references', 'referenced_by', 'note'];
    return respondNames({ columns, rows: shown.map(formatTable), limit, offset, once, ...(shown.length > 0 ? { total } : {}) });
  }
  await refuseUnknownSchema(call, schema);
  const names = schema === undefined || isNarrowed ? await catalog.tableNames(run) : [];
  const word = pattern?.replaceAll(/[*?%]/g, '');
  const advice = pattern?.includes('%') ? 'The wildcards are * and ?; % is an ordinary character.' : undefined;
  return respondNothing({ what: 'tables and views', names, wanted: word ? [word] : [], advice });
}

function isKind(word: string): word is TableKind {
  return tableKinds.some((kind) => kind === word);
}

function formatTable(table: TableListing): string[] {
  const { name, kind, rows, bytes, comment, rights, primaryKey, references, referencedBy } = table;
  return [
    name,
    kind,
    rows === undefined ? '' : `~${rows}`,
    bytes === undefined ? '' : formatBytes(bytes),
    primaryKey === undefined ? '' : primaryKey.join(', ') || 'none',
    formatRowSecurity(table),
    references ? String(references) : '',
    referencedBy ? String(referencedBy) : '',
    [rights ?? '', shortComment(comment)].filter((text) => text !== '').join('; '),
  ];
}

function formatRowSecurity({ rowSecurity }: TableListing): string {
  if (rowSecurity === undefined) return '';
  const { isOn, policies } = rowSecurity;
  const count = policies === 1 ? '1 policy' : `${policies === 0 ? 'no' : policies} policies`;
  return isOn ? count : `off; ${count}`;
}
