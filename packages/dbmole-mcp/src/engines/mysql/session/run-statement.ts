import { randomBytes } from 'node:crypto';
import { Failure } from '@dbmole/core';
import { BoundedCache } from '../../../backend/bounded-cache.ts';
import type { Param } from '../../../engine.ts';
import { useExecute } from '../../../next-steps.ts';
import { formatTag } from '../../../statement/format-tag.ts';
import { formatLiteral } from '../values/literal.ts';
import type { RowHandler } from '../values/row-reader.ts';
import type { UserRows } from '../values/user-rows.ts';
import type { Conversation, QueryEnd } from '../wire/conversation.ts';
import { Watch, type Watched } from '../wire/stop.ts';

interface StatementRun extends Omit<Watched, 'discard'> {
  sql: string;
  params: readonly Param[];
  tag?: string | undefined;
  rows: UserRows;
  /** Stops the engine when the sink has enough rows. A write continues to its end. */
  stopOnEnough: boolean;
  /** The engine must prepare the query and report columns before it runs. */
  mustGiveRows?: boolean;
}

/** The engine's error number for a stopped statement. */
const interrupted = 1317;

/** Runs one statement of the caller, and returns after the engine has ended it and a KILL that it may have caused. */
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

async function attempt(run: StatementRun, watch: Watch): Promise<Outcome> {
  const { conversation, sql, params, rows, mustGiveRows = false } = run;
  try {
    if (mustGiveRows) await refuseWithoutRows(conversation, sql);
    if (watch.stopped) return {};
    const text = formatTag(run) + sql;
    const end = params.length === 0 ? conversation.query(text, rows) : queryWithParams(conversation, { sql: text, params }, rows);
    return { end: await end };
  } catch (error) {
    return { error };
  }
}

/**
 * Checks an accepted text a second time: the engine prepares it as one statement, and a query that writes its result elsewhere has no
 * columns.
 */
async function refuseWithoutRows(conversation: Conversation, sql: string): Promise<void> {
  if ((await conversation.countColumns(sql)) > 0) return;
  throw new Failure('refused', 'the server reports that the statement returns no rows, so it is not a read', {
    code: 'E_NOT_A_READ',
    hint: useExecute,
  });
}

/** Returns the end or throws. The engine may report a stopped statement as a success, so the cause of the stop counts first. */
function judge({ signal, timeoutMs, rows }: StatementRun, { cause, expired }: Watch, { end, error }: Outcome): QueryEnd {
  // The statement committed implicitly before it could be stopped.
  if (end !== undefined && !end.inTransaction) return end;
  if (cause === 'aborted') throw signal.reason;
  if (cause === 'closed') throw closedFailure();
  if (cause === 'enough' && rows.error === undefined && isInterruption(error)) return stoppedEnd;
  if (expired) {
    throw new Failure('timeout', `the statement was stopped after ${timeoutMs} ms`, {
      hint: 'Narrow the statement, or allow more time.',
      cause: error,
    });
  }
  if (rows.error !== undefined) throw rows.error;
  if (end === undefined) throw error;
  return end;
}

function closedFailure(): Failure {
  return new Failure('cancelled', 'the connection was closed before the statement ended');
}

const stoppedEnd: QueryEnd = { affectedRows: undefined, warnings: 0, inTransaction: true, database: undefined };

function isInterruption(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'errno') === interrupted;
}

/** Statements for which the engine reported columns, by their text and the mode that it was parsed in. */
export class PreparedTexts {
  readonly #texts = new BoundedCache<true>();

  has(sql: string, sqlMode: string): boolean {
    return this.#texts.get(toKey(sql, sqlMode)) === true;
  }

  add(sql: string, sqlMode: string): void {
    this.#texts.add(toKey(sql, sqlMode), true);
  }
}

/** The key is unique, because no mode has a line break. */
function toKey(sql: string, sqlMode: string): string {
  return `${sqlMode}\n${sql}`;
}

/**
 * Runs a statement with values for its placeholders. The values travel through variables of the session because a statement that is
 * executed with values bound directly answers in the binary protocol, where a FLOAT is not what the engine would print, and a date is
 * not a text at all.
 *
 * All three statements are sent before the first one is answered. The name of the statement is random, because another read of the
 * list may have set a variable: when SET fails or is killed, PREPARE must find nothing that the guard has not accepted.
 */
async function queryWithParams(
  conversation: Conversation,
  { sql, params }: { sql: string; params: readonly Param[] },
  rows: RowHandler,
): Promise<QueryEnd> {
  const name = `dbmole_${randomBytes(12).toString('hex')}`;
  const names = params.map((_, index) => `@dbmole_${index + 1}`);
  const assignments = params.map((param, index) => `${names[index]}=${formatParam(param, index)}`);
  const assigned = conversation.query(`SET ${[`@${name}=${formatLiteral(sql)}`, ...assignments].join(', ')}`);
  const prepared = conversation.query(`PREPARE ${name} FROM @${name}`);
  const executed = conversation.query(`EXECUTE ${name} USING ${names.join(', ')}`, rows);
  await Promise.allSettled([assigned, prepared, executed]);
  // When one fails, those after it fail too, and the first error is the reason.
  await assigned;
  await prepared;
  return await executed;
}

function formatParam(param: Param, index: number): string {
  if (typeof param === 'number' && !Number.isFinite(param)) {
    throw new Failure('input', `invalid param ${index + 1} ${param}: expected a finite number`, { code: 'E_PARAMS' });
  }
  // A number with a point would be a DECIMAL, which other values are compared with in another way.
  return typeof param === 'number' && !Number.isSafeInteger(param) ? `${param}+0e0` : formatLiteral(param);
}
