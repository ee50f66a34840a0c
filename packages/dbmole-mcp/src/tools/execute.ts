import { defineTool, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import type { WriteEnd } from '../engine.ts';
import { TableSink } from '../table-sink.ts';
import { refuseReadonly, type SqlTools, statementShape, timeoutArgument } from '../tool.ts';
import { endsWithCall, refuseTransactionControl } from '../transaction-words.ts';
import { offeringNames } from '../unknown-name.ts';

const keepPerCell = 600;

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
      'One changing statement, committed; says how many rows it changed. dry_run takes it back where the engine can. Refused on readonly connections.',
    effect: 'destroy',
    asksPerson: true,
    input,
    handler: async (args, context) => {
      const sink = new TableSink({ once: true });
      // A write goes on to its end, whatever becomes of the rows that it returns.
      const all = { columns: sink.columns.bind(sink), row: (cells: Parameters<TableSink['row']>[0]) => sink.row(cells) || true };
      const request = {
        sql: args.sql,
        params: args.params,
        dryRun: args.dry_run,
        keepPerCell,
      };
      const end = await tools.use(args, context, (call) => {
        refuseReadonly(call.lease);
        refuseTransactionControl(args.sql);
        return offeringNames(call, args.sql, () =>
          call.backend.write({ ...request, timeoutMs: call.engineMs }, all, call.options),
        );
      });
      const passing =
        !args.dry_run && endsWithCall(args.sql) ? ' It lasted for this call only: the next has a session of its own.' : '';
      return answer(sink, `${formatOutcome(end, args.dry_run)}${passing}`);
    },
  });
}

function answer(sink: TableSink, outcome: string): ToolReply {
  if (!sink.hasResult) return respond.text(outcome);
  const rows = sink.finish();
  const isWhole = rows.more === 'no' && rows.cutCells === rows.unkeptCells;
  const notes = isWhole ? [] : ['More is not shown: the same call would run the statement again.'];
  return respond.table(rows, { notes: [...notes, outcome] });
}

/** No engine gives back what a column with numbers of its own has counted. */
const inserting = new Set(['INSERT', 'MERGE', 'REPLACE']);

function formatOutcome({ command, changed, moreResults = 0 }: WriteEnd, dryRun: boolean): string {
  // The word comes from the server and stands among our own.
  const what = /^[A-Z][A-Z ]{0,40}$/.test(command) ? command : 'The statement';
  const rows = changed === 1 ? '1 row' : `${changed} rows`;
  if (dryRun) {
    const kept = inserting.has(command) ? ' Numbers that it took from a sequence stay taken.' : '';
    return `Dry run: ${what} ${changed === undefined ? 'would succeed' : `would change ${rows}`}; rolled back.${kept}`;
  }
  const more = moreResults === 0 ? '' : ` Only its first result is shown, of ${moreResults + 1}.`;
  return `${what} ${changed === undefined ? 'done' : `changed ${rows}`}.${more}`;
}
