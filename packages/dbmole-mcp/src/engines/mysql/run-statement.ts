import { Failure } from '@dbmole/core';
import type { Param } from '../../engine.ts';
import type { Link, QueryEnd } from './link.ts';
import { prepareWithParams } from './params.ts';
import type { ResultRows } from './result-rows.ts';
import { Watch, type Watched } from './watch.ts';

export interface StatementRun extends Omit<Watched, 'discard'> {
  sql: string;
  params: readonly Param[];
  rows: ResultRows;
  /** A read: when the sink has enough, the engine is stopped. A write goes on to its end. */
  stopOnEnough: boolean;
  /** A query of the caller: before it runs, the engine itself has to say that it gives rows. */
  mustGiveRows?: boolean;
}

/** The engine's number for a statement that was stopped. */
const interrupted = 1317;

/** Runs one statement of the caller, and does not return before the engine is done with it and with whatever stopped it. */
export async function runStatement(run: StatementRun): Promise<QueryEnd> {
  run.signal.throwIfAborted();
  if (run.closing.aborted) throw closedFailure();
  const watch = new Watch({ discard: () => run.rows.discard(), ...run });
  if (run.stopOnEnough) run.rows.onEnough = () => watch.enough();
  const outcome = await attempt(run, watch);
  watch.settle();
  await watch.absorbKill();
  return judge(run, watch, outcome);
}

interface Outcome {
  end?: QueryEnd;
  error?: unknown;
}

async function attempt({ link, sql, params, rows, mustGiveRows = false }: StatementRun, watch: Watch): Promise<Outcome> {
  try {
    if (mustGiveRows) await refuseWithoutRows(link, sql);
    if (watch.stopped) return {};
    const text = params.length === 0 ? sql : await prepareWithParams(link, sql, params);
    // A KILL between two steps may have hit neither.
    if (watch.stopped) return {};
    return { end: await link.query(text, rows) };
  } catch (error) {
    return { error };
  }
}

/**
 * A second opinion on what the guard has let pass: the engine reads the text with its own eyes, as one statement, and a query that
 * writes its result elsewhere gives no columns.
 */
async function refuseWithoutRows(link: Link, sql: string): Promise<void> {
  if ((await link.countColumns(sql)) > 0) return;
  throw new Failure('refused', 'the engine says that the statement gives no rows, so it is not a read', {
    code: 'E_NOT_A_READ',
    hint: 'Use `execute`, on a connection that is not readonly.',
  });
}

/** The engine may call a statement a success that was stopped, so why it was stopped is asked first. */
function judge({ signal, timeoutMs, rows }: StatementRun, { cause, expired }: Watch, { end, error }: Outcome): QueryEnd {
  // It committed by itself before it could be stopped.
  if (end !== undefined && !end.inTransaction) return end;
  if (cause === 'aborted') throw signal.reason;
  if (cause === 'closed') throw closedFailure();
  if (cause === 'enough' && rows.error === undefined && isInterruption(error)) return stoppedEnd;
  if (expired) {
    throw new Failure('timeout', `the statement was stopped after ${timeoutMs} ms`, {
      hint: 'Narrow the statement, or allow it more time.',
      cause: error,
    });
  }
  if (rows.error !== undefined) throw rows.error;
  if (end === undefined) throw error;
  return end;
}

function closedFailure(): Failure {
  return new Failure('cancelled', 'the connection was closed meanwhile');
}

const stoppedEnd: QueryEnd = { affectedRows: undefined, warnings: 0, inTransaction: true, database: undefined };

function isInterruption(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'errno') === interrupted;
}
