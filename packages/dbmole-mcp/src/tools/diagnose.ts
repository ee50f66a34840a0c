import {
  type CheckReport,
  defineTool,
  formatOverview,
  formatReport,
  replyReport,
  reportUnavailable,
  runChecks,
  type Tool,
  type ToolReply,
} from '@dbmole/core';
import * as z from 'zod';
import type { AdviceReads } from '../advice/advisor.ts';
import { refuseUnknownSchema } from '../catalog/names-table.ts';
import { type CheckName, type CheckScope, checkNames } from '../diagnosis/diagnosis.ts';
import { parseStatements } from '../statement/statement-list.ts';
import {
  type Call,
  connectionArgument,
  databaseArgument,
  offsetArgument,
  type SqlTools,
  schemaArgument,
  statementsArgument,
  timeoutArgument,
} from '../tool.ts';

const defaultLimit = 20;

const input = () =>
  z.strictObject({
    connection: connectionArgument,
    check: z.enum(checkNames).optional().describe('default: overview'),
    database: databaseArgument,
    schema: schemaArgument,
    table: z.string().min(1).max(200).optional(),
    sql: statementsArgument.optional(),
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

/** Advice explains statements, which may have to wait for locks; the overview does not wait for it. */
const maxAdviceMs = 800;

async function diagnose(call: Call, args: z.output<ReturnType<typeof input>>): Promise<ToolReply> {
  const { schema, table, sql, limit = defaultLimit, offset } = args;
  const { check = sql === undefined ? undefined : 'index_advice' } = args;
  const diagnosis = await call.backend.catalog.diagnosis();
  const { options } = call;
  const statements = sql === undefined ? undefined : parseStatements(sql);
  const openScope = (signal: AbortSignal): CheckScope => ({
    schema,
    table: table?.split('.').at(-1),
    limit: limit + offset,
    sql: statements,
    reads: openReads(call, signal),
  });
  const run = (name: CheckName, signal = options.signal) => {
    const scope = openScope(signal);
    return diagnosis[name](scope.reads.run, scope, scope.reads.guardedRun);
  };
  await refuseUnknownSchema(call, schema);
  if (check !== undefined) return replyReport(formatReport(check, await run(check), { limit, offset }));
  const runShort = (name: CheckName) =>
    name === 'index_advice' ? runWithin(maxAdviceMs, options.signal, (signal) => run(name, signal)) : run(name);
  return replyReport(formatOverview(await runChecks(checkNames, runShort, options.signal)));
}

function openReads({ backend, options, engineMs }: Call, signal: AbortSignal): AdviceReads {
  const limited = { ...options, signal };
  return {
    run: backend.catalogRun(limited),
    guardedRun: backend.guardedRun(limited),
    check: (sql) => backend.check(sql, limited),
    runSteps: (steps) => backend.readSteps(steps, limited),
    timeoutMs: engineMs,
  };
}

async function runWithin(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<CheckReport>,
): Promise<CheckReport> {
  const limit = AbortSignal.timeout(ms);
  try {
    return await work(AbortSignal.any([outer, limit]));
  } catch (error) {
    if (!limit.aborted || outer.aborted) throw error;
    return reportUnavailable(`it takes more than ${ms} ms here`, 'diagnose with check=index_advice waits for it.');
  }
}
