import { defineTool, Failure, failureWith, respond, type Tool } from '@dbmole/core';
import * as z from 'zod';
import type { RowSink } from '../engine.ts';
import { beginning } from '../first-words.ts';
import { type Call, type SqlTools, sqlArgument, statementShape, timeoutArgument } from '../tool.ts';
import { offeringNames } from '../unknown-name.ts';

/** Plans of statements with thousands of parts are long; beyond this nobody could read one. */
const longestPlan = 4_000_000;

const input = () =>
  z.strictObject({
    ...statementShape,
    sql: sqlArgument.describe('without EXPLAIN'),
    analyze: z.boolean().optional().describe('runs it, for real rows and times'),
    raw: z.boolean().optional(),
    timeout_ms: timeoutArgument,
  });

export function explainTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'explain',
    title: 'Explain',
    description:
      'The plan of a reading statement, condensed: rows estimated->actual, time, what is slow and why; or raw, as the engine has it.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args, context, async (call) => {
        const plan = await offeringNames(call, args.sql, () => readPlan(call, args));
        const line = args.analyze ? 'Plan of the statement as it ran.' : 'Plan, with estimates only; analyze runs the statement.';
        return respond.text(args.raw ? plan : call.backend.plan.condense(plan), { line });
      }),
  });
}

async function readPlan({ backend, options, engineMs }: Call, args: z.output<ReturnType<typeof input>>): Promise<string> {
  refuseWithoutPlan(args.sql);
  // The statement itself has to be a read; what is put around it must not make it one.
  await backend.check(args.sql, options);
  const { analyze = false, raw = false } = args;
  const sql = await backend.plan.statement(backend.catalogRun(options), { sql: args.sql, analyze, raw });
  const lines: string[] = [];
  const sink: RowSink = {
    columns: () => undefined,
    row([cell = null]) {
      lines.push(typeof cell === 'object' && cell !== null ? cell.text : (cell ?? ''));
      return true;
    },
  };
  const { params } = args;
  try {
    await backend.read({ sql, params, timeoutMs: engineMs, keepPerCell: longestPlan, maxRows: undefined }, sink, options);
  } catch (error) {
    throw inCallersText(error, sql.length - args.sql.length);
  }
  return lines.join('\n');
}

const withoutPlan = beginning(String.raw`(explain|analy[sz]e|describe|desc|show)\b`);

/** The guard would speak of the EXPLAIN that we put in front. */
function refuseWithoutPlan(sql: string): void {
  const word = withoutPlan.exec(sql)?.[1]?.toUpperCase();
  if (word === undefined) return;
  throw new Failure('input', `sql begins with ${word}; explain takes the statement alone, a SELECT, WITH, VALUES or TABLE`, {
    hint: word === 'SHOW' ? 'Use query for it.' : `Leave ${word} out; analyze and raw are arguments.`,
  });
}

/** The engine counts from the beginning of what it was sent. */
function inCallersText(error: unknown, before: number): unknown {
  if (!(error instanceof Failure) || error.position === undefined) return error;
  return failureWith(error, { position: error.position > before ? error.position - before : undefined });
}
