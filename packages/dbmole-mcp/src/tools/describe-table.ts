import { defineTool, Failure, quoteRemote, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import type { Description, OtherObject } from '../catalog/catalog.ts';
import { nearestTables } from '../catalog/nearest-tables.ts';
import { type Aspect, formatAspect, formatBrief, formatDescription, formatLegend } from '../catalog/schema-text.ts';
import { seeTables, useQuery } from '../next-steps.ts';
import {
  type Call,
  connectionArgument,
  databaseArgument,
  offsetArgument,
  type SqlTools,
  schemaArgument,
  timeoutArgument,
} from '../tool.ts';

const maxTables = 20;
const maxStatementLength = 300;

/** The budget of an answer without its first line. */
const room = 31_000;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    tables: z.array(z.string()).min(1).max(maxTables),
    database: databaseArgument,
    schema: schemaArgument,
    definitions: z.boolean().optional().describe('view texts too'),
    brief: z.boolean().optional().describe('one line per table'),
    only: z.enum(['columns', 'references', 'indexes']).optional(),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function describeTableTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'describe_table',
    title: 'Describe table',
    description: 'Columns, keys, references both ways, checks, indexes, enum values, partitions; of several at once.',
    effect: 'read',
    input,
    handler: (args, context) => tools.use(args, context, (call) => describe(call, args)),
  });
}

type Args = z.output<ReturnType<typeof input>>;

async function describe({ backend, options }: Call, args: Args): Promise<ToolReply> {
  const { tables, schema, definitions = false, brief = false, only, offset } = args;
  const names = [...new Set(tables)];
  const run = backend.catalogRun(options);
  const description = await backend.catalog.describeTables(run, { names, schema, definitions });
  const { missing } = description;
  const absent: Absent = { missing, existing: [], others: [] };
  if (missing.length > 0) {
    absent.existing = await backend.catalog.tableNames(run);
    absent.others = await backend.catalog.findOthers(run, { names: missing, schema });
  }
  if (description.tables.length === 0) throw unknownTables(absent);
  const lines = [...missing.map((name) => describeAbsent(name, absent)), ...formatLines(description, { brief, only })];
  return answer(lines, { offset, tables: description.tables.length, marks: formatLegend(lines, brief) });
}

function formatLines(description: Description, { brief, only }: { brief: boolean; only: Aspect | undefined }): string[] {
  if (only !== undefined) return formatAspect(description, only);
  return brief ? formatBrief(description) : formatDescription(description);
}

interface Absent {
  missing: readonly string[];
  existing: readonly string[];
  others: readonly OtherObject[];
}

function unknownTables({ missing, existing, others }: Absent): Failure {
  const nearest = missing
    .filter((name) => !others.some(({ asked }) => asked === name))
    .flatMap((name) => nearestTables(name, existing));
  const [first = ''] = missing;
  const what = missing.length === 1 ? `there is no table ${first}` : `there are no tables ${missing.join(', ')}`;
  const found = others.slice(0, maxTables).map((other) => `; ${other.asked} is ${describeOther(other)}`);
  return new Failure('unknown', [what, ...found].join(''), {
    code: 'E_UNKNOWN_TABLE',
    nearest: [...new Set(nearest)],
    hint: others.some(({ shownBy }) => shownBy !== undefined)
      ? { ...useQuery, to: 'run the statement that shows it' }
      : [
          seeTables,
          { tool: 'Pass `database` or `schema` to look elsewhere.', cli: 'Pass --database or --schema to look elsewhere.' },
        ],
  });
}

function describeOther({ kind, shownBy }: OtherObject): string {
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  return `${article} ${kind}${shownBy === undefined ? '' : `, shown by ${quoteRemote(shownBy, maxStatementLength)}`}`;
}

/** Some were found: that is an answer, and the others are named first in it. */
function describeAbsent(name: string, { existing, others }: Absent): string {
  const other = others.find(({ asked }) => asked === name);
  const nearest = nearestTables(name, existing);
  const offer = nearest.length === 0 ? '' : `; nearest: ${nearest.join(', ')}`;
  const text = other === undefined ? `no such table${offer}` : `${describeOther(other)}, and no table`;
  return `${name.replaceAll('⟦', '⟦U+27E6⟧')}: ${text.replaceAll('⟦', '⟦U+27E6⟧')}`.replaceAll('\n', ' ');
}

interface Shown {
  offset: number;
  tables: number;
  /** What the marks in the lines mean. */
  marks: string;
}

/** Whole lines from `offset` on, as many as fit. */
function answer(lines: readonly string[], { offset, tables, marks }: Shown): ToolReply {
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
  const words = [`${tables} ${tables === 1 ? 'table' : 'tables'}.`, whole ? '' : range, next, marks];
  return respond.text(shown.join('\n'), { line: words.filter((word) => word !== '').join(' ') });
}
