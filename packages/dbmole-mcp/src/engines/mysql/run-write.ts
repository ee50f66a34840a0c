import { Failure } from '@dbmole/core';
import type { RowSink, WriteEnd, WriteRequest } from '../../engine.ts';
import { collectRows } from './collect-rows.ts';
import { quoteError } from './failure.ts';
import { type Flavour, formatWriteSettings } from './flavour.ts';
import type { Link, QueryEnd } from './link.ts';
import { ResultRows } from './result-rows.ts';
import { refuseWithoutTransactions } from './rollable-tables.ts';
import { runStatement } from './run-statement.ts';
import { commandOf, countsRows } from './statement-kind.ts';
import type { Watched } from './watch.ts';

export interface WriteRun extends Omit<Watched, 'timeoutMs' | 'discard'> {
  request: WriteRequest;
  sink: RowSink;
  flavour: Flavour;
}

/** The engine's number of the warning that a ROLLBACK did not take everything back. */
const notRolledBack = '1196';

export interface Written extends WriteEnd {
  /** The database that the statement changed to. */
  database: string | undefined;
}

/** The statement in a transaction of its own. Whatever goes wrong before COMMIT, the caller's reset rolls back. */
export async function runWrite(run: WriteRun): Promise<Written> {
  const { request, link, flavour } = run;
  // A transaction that is begun inside a read-only one would inherit that.
  await link.query('ROLLBACK');
  await link.query(formatWriteSettings(flavour, request.timeoutMs));
  if (request.dryRun) await refuseWithoutTransactions(link, request.sql);
  await link.query('START TRANSACTION');
  try {
    const { end, rows } = await runInside(run);
    const changed = countChanges(request.sql, end, rows);
    await finish(run, end);
    const { moreResults } = rows;
    const more = moreResults === 0 ? {} : { moreResults };
    return { changed, command: commandOf(request.sql), database: end.database, ...more };
  } catch (error) {
    if (link.lost !== undefined && !request.dryRun) throw outcomeUnknown(error);
    throw error;
  }
}

async function runInside(run: WriteRun): Promise<{ end: QueryEnd; rows: ResultRows }> {
  const { request, sink } = run;
  const rows = new ResultRows(sink, { keepPerCell: request.keepPerCell, countAll: true });
  const { sql, params, timeoutMs } = request;
  try {
    return { rows, end: await runStatement({ ...run, sql, params, timeoutMs, rows, stopOnEnough: false }) };
  } catch (error) {
    // Says so if a part of it stayed.
    if (run.link.lost === undefined) await rollBack(run.link, error);
    throw error;
  }
}

/** A statement that returns the rows it changed (RETURNING) does not say how many they are. */
function countChanges(sql: string, { affectedRows }: QueryEnd, rows: ResultRows): number | undefined {
  if (countsRows(sql)) return rows.returned ? rows.count : affectedRows;
  return affectedRows === 0 ? undefined : affectedRows;
}

/** A commit is not stopped: whether it came through would be unknown. */
async function finish({ request, link }: WriteRun, { inTransaction }: QueryEnd): Promise<void> {
  if (request.dryRun && !inTransaction) throw keptFailure('the statement committed by itself');
  if (request.dryRun) await rollBack(link);
  else await link.query('COMMIT');
}

async function rollBack(link: Link, cause?: unknown): Promise<void> {
  const { warnings } = await link.query('ROLLBACK');
  if (warnings === 0) return;
  const found = (await collectRows(link, 'SHOW WARNINGS')).find(([, number]) => number === notRolledBack);
  if (found !== undefined) throw keptFailure('a table of it has no transactions', cause);
}

function keptFailure(why: string, cause?: unknown): Failure {
  const after = cause instanceof Error ? ` (after: ${cause instanceof Failure ? cause.message : quoteError(cause.message)})` : '';
  return new Failure('engine', `what the statement changed was NOT rolled back: ${why}${after}`, {
    code: 'E_NOT_ROLLED_BACK',
    hint: 'Look at the rows and undo the change by hand if it was not wanted.',
    cause,
  });
}

function outcomeUnknown(cause: unknown): Failure {
  return new Failure('connection', 'the connection was lost while the statement ran: whether it took effect is unknown', {
    code: 'E_OUTCOME_UNKNOWN',
    hint: 'Look at the rows that it would have changed before you run it again.',
    cause,
  });
}
