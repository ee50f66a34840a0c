import { Failure, formatAbort } from '@dbmole/core';
import { staleFailure } from '../../../failure.ts';
import type { UserRows } from '../values/user-rows.ts';
import type { Segment } from '../wire/segment.ts';
import { isStatementEnded, toFailure, type Where } from './failure.ts';

interface ReadContext {
  sql: string;
  signal: AbortSignal;
  where: Where;
}

/** Undefined when the read did what it was asked to do; otherwise what is to be thrown. */
export function readFailure(segment: Segment, rows: UserRows, { sql, signal, where }: ReadContext): unknown {
  const { error, lost } = segment;
  if (rows.crash !== undefined) return rows.crash.error;
  if (signal.aborted && (lost !== undefined || isStatementEnded(error))) return formatAbort(signal);
  if (rows.enough && isStatementEnded(error)) return undefined;
  if (error?.fatal && !segment.answered) return staleFailure();
  if (error !== undefined || lost !== undefined) return toFailure(error ?? lost, where, sql);
  if (segment.empty) return new Failure('input', 'the statement is empty');
  if (segment.copied) return new Failure('input', 'COPY … TO STDOUT returns no rows', { hint: 'Use SELECT.' });
  return undefined;
}
