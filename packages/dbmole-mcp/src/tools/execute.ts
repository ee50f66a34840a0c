import { defaultBudget, defineTool, Failure, respond, type Tool, type ToolContext, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import { withNameSuggestions } from '../catalog/unknown-name.ts';
import type { CallerParam, SqlGrammar, WriteEnd } from '../engine.ts';
import { beforeStart } from '../failure.ts';
import { readMaxRows, refuseUncounted, refuseWrite } from '../policy/write-policy.ts';
import { TableSink } from '../table-sink.ts';
import { refuseReadonly, type SqlTools, statementShape, type Target, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    ...statementShape,
    dry_run: z.boolean().default(false),
    timeout_ms: timeoutArgument,
  });

export function executeTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'execute',
    title: 'Execute',
    description:
      'Runs one changing statement and commits it; dry_run rolls it back where the engine can. Refused on readonly connections.',
    effect: 'destroy',
    asksPerson: true,
    input,
    handler: (args, context) => runWrite(tools, { ...args, bind: () => args }, context),
  });
}

interface Write extends Target {
  dry_run: boolean;
  /** The statement, in the form of the engine that is found. */
  bind(grammar: SqlGrammar): { sql: string; params: readonly CallerParam[] };
}

/** Runs one changing statement, if the connection may be written to. */
export async function runWrite(tools: SqlTools, write: Write, context: ToolContext): Promise<ToolReply> {
  const { dry_run: dryRun } = write;
  const sink = new TableSink({ once: true, growCells: true });
  // A write goes on to its end, whatever becomes of the rows that it returns.
  const all = { columns: sink.columns.bind(sink), row: (cells: Parameters<TableSink['row']>[0]) => sink.row(cells) || true };
  let isConnected = false;
  let isPassing = false;
  const written = tools.use(write, context, (call) => {
    isConnected = true;
    refuseReadonly(call.lease);
    const { grammar } = call.backend;
    const { sql, params } = write.bind(grammar);
    refuseWrite(call.lease.config, call.lease.name, grammar.readWriteKind(sql));
    refuseTransactionControl(grammar.findTransactionWord(sql));
    isPassing = !dryRun && grammar.endsWithCall(sql);
    const maxChanged = readMaxRows(call.lease.config);
    if (maxChanged !== undefined && !dryRun && grammar.readWriteKind(sql) === 'other' && !grammar.isQuery(sql))
      throw refuseUncounted('the statement is neither a change of rows nor of structure');
    const request = { sql, params, dryRun, maxChanged, keepPerCell: defaultBudget, timeoutMs: call.engineMs };
    return withNameSuggestions(call, sql, () => call.backend.write(request, all, call.options));
  });
  const end = await written.catch((error: unknown) => Promise.reject(isConnected ? error : beforeStart(error)));
  const passing = isPassing ? ' It applied to this call only: the next call has its own session.' : '';
  return answer(sink, `${formatOutcome(end, dryRun)}${passing}`, end.protectedColumns);
}

/**
 * Each call is a transaction of its own. A BEGIN that answers "done" would suggest that what comes next can be rolled
 * back, and a ROLLBACK that it was.
 */
function refuseTransactionControl(word: string | undefined): void {
  if (word === undefined) return;
  throw new Failure(
    'refused',
    `${word} would have no effect: each call is a transaction of its own and commits when it succeeds`,
    { hint: 'Run the change alone; dry_run tries it and rolls it back.' },
  );
}

function answer(sink: TableSink, outcome: string, protectedColumns = ''): ToolReply {
  if (!sink.hasResult) return respond.text(outcome);
  const rows = sink.finish();
  const isWhole = rows.more === 'no' && rows.cutCells === rows.unkeptCells;
  const notes = isWhole ? [] : ['More is not shown: the same call would run the statement again.'];
  return respond.table(rows, { notes: [...notes, protectedColumns, outcome] });
}

/** No engine takes back numbers that a column has counted. */
const inserting = new Set(['INSERT', 'MERGE', 'REPLACE']);

function formatOutcome({ command, changed, moreResults = 0 }: WriteEnd, dryRun: boolean): string {
  // The word comes from the server and is embedded in our own.
  const what = /^[A-Z][A-Z ]{0,40}$/.test(command) ? command : 'The statement';
  const rows = changed === 1 ? '1 row' : `${changed} rows`;
  if (dryRun) {
    const kept = inserting.has(command) ? ' Numbers that it took from a sequence stay taken.' : '';
    return `Dry run: ${what} ${changed === undefined ? 'would succeed' : `would change ${rows}`}; rolled back.${kept}`;
  }
  const more = moreResults === 0 ? '' : ` Only its first result is shown, of ${moreResults + 1}.`;
  return `${what} ${changed === undefined ? 'done' : `changed ${rows}`}.${more}`;
}
