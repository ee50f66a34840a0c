import { Failure } from '@dbmole/core';
import type { RowSink, WriteEnd, WriteRequest } from '../../../engine.ts';
import { afterStop } from '../../../failure.ts';
import { refuseUncounted, tooManyRows } from '../../../policy/uncounted-rows.ts';
import { quoteError } from '../errors/failure.ts';
import { type Flavour, formatWriteSettings } from '../flavour.ts';
import { collectRows, UserRows } from '../values/user-rows.ts';
import type { Conversation, QueryEnd } from '../wire/conversation.ts';
import type { Watched } from '../wire/stop.ts';
import { refuseWithoutTransactions } from './dry-run.ts';
import { runStatement } from './run-statement.ts';
import { countsRows, isDefinition, readCommand } from './statement-kind.ts';

interface WriteRun extends Omit<Watched, 'timeoutMs' | 'discard'> {
  request: WriteRequest;
  sink: RowSink;
  flavour: Flavour;
}

/** The engine's number of the warning that a ROLLBACK did not take everything back. */
const notRolledBack = '1196';

interface Written extends WriteEnd {
  /** The database that the statement changed to. */
  database: string | undefined;
}

/** Runs the statement in its own transaction. The caller's reset rolls back after any failure before COMMIT. */
export async function runWrite(run: WriteRun): Promise<Written> {
  const { request, conversation, flavour } = run;
  // A transaction that is begun inside a read-only one would inherit that.
  await conversation.query('ROLLBACK');
  await conversation.query(formatWriteSettings(flavour, request.timeoutMs));
  if (request.dryRun) await refuseWithoutTransactions(conversation, request.sql);
  if (isLimited(request)) await refuseUncountedTables(run);
  await conversation.query('START TRANSACTION');
  try {
    const { end, rows } = await runInside(run);
    const changed = countChanges(request.sql, end, rows);
    await refuseMany(run, changed ?? 0);
    await finish(run, end);
    const { moreResults } = rows;
    const more = moreResults === 0 ? {} : { moreResults };
    return { changed, command: readCommand(request.sql), database: end.database, ...more };
  } catch (error) {
    if (conversation.lost !== undefined && !request.dryRun) throw outcomeUnknown(error);
    throw error;
  }
}

/** Definitions commit by themselves and are not counted. */
function isLimited({ sql, dryRun, maxChanged }: WriteRequest): boolean {
  return maxChanged !== undefined && !dryRun && !isDefinition(sql);
}

async function refuseUncountedTables({ conversation, request }: WriteRun): Promise<void> {
  try {
    await refuseWithoutTransactions(conversation, request.sql);
  } catch (error) {
    const isRefusal = error instanceof Failure && error.code === 'E_NO_DRY_RUN';
    throw isRefusal ? refuseUncounted('one of its tables has no transactions') : error;
  }
}

async function refuseMany({ request, conversation }: WriteRun, changed: number): Promise<void> {
  const { maxChanged = changed } = request;
  if (!isLimited(request) || changed <= maxChanged) return;
  await rollBack(conversation);
  throw tooManyRows(maxChanged, changed);
}

export async function runInside(run: WriteRun): Promise<{ end: QueryEnd; rows: UserRows }> {
  const { request, sink } = run;
  const rows = new UserRows(sink, { keepPerCell: request.keepPerCell, countAll: true });
  const { sql, params, tag, timeoutMs } = request;
  try {
    return { rows, end: await runStatement({ ...run, sql, params, tag, timeoutMs, rows, stopOnEnough: false }) };
  } catch (error) {
    // This throws another error if the rollback is incomplete.
    if (run.conversation.lost !== undefined) throw error;
    await rollBack(run.conversation, error);
    throw afterStop(error, countsRows(sql));
  }
}

/** A statement that returns the rows it changed (RETURNING) does not say how many they are. */
export function countChanges(sql: string, { affectedRows }: QueryEnd, rows: UserRows): number | undefined {
  if (countsRows(sql)) return rows.returned ? rows.count : affectedRows;
  // For definitions the engine counts files, or rows that it copied.
  return affectedRows === 0 || (isDefinition(sql) && readCommand(sql) !== 'CREATE TABLE') ? undefined : affectedRows;
}

/** Commits or rolls back. A commit is not stopped, because its outcome would be unknown. */
async function finish({ request, conversation }: WriteRun, { inTransaction }: QueryEnd): Promise<void> {
  if (request.dryRun && !inTransaction) throw keptFailure('the statement committed by itself');
  if (request.dryRun) await rollBack(conversation);
  else await conversation.query('COMMIT');
}

export async function rollBack(conversation: Conversation, cause?: unknown): Promise<void> {
  const { warnings } = await conversation.query('ROLLBACK');
  if (warnings === 0) return;
  const found = (await collectRows(conversation, 'SHOW WARNINGS')).find(([, number]) => number === notRolledBack);
  if (found !== undefined) throw keptFailure('one of its tables has no transactions', cause);
}

export function keptFailure(why: string, cause?: unknown): Failure {
  const after = cause instanceof Error ? ` (after: ${cause instanceof Failure ? cause.message : quoteError(cause.message)})` : '';
  return new Failure('engine', `the change was NOT rolled back: ${why}${after}`, {
    code: 'E_NOT_ROLLED_BACK',
    hint: 'Check the rows, and undo the change by hand if it was not intended.',
    cause,
  });
}

export function outcomeUnknown(cause: unknown): Failure {
  return new Failure('connection', 'the connection was lost while the statement ran; it is unknown whether it took effect', {
    code: 'E_OUTCOME_UNKNOWN',
    hint: 'Check with a read whether it took effect before you repeat it.',
    cause,
  });
}
