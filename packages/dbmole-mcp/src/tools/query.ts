import {
  defaultBudget,
  defineTool,
  Failure,
  longestSecret,
  maxCellOffset,
  respond,
  type Tool,
  type ToolContext,
  type ToolReply,
} from '@dbmole/core';
import * as z from 'zod';
import { isUnordered } from '../catalog/page-order.ts';
import { offeringNames, withAdvice } from '../catalog/unknown-name.ts';
import type { ReadEnd } from '../engine.ts';
import { createSharedSinks, maxStatements, parseStatements, splitParams } from '../statement/statement-list.ts';
import { type TableOptions, TableSink } from '../table-sink.ts';
import {
  type Call,
  limitArgument,
  offsetArgument,
  type SqlTools,
  sqlArgument,
  statementShape,
  statementTimeoutArgument,
} from '../tool.ts';

/** Characters after the part of a cell that is shown: its end must be told from a cut, and a secret from its first half. */
const cellMargin = () => 16 + longestSecret();

const input = () =>
  z.strictObject({
    ...statementShape,
    sql: z.union([sqlArgument, z.array(sqlArgument).min(1).max(maxStatements)]),
    limit: limitArgument(10_000),
    offset: offsetArgument,
    cell_limit: z.int().min(1).max(30_000).optional().describe('characters per cell; 500, or more with few rows'),
    cell_offset: z.int().min(0).max(maxCellOffset).default(0).describe('characters to skip in each cell'),
    timeout_ms: statementTimeoutArgument,
  });

export function queryTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'query',
    title: 'Query',
    description:
      'Runs a read-only statement (SELECT, WITH, SHOW), or a list of up to 20 in one snapshot: send independent questions together. ' +
      'Returns CSV, cut to fit; the first line says how to read on. Aggregate in SQL instead of reading many rows.',
    effect: 'read',
    input,
    handler: async (args, context) => {
      const statements = parseStatements(args.sql);
      const [only = ''] = statements;
      return await tools.use(args, context, (call) =>
        statements.length === 1 ? runOne(call, args, only) : runAll(call, args, { statements, door: context.door }),
      );
    },
  });
}

type Args = z.output<ReturnType<typeof input>>;

async function runOne(call: Call, args: Args, sql: string): Promise<ToolReply> {
  const sink = new TableSink(tableOptions(args));
  const request = { ...readOptions(call, args), sql, params: args.params };
  const end = await offeringNames(call, sql, () => call.backend.read(request, sink, call.options));
  return answer(call, sql, { sink, end });
}

interface List extends Pick<ToolContext, 'door'> {
  statements: readonly string[];
}

/** A statement that fails gives its error in its place. */
async function runAll(call: Call, args: Args, { statements, door }: List): Promise<ToolReply> {
  refuseOffsets(args);
  const params = splitParams(statements, args.params);
  let sinks: readonly TableSink[] = [];
  const openReads = () => {
    sinks = createSharedSinks(statements.length, tableOptions(args));
    return sinks.map((sink, i) => {
      const request = { ...readOptions(call, args), sql: statements[i] ?? '', params: params[i] ?? [] };
      return { request, sink };
    });
  };
  const ends = await call.backend.readAll(openReads, call.options);
  const replies: ToolReply[] = [];
  for (const [i, sink] of sinks.entries()) replies.push(await answerOne(call, statements[i] ?? '', { sink, end: ends[i], door }));
  return respond.several(replies);
}

interface Ended extends Pick<ToolContext, 'door'> {
  sink: TableSink;
  end: ReadEnd | Failure | undefined;
}

async function answerOne(call: Call, sql: string, { sink, end, door }: Ended) {
  if (end !== undefined && !(end instanceof Failure)) return answer(call, sql, { sink, end });
  return respond.failure(end === undefined ? end : await withAdvice(end, call, sql), door);
}

function refuseOffsets({ offset, cell_offset: cellOffset }: Args): void {
  if (offset === 0 && cellOffset === 0) return;
  throw new Failure('input', 'offset and cell_offset need a single statement, and sql is a list', {
    hint: 'Pass that statement alone.',
  });
}

function tableOptions({ limit, offset, cell_limit: cellLimit, cell_offset: cellOffset }: Args): TableOptions {
  return { rowLimit: limit, offset, cellOffset, ...(cellLimit === undefined ? { growCells: true } : { cellLimit }) };
}

function readOptions({ engineMs }: Call, { limit, offset, cell_limit: cellLimit, cell_offset: cellOffset }: Args) {
  const keepPerCell = cellOffset + (cellLimit ?? defaultBudget) + cellMargin();
  return { timeoutMs: engineMs, keepPerCell, maxRows: offset + limit + 1 };
}

function answer({ backend }: Call, sql: string, { sink, end }: { sink: TableSink; end: ReadEnd }): ToolReply {
  const { timeZone } = end;
  const rows = sink.finish();
  const isPage = rows.offset > 0 || rows.nextOffset !== undefined;
  const notes = [
    isPage && isUnordered(sql, backend.grammar) ? 'Without ORDER BY pages may overlap or leave rows out.' : '',
    isZoneName(timeZone) ? `Time zone: ${timeZone}.` : '',
  ];
  return respond.table(rows, { notes });
}

/** It is embedded in our own words and comes from the server. */
function isZoneName(name: string | undefined): name is string {
  return name !== undefined && /^[A-Za-z0-9_+\-/:]{1,64}$/.test(name);
}
