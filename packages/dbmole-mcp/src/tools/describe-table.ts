import { defineTool, Failure, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import type { Description } from '../catalog.ts';
import { nearestTables } from '../nearest-tables.ts';
import { formatBrief, formatDescription, legend } from '../schema-text.ts';
import {
  type Call,
  connectionArgument,
  databaseArgument,
  offsetArgument,
  type SqlTools,
  schemaArgument,
  timeoutArgument,
} from '../tool.ts';

const mostTables = 20;

/** Of the whole budget of an answer, what the first line does not need. */
const room = 31_000;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    tables: z.array(z.string()).min(1).max(mostTables),
    database: databaseArgument,
    schema: schemaArgument,
    definitions: z.boolean().optional().describe('statements of views too'),
    brief: z.boolean().optional().describe('columns and keys only'),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function describeTableTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'describe_table',
    title: 'Describe tables',
    description:
      'Columns with exact types, keys, references both ways, checks, indexes, enum values, partitions. Ask for several at once, as `name` or `schema.name`.',
    effect: 'read',
    input,
    handler: (args, context) => tools.use(args, context, (call) => describe(call, args)),
  });
}

async function describe({ backend, options }: Call, args: z.output<ReturnType<typeof input>>): Promise<ToolReply> {
  const { tables, schema, definitions = false, brief = false, offset } = args;
  const names = [...new Set(tables)];
  const run = backend.catalogRun(options);
  const description = await backend.catalog.describeTables(run, { names, schema, definitions });
  const existing = description.missing.length === 0 ? [] : await backend.catalog.tableNames(run);
  if (description.tables.length === 0) throw unknownTables(description.missing, existing);
  const lines = brief ? formatBrief(description) : formatDescription(description);
  return answer([...formatMissing(description, existing), ...lines], offset, description.tables.length);
}

function unknownTables(missing: readonly string[], existing: readonly string[]): Failure {
  const nearest = missing.flatMap((name) => nearestTables(name, existing));
  const [first = ''] = missing;
  const what = missing.length === 1 ? `no table is called ${first}` : `no tables are called ${missing.join(', ')}`;
  return new Failure('unknown', what, {
    code: 'E_UNKNOWN_TABLE',
    nearest: [...new Set(nearest)],
    hint: 'list_tables says which there are; another database or schema is an argument.',
  });
}

/** Some were found: that is an answer, and the others are named first in it. */
function formatMissing({ missing }: Description, existing: readonly string[]): string[] {
  return missing.map((name) => {
    const nearest = nearestTables(name, existing);
    const offer = nearest.length === 0 ? '' : `; nearest: ${nearest.join(', ')}`;
    return `${name}: no such table${offer}`.replaceAll('⟦', '⟦U+27E6⟧').replaceAll('\n', ' ');
  });
}

/** Whole lines from `offset` on, as many as fit. */
function answer(lines: readonly string[], offset: number, tables: number): ToolReply {
  const shown: string[] = [];
  let size = 0;
  for (const line of lines.slice(offset)) {
    // What is invisible takes more room when it is made visible.
    size += [...line].reduce((sum, char) => sum + (/[\p{C}\p{Z}]/u.test(char) && char !== ' ' ? 10 : char.length), 1);
    if (size > room) break;
    shown.push(line);
  }
  const end = offset + shown.length;
  const range = shown.length === 0 ? `No lines after offset ${offset}.` : `Lines ${offset + 1}-${end} of ${lines.length}.`;
  const whole = shown.length === lines.length;
  const next = end < lines.length && shown.length > 0 ? `More follow: same call with offset=${end}.` : '';
  const words = [`${tables} ${tables === 1 ? 'table' : 'tables'}.`, whole ? '' : range, next, legend];
  return respond.text(shown.join('\n'), { line: words.filter((word) => word !== '').join(' ') });
}
