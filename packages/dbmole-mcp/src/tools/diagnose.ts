import { defineTool, formatOverview, formatReport, replyReport, runChecks, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import { refuseUnknownSchema } from '../catalog/names-table.ts';
import { type CheckName, type CheckScope, checkNames } from '../diagnosis/diagnosis.ts';
import {
  type Call,
  connectionArgument,
  databaseArgument,
  offsetArgument,
  type SqlTools,
  schemaArgument,
  timeoutArgument,
} from '../tool.ts';

const defaultLimit = 20;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    check: z.enum(checkNames).optional().describe('details; default: overview of all'),
    database: databaseArgument,
    schema: schemaArgument,
    table: z.string().min(1).max(200).optional(),
    limit: z.int().min(1).max(200).optional(),
    offset: offsetArgument,
    timeout_ms: timeoutArgument,
  });

export function diagnoseTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'diagnose',
    title: 'Diagnose',
    description: 'What is wrong with the database, worst first: evidence, consequence, next step.',
    effect: 'read',
    input,
    handler: (args, context) => tools.use(args, context, (call) => diagnose(call, args)),
  });
}

async function diagnose(call: Call, args: z.output<ReturnType<typeof input>>): Promise<ToolReply> {
  const { check, schema, table, limit = defaultLimit, offset } = args;
  const diagnosis = await call.backend.catalog.diagnosis();
  const run = call.backend.catalogRun(call.options);
  const guardedRun = call.backend.guardedRun(call.options);
  const scope: CheckScope = { schema, table: table?.split('.').at(-1), limit: limit + offset };
  await refuseUnknownSchema(call, schema);
  const runCheck = (name: CheckName) => diagnosis[name](run, scope, guardedRun);
  if (check !== undefined) return replyReport(formatReport(check, await runCheck(check), { limit, offset }));
  return replyReport(formatOverview(await runChecks(checkNames, runCheck, call.options.signal)));
}
