import { defineTool, Failure, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import { type Description, type OtherObject, type TableDetails, tableParts } from '../catalog/catalog.ts';
import { formatLegend, type View } from '../catalog/legend.ts';
import { nearestTables } from '../catalog/nearest-tables.ts';
import { formatOther, formatParts } from '../catalog/parts.ts';
import { sampleTables } from '../catalog/sample.ts';
import { formatBrief, formatDescription } from '../catalog/schema-text.ts';
import { seeTables } from '../next-steps.ts';
import { hideProtectedStats } from '../policy/protected-stats.ts';
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

/** The budget of an answer without its first line. */
const room = 31_000;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    tables: z.array(z.string()).min(1).max(maxTables),
    database: databaseArgument,
    schema: schemaArgument,
    parts: z.array(z.enum(tableParts)).min(1).optional(),
    brief: z.boolean().optional().describe('one line per table'),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function describeTableTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'describe_table',
    title: 'Describe table',
    description: 'Describes tables, several at once, or `parts` of them; also functions, sequences, types, triggers.',
    effect: 'read',
    input,
    handler: (args, context) => tools.use(args, context, (call) => describe(call, args)),
  });
}

type Args = z.output<ReturnType<typeof input>>;

async function describe(call: Call, args: Args): Promise<ToolReply> {
  const { backend, options } = call;
  const { tables, schema, parts, brief = false, offset } = args;
  const names = [...new Set(tables)];
  const run = backend.catalogRun(options);
  const description = await backend.catalog.describeTables(run, { names, schema, parts });
  const { missing } = description;
  const absent: Absent = { missing, existing: [], others: [] };
  if (missing.length > 0) {
    absent.others = await backend.catalog.findOthers(run, { names: missing, schema });
    if (missing.some((name) => !isOther(name, absent))) absent.existing = await backend.catalog.tableNames(run);
  }
  if (description.tables.length + absent.others.length === 0) throw unknownTables(absent);
  const view = parts ?? (brief ? 'brief' : 'whole');
  const lines = [
    ...missing.filter((name) => !isOther(name, absent)).map((name) => describeAbsent(name, absent)),
    ...(await formatLines(call, description, view)),
    ...absent.others.flatMap(formatOther),
  ];
  return answer(lines, { offset, counts: countAll(description.tables, absent.others), marks: formatLegend(description, view) });
}

async function formatLines(call: Call, description: Description, view: View): Promise<string[]> {
  if (view === 'whole') return formatDescription(description);
  if (view === 'brief') return formatBrief(description);
  const { backend, options } = call;
  const { tables } = description;
  const found = view.includes('stats') ? await backend.catalog.readStats(backend.catalogRun(options), tables) : [];
  const stats = await hideProtectedStats(call, found);
  const samples = view.includes('sample') ? await sampleTables(call, tables) : new Map<string, readonly string[]>();
  return formatParts(description, view, { stats, samples });
}

/** `2 tables, 1 function` */
function countAll(tables: readonly TableDetails[], others: readonly OtherObject[]): string {
  const counts = new Map<string, number>(tables.length === 0 ? [] : [['table', tables.length]]);
  for (const { kind } of others) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts]
    .map(([kind, count]) => `${count} ${count === 1 ? kind : kind.replace(/x?$/, (x) => (x ? 'xes' : 's'))}`)
    .join(', ');
}

interface Absent {
  missing: readonly string[];
  existing: readonly string[];
  others: readonly OtherObject[];
}

function isOther(name: string, { others }: Absent): boolean {
  return others.some(({ asked }) => asked === name);
}

function unknownTables({ missing, existing }: Absent): Failure {
  const nearest = missing.flatMap((name) => nearestTables(name, existing));
  const [first = ''] = missing;
  const what = missing.length === 1 ? `there is no table ${first}` : `there are no tables ${missing.join(', ')}`;
  return new Failure('unknown', what, {
    code: 'E_UNKNOWN_TABLE',
    nearest: [...new Set(nearest)],
    hint: [
      seeTables,
      { tool: 'Pass `database` or `schema` to look elsewhere.', cli: 'Pass --database or --schema to look elsewhere.' },
    ],
  });
}

/** Some were found: that is an answer, and the others are named first in it. */
function describeAbsent(name: string, { existing }: Absent): string {
  const nearest = nearestTables(name, existing);
  const offer = nearest.length === 0 ? '' : `; nearest: ${nearest.join(', ')}`;
  return `${name}: no such table${offer}`.replaceAll('⟦', '⟦U+27E6⟧').replaceAll('\n', ' ');
}

interface Shown {
  offset: number;
  counts: string;
  /** What the marks in the lines mean. */
  marks: string;
}

/** Whole lines from `offset` on, as many as fit. */
function answer(lines: readonly string[], { offset, counts, marks }: Shown): ToolReply {
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
  const words = [`${counts}.`, whole ? '' : range, next, marks];
  return respond.text(shown.join('\n'), { line: words.filter((word) => word !== '').join(' ') });
}
