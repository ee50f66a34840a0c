import { type Change, defaultBudget, Failure, type ToolContext, type ToolReply } from '@dbmole/core';
import { withNameSuggestions } from '../catalog/unknown-name.ts';
import type { CallerParam, SqlGrammar } from '../engine.ts';
import { beforeStart } from '../failure.ts';
import { TableSink } from '../table-sink.ts';
import type { Call, SqlTools, Target } from '../tool.ts';
import { noShape } from './change.ts';
import { bindTo, type Confirming, commitConfirmed, measureChange } from './confirm-writes.ts';
import { findReason, type Reason, refuseForbidden, requireCountable } from './judge-writes.ts';
import { runList } from './run-changes.ts';
import { type Outcome, replyWritten } from './write-reply.ts';

interface Writes extends Target {
  dry_run: boolean;
  /** The statements, in the form of the engine that is found. */
  bind(grammar: SqlGrammar): readonly { sql: string; params: readonly CallerParam[] }[];
}

/** Runs changing statements, if the connection may be written to: all of them, or none. A person is asked where the policy wants it. */
export async function runWrites(tools: SqlTools, writes: Writes, context: ToolContext): Promise<ToolReply> {
  const { approval } = context;
  let isConnected = false;
  const written = tools.use(writes, context, async (call): Promise<Outcome | { change: Change }> => {
    isConnected = true;
    const statements = writes.bind(call.backend.grammar);
    const texts = statements.map(({ sql }) => sql);
    refuseForbidden(call, texts);
    const run = { call, statements, sinks: texts.map(() => new TableSink({ once: true, growCells: true })) };
    if (writes.dry_run) return await runUnasked(run, true);
    const reason = approval.isAnswered || approval.mustConfirm ? asked : await findReason(call, texts);
    if (reason !== undefined) return await confirm(run, reason, context);
    return await runUnasked(run, false).catch((error: unknown) => confirmLarge(error, run, context));
  });
  const outcome = await written.catch((error: unknown) => Promise.reject(isConnected ? error : beforeStart(error)));
  // The session is free again while a person thinks.
  return 'change' in outcome ? await approval.ask(outcome.change) : replyWritten(outcome, approval.confirmedBy);
}

const asked: Reason = { code: 'E_APPROVAL_NEEDED', text: 'a person has to confirm the change' };

interface Run {
  call: Call;
  statements: Confirming['statements'];
  sinks: readonly TableSink[];
}

/** A write goes on to its end, whatever becomes of the rows that it returns. */
function toEnd(sink: TableSink) {
  return { columns: sink.columns.bind(sink), row: (cells: Parameters<TableSink['row']>[0]) => sink.row(cells) || true };
}

async function runUnasked({ call, statements, sinks }: Run, isDryRun: boolean): Promise<Outcome> {
  const { grammar } = call.backend;
  const maxChanged = isDryRun
    ? undefined
    : requireCountable(
        call,
        statements.map(({ sql }) => sql),
        grammar,
      );
  const [only] = statements;
  if (statements.length > 1 || only === undefined) {
    const shapes = maxChanged === undefined ? undefined : statements.map(() => noShape);
    const bound = statements.map(({ sql, params }) => call.backend.bind(sql, params));
    const options = { call, statements: bound, shapes, sinks: sinks.map(toEnd), keepPerCell: defaultBudget, isDryRun };
    const { ends } = await runList(options, maxChanged);
    return { ends, sinks, isDryRun };
  }
  const { sql, params } = only;
  const [sink = new TableSink({})] = sinks;
  const request = { sql, params, dryRun: isDryRun, maxChanged, keepPerCell: defaultBudget, timeoutMs: call.engineMs };
  const end = await withNameSuggestions(call, sql, () => call.backend.write(request, toEnd(sink), call.options));
  return { ends: [end], sinks, isDryRun, isPassing: !isDryRun && grammar.endsWithCall(sql) };
}

/** The first round measures and asks; the next one commits what was confirmed. */
async function confirm(run: Run, reason: Reason, { approval }: ToolContext): Promise<Outcome | { change: Change }> {
  const { call, statements } = run;
  if (!approval.isAnswered) return { change: await measureChange({ call, statements, reason }) };
  const { counts, why } = await approval.accept(bindTo(call));
  const sinks = run.sinks.map(toEnd);
  const done = await commitConfirmed({ call, statements, reason: why }, counts, { sinks, keepPerCell: defaultBudget });
  if ('change' in done) return done;
  const isPassing = statements.length === 1 && call.backend.grammar.endsWithCall(statements[0]?.sql ?? '');
  return { ends: done.ends, sinks: run.sinks, isDryRun: false, isPassing };
}

/** Nothing has changed when the policy limits rows, so a person can be asked. */
async function confirmLarge(error: unknown, run: Run, context: ToolContext): Promise<Outcome | { change: Change }> {
  if (!(error instanceof Failure) || error.code !== 'E_TOO_MANY_ROWS') throw error;
  return await confirm(run, { code: error.code, text: error.message.replace('; rolled back', '') }, context);
}
