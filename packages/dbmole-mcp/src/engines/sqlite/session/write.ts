import { Failure } from '@dbmole/core';
import type { RowSink, WriteEnd, WriteRequest } from '../../../engine.ts';
import { tooManyRows } from '../../../policy/uncounted-rows.ts';
import type { DoneMessage } from '../process/messages.ts';
import { SqliteError } from '../wire/database-process.ts';
import { type OpenFile, own } from './file-call.ts';
import { RowRelay } from './row-relay.ts';
import { countsRows, readCommand } from './statement-kind.ts';
import { commitsItself, refuseUnwritable } from './writable.ts';

/** Runs the statement in its own transaction. The file is closed after any failure, which rolls back. */
export async function runWrite(file: OpenFile, request: WriteRequest, sink: RowSink): Promise<WriteEnd> {
  const { sql, dryRun, maxChanged } = request;
  refuseUnwritable(sql);
  if (dryRun) refuseUnlessRollable(sql);
  if (commitsItself(sql)) {
    await runInside(file, request, sink);
    return { changed: undefined, command: readCommand(sql) };
  }
  await file.run(own('begin immediate'));
  const { end, allChanged } = await runInside(file, request, sink);
  if (dryRun) await file.run(own('rollback'));
  else if (maxChanged !== undefined && allChanged > maxChanged) throw tooManyRows(maxChanged, allChanged);
  else await commit(file);
  return end;
}

/** Throws for a statement that a rollback would not take back. */
export function refuseUnlessRollable(sql: string): void {
  if (!commitsItself(sql)) return;
  throw new Failure('refused', `${readCommand(sql)} has no dry run: SQLite cannot run it in a transaction`, {
    code: 'E_NO_DRY_RUN',
    hint: 'Run it without the dry run if that is intended.',
  });
}

interface Ran {
  end: WriteEnd;
  /** The number with the rows of triggers and foreign keys. */
  allChanged: number;
}

export async function runInside(
  file: OpenFile,
  { sql, params, keepPerCell }: Pick<WriteRequest, 'sql' | 'params' | 'keepPerCell'>,
  sink: RowSink,
): Promise<Ran> {
  const { maxColumns } = sink;
  const done = await file.run({ sql, params, keepPerCell, maxColumns, isFree: true }, new RowRelay(sink, true));
  const command = readCommand(sql);
  return { end: { changed: countsRows(command) ? done.changed : undefined, command }, allChanged: readAllChanged(command, done) };
}

/** SQLite counts rows of its own catalog for definitions. */
function readAllChanged(command: string, { allChanged = 0 }: DoneMessage): number {
  return countsRows(command) ? allChanged : 0;
}

export async function commit(file: OpenFile): Promise<void> {
  file.protect();
  try {
    await file.run(own('commit'));
  } catch (error) {
    throw error instanceof SqliteError ? error : outcomeUnknown(error);
  }
}

function outcomeUnknown(cause: unknown): Failure {
  return new Failure('connection', 'the process was lost while it committed; it is unknown whether the statement took effect', {
    code: 'E_OUTCOME_UNKNOWN',
    hint: 'Check with a read whether it took effect before you repeat it.',
    cause,
  });
}
