import { defineTool, type Tool } from '@dbmole/core';
import * as z from 'zod';
import { runWrites } from '../approval/run-writes.ts';
import { parseStatements, splitParams } from '../statement/statement-list.ts';
import { type SqlTools, statementShape, statementsArgument, timeoutArgument } from '../tool.ts';

const input = () =>
  z.strictObject({
    ...statementShape,
    sql: statementsArgument,
    dry_run: z.boolean().default(false),
    timeout_ms: timeoutArgument,
  });

export function executeTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'execute',
    title: 'Execute',
    description: 'Runs changing statements in one transaction and commits; dry_run rolls back where the engine can.',
    effect: 'destroy',
    asksPerson: true,
    input,
    handler: (args, context) => {
      const statements = parseStatements(args.sql);
      const params = splitParams(statements, args.params);
      const bound = statements.map((sql, i) => ({ sql, params: params[i] ?? [] }));
      return runWrites(tools, { ...args, bind: () => bound }, context);
    },
  });
}
