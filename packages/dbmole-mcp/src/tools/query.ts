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
import { withAdvice, withNameSuggestions } from '../catalog/unknown-name.ts';
import type { ReadEnd, SqlGrammar } from '../engine.ts';
import { createSharedTables, type SharedTable, shareRoom } from '../statement/shared-table.ts';
import { parseStatements, splitParams } from '../statement/statement-list.ts';
import { type TableOptions, TableSink } from '../table-sink.ts';
import {
  type Call,
  describedConnectionArgument,
  describedParamsArgument,
  limitArgument,
  offsetArgument,
  type SqlTools,
  statementShape,
  statementsArgument,
  statementTimeoutArgument,
} from '../tool.ts';

/** Characters after the part of a cell that is shown: they show whether the cell was cut, and complete a secret that begins before the cut. */
const cellMargin = () => 16 + longestSecret();

const input = () =>
  z.strictObject({
    ...statementShape,
    connection: describedConnectionArgument,
    sql: statementsArgument,
    params: describedParamsArgument,
    limit: limitArgument(10_000),
    offset: offsetArgument,
    cell_limit: z.int().min(1).max(30_000).optional().describe('per cell; 500, or more with few rows'),
    cell_offset: z.int().min(0).max(maxCellOffset).default(0).describe('characters to skip in cells'),
    timeout_ms: statementTimeoutArgument,
  });

export function queryTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'query',
    title: 'Query',
    description:
      'Runs a read-only statement, or a list of up to 20 in one snapshot: send independent questions together. ' +
      'Returns CSV; the first line says how to read on. Aggregate in SQL, not by reading rows.',
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

/** What of the arguments says how a statement is run, and what is shown of its rows. */
type ReadArgs = Pick<Args, 'params' | 'limit' | 'offset' | 'cell_limit' | 'cell_offset'>;

/** Runs one reading statement. */
export async function runOne(call: Call, args: ReadArgs, sql: string): Promise<ToolReply> {
  const sink = new TableSink(tableOptions(args));
  const request = { ...readOptions(call, args), sql, params: args.params };
  const end = await withNameSuggestions(call, sql, () => call.backend.read(request, sink, call.options));
  return answer(call, sql, { sink, end });
}

interface List extends Pick<ToolContext, 'door'> {
  statements: readonly string[];
}

/** A statement that fails gives its error in its place. */
async function runAll(call: Call, args: Args, { statements, door }: List): Promise<ToolReply> {
  refuseOffsets(args);
  const params = splitParams(statements, args.params);
  let sinks: readonly SharedTable[] = [];
  const openReads = () => {
    sinks = createSharedTables(statements.length, tableOptions(args));
    return sinks.map((sink, i) => {
      const request = { ...readOptions(call, args), sql: statements[i] ?? '', params: params[i] ?? [] };
      return { request, sink };
    });
  };
  const ends = await call.backend.readAll(openReads, call.options);
  await shareRoom(sinks, (i) => isFailed(ends[i]));
  const replies: ToolReply[] = [];
  for (const [i, sink] of sinks.entries()) replies.push(await answerOne(call, statements[i] ?? '', { sink, end: ends[i], door }));
  return respond.several(replies);
}

interface Ended extends Pick<ToolContext, 'door'> {
  sink: SharedTable;
  end: ReadEnd | Failure | undefined;
}

async function answerOne(call: Call, sql: string, { sink, end, door }: Ended) {
  if (!isFailed(end)) return answer(call, sql, { sink, end });
  return respond.failure(end === undefined ? end : await withAdvice(end, call, sql), door);
}

function isFailed(end: Ended['end']): end is Failure | undefined {
  return end === undefined || end instanceof Failure;
}

function refuseOffsets({ offset, cell_offset: cellOffset }: Args): void {
  if (offset === 0 && cellOffset === 0) return;
  throw new Failure('input', 'offset and cell_offset need a single statement, and sql is a list', {
    hint: 'Pass that statement alone.',
  });
}

function tableOptions({ limit, offset, cell_limit: cellLimit, cell_offset: cellOffset }: ReadArgs): TableOptions {
  return { rowLimit: limit, offset, cellOffset, ...(cellLimit === undefined ? { growCells: true } : { cellLimit }) };
}

function readOptions({ engineMs }: Call, { limit, offset, cell_limit: cellLimit, cell_offset: cellOffset }: ReadArgs) {
  const keepPerCell = cellOffset + (cellLimit ?? defaultBudget) + cellMargin();
  return { timeoutMs: engineMs, keepPerCell, maxRows: offset + limit + 1 };
}

function answer({ backend }: Call, sql: string, { sink, end }: { sink: Pick<TableSink, 'finish'>; end: ReadEnd }): ToolReply {
  const { timeZone, protectedColumns, costNote } = end;
  const rows = sink.finish();
  const isPage = rows.offset > 0 || rows.nextOffset !== undefined;
  const notes = [
    protectedColumns ?? '',
    costNote ?? '',
    isPage && isUnordered(sql, backend.grammar) ? 'Without ORDER BY pages may overlap or leave rows out.' : '',
    isZoneName(timeZone) ? `Time zone: ${timeZone}.` : '',
  ];
  return respond.table(rows, { notes });
}

/** It is embedded in our own words and comes from the server. */
function isZoneName(name: string | undefined): name is string {
  return name !== undefined && /^[A-Za-z0-9_+\-/:]{1,64}$/.test(name);
}

/** Whether a statement gives its rows in no certain order, so that pages of it may overlap. */
export function isUnordered(sql: string, { isQuery }: Pick<SqlGrammar, 'isQuery'>): boolean {
  // Engines read a backslash in a string in two ways: a match that only one of them would make deserves no warning.
  return isQuery(sql) && !hasOrder(sql, false) && !hasOrder(sql, true);
}

/** On the outermost level, or in the brackets around all of it. */
function hasOrder(sql: string, escapes: boolean): boolean {
  const outside = /^[\s(]*/.exec(sql)?.[0].split('(').length ?? 1;
  let depth = 0;
  for (let at = 0; at < sql.length; at = next(sql, at, escapes)) {
    const char = sql[at];
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if ((char === 'o' || char === 'O') && depth < outside && isOrderBy(sql, at)) return true;
  }
  return false;
}

function isOrderBy(sql: string, at: number): boolean {
  const piece = sql.slice(Math.max(0, at - 1), at + 60);
  return (at === 0 ? /^order\s{1,40}by\b/i : /^\Worder\s{1,40}by\b/i).test(piece);
}

/** The position after the text, the quoted name, the comment or the character that begins here. */
function next(sql: string, at: number, escapes: boolean): number {
  const char = sql[at] ?? '';
  if (char === "'" || char === '"' || char === '`') return behindQuote(sql, at, escapes && char === "'");
  if (sql.startsWith('--', at)) return behind(sql, '\n', at);
  return sql.startsWith('/*', at) ? behind(sql, '*/', at + 2) : at + 1;
}

function behindQuote(sql: string, start: number, escapes: boolean): number {
  const quote = sql[start];
  for (let at = start + 1; at < sql.length; at += 1) {
    if (escapes && sql[at] === '\\') at += 1;
    else if (sql[at] === quote) return at + 1;
  }
  return sql.length;
}

function behind(sql: string, end: string, from: number): number {
  const at = sql.indexOf(end, from);
  return at < 0 ? sql.length : at + end.length;
}
