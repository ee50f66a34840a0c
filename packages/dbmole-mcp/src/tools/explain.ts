import { defaultBudget, defineTool, Failure, failureWith, respond, type Tool, type ToolReply } from '@dbmole/core';
import * as z from 'zod';
import { refuseScopedDefinition } from '../backend/connection-scope.ts';
import { withNameSuggestions, withNameSuggestionsOnly } from '../catalog/unknown-name.ts';
import { formatDdl, formatDdlLine } from '../ddl/ddl-report.ts';
import type { CallerParam, ReadEnd } from '../engine.ts';
import { useQuery } from '../next-steps.ts';
import { collectPlan } from '../plan/collect-plan.ts';
import { findWasteful, formatPlan, type Tables } from '../plan/plan-text.ts';
import { flattenPlan, type PlanTree } from '../plan/plan-tree.ts';
import { toScanFacts } from '../plan/scan-facts.ts';
import type { UnlikeJoin } from '../plan/unlike-joins.ts';
import { refusePlanOutside } from '../policy/plan-scope.ts';
import { parseStatements, splitParams } from '../statement/statement-list.ts';
import { type Call, type SqlTools, statementShape, statementsArgument, timeoutArgument } from '../tool.ts';

/** Plans of statements with thousands of parts are long; beyond this they are unreadable. */
const maxPlanLength = 4_000_000;

const input = () =>
  z.strictObject({
    ...statementShape,
    sql: statementsArgument,
    analyze: z.boolean().optional().describe('runs it'),
    raw: z.boolean().optional(),
    timeout_ms: timeoutArgument,
  });

export function explainTool(tools: SqlTools): Tool {
  return defineTool({
    name: 'explain',
    title: 'Explain',
    description:
      'The plan of a read: rows estimated->actual, time, what is slow and why; or raw. Of DDL, not run: locks, safer form.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args, context, async (call) => {
        const statements = parseStatements(args.sql);
        const params = splitParams(statements, args.params);
        const { analyze = false, raw = false } = args;
        const budget = Math.floor(defaultBudget / statements.length);
        const isAlone = statements.length === 1;
        const explain = async (sql: string, i: number) =>
          await explainOne(call, { sql, params: params[i] ?? [], analyze, raw, budget, isAlone });
        if (isAlone) return await explain(statements[0] ?? '', 0);
        const replies: ToolReply[] = [];
        for (const [i, sql] of statements.entries())
          replies.push(await explain(sql, i).catch((error: unknown) => respond.failure(error, context.door)));
        return respond.several(replies);
      }),
  });
}

interface PlanRequest {
  sql: string;
  params: readonly CallerParam[];
  analyze: boolean;
  raw: boolean;
  namesSchemas?: boolean;
}

interface Request extends PlanRequest {
  budget: number;
  /** The only statement of the call. */
  isAlone: boolean;
}

async function explainOne(call: Call, request: Request): Promise<ToolReply> {
  const { sql, raw, analyze, budget, isAlone } = request;
  const ddl = call.backend.grammar.isDefinition(sql) ? await call.backend.plan.ddl() : undefined;
  if (ddl !== undefined) {
    if (call.backend.scope !== undefined) throw refuseScopedDefinition(call.backend.scope);
    const report = await ddl.explain(call.backend.catalogRun(call.options), sql);
    return respond.text(formatDdl(report), { line: formatDdlLine(report), budget });
  }
  const offering = isAlone ? withNameSuggestions : withNameSuggestionsOnly;
  const { plan, costNote = '' } = await offering(call, sql, () => readShownPlan(call, request));
  const usual = analyze ? 'Plan of the statement as it ran.' : 'Plan, with estimates only; analyze runs the statement.';
  const what = call.backend.plan.line ?? usual;
  const line = costNote === '' ? what : `${what} ${costNote}`;
  return respond.text(raw ? plan : await condense(call, plan, sql), { line, budget });
}

async function readShownPlan(call: Call, request: PlanRequest): Promise<ShownPlan> {
  const { backend } = call;
  const shown = await readPlan(call, request);
  if (backend.scope !== undefined) {
    const { plan: named } = await readPlan(call, { ...request, raw: false, analyze: false, namesSchemas: true });
    await refusePlanOutside(call, named, request.sql);
  }
  return shown;
}

async function condense(call: Call, plan: string, sql: string): Promise<string> {
  const tree = call.backend.plan.parse(plan, sql);
  const [tables, joins] = await Promise.all([readPlanTables(call, tree, sql), readUnlikeJoins(call, tree, sql)]);
  return formatPlan(tree, tables, joins);
}

interface ShownPlan extends Pick<ReadEnd, 'costNote'> {
  plan: string;
}

/** The plan in the engine's own words, for a statement that the guard accepts as a read. */
export async function readPlan({ backend, options, engineMs }: Call, args: PlanRequest): Promise<ShownPlan> {
  refuseUnplanned(backend.grammar.findUnplannedWord(args.sql));
  // The statement itself has to be a read; what is put around it must not make it one.
  await backend.check(args.sql, options).catch((error: unknown) => Promise.reject(withReadAdvice(error, args.sql)));
  const sql = await backend.plan.statement(backend.catalogRun(options), args);
  const { sink, text } = collectPlan();
  const { params } = args;
  try {
    const request = { sql, params, timeoutMs: engineMs, keepPerCell: maxPlanLength, maxRows: undefined };
    const { costNote } = await backend.read(request, sink, { ...options, readsPlan: true });
    return { plan: text(), ...(costNote !== undefined && { costNote }) };
  } catch (error) {
    throw inCallersText(error, sql.length - args.sql.length);
  }
}

/** The guard would speak of the EXPLAIN that we put in front. */
function refuseUnplanned(word: string | undefined): void {
  if (word === undefined) return;
  throw new Failure('input', `sql begins with ${word}; expected the statement alone: SELECT, WITH, VALUES or TABLE`, {
    hint:
      word === 'SHOW'
        ? useQuery
        : { tool: `Leave ${word} out; analyze and raw are arguments.`, cli: `Leave ${word} out; --analyze is an option.` },
  });
}

const changes = /^(?:delete|insert|merge|replace|update)\b/i;

/** A change can be explained by the read that finds its rows. */
function withReadAdvice(error: unknown, sql: string): unknown {
  if (!(error instanceof Failure) || error.code !== 'E_NOT_A_READ') return error;
  const isChange = changes.test(sql.slice((error.position ?? 1) - 1));
  return isChange ? failureWith(error, { hint: 'Explain a SELECT with the same FROM and WHERE.' }) : error;
}

/** The engine counts from the beginning of what it was sent. */
function inCallersText(error: unknown, before: number): unknown {
  if (!(error instanceof Failure) || error.position === undefined) return error;
  return failureWith(error, { position: error.position > before ? error.position - before : undefined });
}

const maxTables = 5;

/** What says why the scans of a plan used no index. Best effort: a plan without it is still a plan. */
export async function readPlanTables({ backend, options }: Call, tree: PlanTree, sql: string): Promise<Tables> {
  const scanned = findWasteful(flattenPlan(tree)).flatMap(({ table }) => table ?? []);
  const names = new Map(
    [...new Set(scanned)].slice(0, maxTables).map((table) => [table, backend.plan.findTable?.(table, sql) ?? table]),
  );
  if (names.size === 0) return new Map();
  try {
    const request = { names: [...new Set(names.values())], schema: undefined };
    const { tables } = await backend.catalog.describeTables(backend.catalogRun(options), request);
    const known = new Map(tables.filter(({ alsoIn }) => alsoIn.length === 0).map((table) => [table.asked, toScanFacts(table)]));
    return new Map(
      [...names].flatMap(([table, asked]) => {
        const facts = known.get(asked);
        return facts === undefined ? [] : [[table, facts]];
      }),
    );
  } catch {
    return new Map();
  }
}

/** Best effort as well, and only where a table is read in full and the statement names several. */
async function readUnlikeJoins({ backend, options }: Call, tree: PlanTree, sql: string): Promise<readonly UnlikeJoin[]> {
  if (!/,|join/i.test(sql) || !flattenPlan(tree).some(({ table, fullScan }) => table !== undefined && fullScan)) return [];
  return await backend.plan.findUnlikeJoins(backend.catalogRun(options), tree, sql).catch(() => []);
}
