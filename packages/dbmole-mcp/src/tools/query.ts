import { defineTool, longestSecret, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import type { ReadEnd } from '../engine.ts';
import { TableSink } from '../table-sink.ts';
import { limitArgument, offsetArgument, type SqlTools, statementShape, timeoutArgument } from '../tool.ts';
import { offeringNames } from '../unknown-name.ts';

/** Characters after the part of a cell that is shown: its end must be told from a cut, and a secret from its first half. */
const marginOf = () => 16 + longestSecret();

const input = () =>
  z.strictObject({
    ...statementShape,
    limit: limitArgument(10_000),
    offset: offsetArgument,
    cell_limit: z.int().min(1).max(30_000).default(500),
    cell_offset: z.int().min(0).max(10_000_000).default(0),
    timeout_ms: timeoutArgument,
  });

export function queryTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'query',
    title: 'Query',
    description:
      'One reading statement (SELECT, WITH, SHOW), always read-only. Rows come as CSV, cut to fit; the first line says how to read on. ' +
      'Aggregate in SQL rather than reading many rows. To change data use execute, for many rows export_query.',
    effect: 'read',
    input,
    handler: async (args, context) => {
      const { limit, offset, cell_limit: cellLimit, cell_offset: cellOffset } = args;
      const sink = new TableSink({ rowLimit: limit, offset, cellLimit, cellOffset });
      const request = {
        sql: args.sql,
        params: args.params,
        keepPerCell: cellOffset + cellLimit + marginOf(),
        maxRows: offset + limit + 1,
      };
      const end = await tools.use(args, context, (call) =>
        offeringNames(call, args.sql, () => call.backend.read({ timeoutMs: call.engineMs, ...request }, sink, call.options)),
      );
      return answer(sink, end);
    },
  });
}

function answer(sink: TableSink, { timeZone }: ReadEnd): ToolReply {
  return respond.table(sink.finish(), { notes: isZoneName(timeZone) ? [`Time zone: ${timeZone}.`] : [] });
}

/** It stands among our own words and comes from the server. */
function isZoneName(name: string | undefined): name is string {
  return name !== undefined && /^[A-Za-z0-9_+\-/:]{1,64}$/.test(name);
}
