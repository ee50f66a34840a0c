import { randomBytes } from 'node:crypto';
import { Failure, formatAbort } from '@dbmole/core';
import type { WriteEnd, WriteRequest } from '../../../engine.ts';
import { afterStop, staleFailure } from '../../../failure.ts';
import { exportRows } from '../../../next-steps.ts';
import { refuseUncounted, tooManyRows } from '../../../policy/uncounted-rows.ts';
import { formatTag } from '../../../statement/format-tag.ts';
import { isStatementEnded, quoteError, toFailure, type Where } from '../errors/failure.ts';
import { hideValues } from '../errors/protected-failure.ts';
import { command, ServerError, statement, sync } from '../wire/messages.ts';
import type { Segment } from '../wire/segment.ts';
import { noDryRunFailure } from './dry-run.ts';
import { beginning } from './grammar.ts';

const begin = command('begin');
const commit = command('commit');
/** What would only fail at the COMMIT fails in a dry run as well. */
const undo = Buffer.concat([command('set constraints all immediate'), command('rollback')]);

/** Counts the tags in front of the one of the caller's statement. */
function countBefore({ dryRun, maxChanged }: Limited, outside: boolean): number {
  if (outside) return 0;
  return dryRun || maxChanged === undefined ? 2 : 3;
}

type Limited = Pick<WriteRequest, 'dryRun' | 'maxChanged'>;

/** The COMMIT is part of the same write: when the statement fails, the server skips it. */
export function formatWrite(request: WriteRequest, prelude: Buffer): Buffer {
  const { params, dryRun, maxChanged } = request;
  if (copiesOut.test(request.sql)) throw copyOutFailure();
  const sql = formatTag(request) + request.sql;
  const limit = dryRun || maxChanged === undefined ? undefined : formatLimit(maxChanged);
  const ends = dryRun ? undo : commit;
  const parts = limit ? [limit.before, statement(sql, params, 0), limit.behind, ends] : [statement(sql, params, 0), ends];
  return Buffer.concat([begin, prelude, ...parts, sync]);
}

/**
 * Fails behind the statement if more rows changed, with those of cascades and triggers, or if the server does not count them; the server
 * then skips the COMMIT. The counts include earlier transactions of the session, so they are read before the statement as well; the
 * statement cannot guess the setting that keeps them. Operators are qualified, because the search path is that of the caller.
 */
function formatLimit(maxChanged: number): { before: Buffer; behind: Buffer } {
  const [plus, minus] = ['operator(pg_catalog.+)', 'operator(pg_catalog.-)'];
  const setting = `'dbmole.r${randomBytes(12).toString('hex')}'`;
  const rows = `t.n_tup_ins ${plus} t.n_tup_upd ${plus} t.n_tup_del`;
  const sum = `coalesce((select pg_catalog.sum(${rows}) from pg_catalog.pg_stat_xact_user_tables t), 0)`;
  const isCounted = `pg_catalog.current_setting('track_counts') operator(pg_catalog.=) 'on'`;
  const changed = `${sum} ${minus} pg_catalog.current_setting(${setting})::pg_catalog.numeric`;
  const isFew = `(${changed}) operator(pg_catalog.<=) ${maxChanged}::pg_catalog.numeric`;
  return {
    before: command(`select pg_catalog.set_config(${setting}, ${sum}::pg_catalog.text, true)`),
    behind: command(`select 1 operator(pg_catalog./) (case when ${isCounted} and ${isFew} then 1 else 0 end)`),
  };
}

const divisionByZero = '22012';

/** Formats statements that cannot run in a transaction; they may not share a Sync. */
export function formatWriteOutside(request: WriteRequest, prelude: Buffer): Buffer {
  return Buffer.concat([prelude, sync, statement(formatTag(request) + request.sql, request.params, 0), sync]);
}

/** A procedure or a block may COMMIT between its steps, which the server allows only outside our transaction. */
const endingItself = beginning(String.raw`(?:call|do)\b`);

/**
 * Whether it has to be run outside from the start: an error of it may come after something was committed, so it is not run twice.
 */
export function mayEndTransactions({ sql, dryRun, maxChanged }: WriteRequest): boolean {
  const ends = !dryRun && endingItself.test(sql);
  if (ends && maxChanged !== undefined) throw refuseUncounted('a procedure or a block may commit by itself');
  return ends;
}

/** Other errors have the same code, and all texts are translated; the name of the server's function is not. */
export function isOutsideOnly({ error }: Segment): boolean {
  return (
    error?.code === '25001' && (error.routine === 'PreventInTransactionBlock' || error.routine === 'PreventTransactionChain')
  );
}

/** What the server says when it is asked to run it in a transaction. */
export function serverNoDryRun(error: ServerError): Failure {
  return noDryRunFailure(quoteError(error), { engineCode: error.code });
}

interface WriteContext {
  request: WriteRequest;
  /** It ran outside our transaction. */
  outside: boolean;
  signal: AbortSignal;
  where: Where;
}

/** Undefined when it did what it was asked to do. */
export function writeFailure(segment: Segment, context: WriteContext): Failure | undefined {
  const { lost, answered, empty } = segment;
  const error = context.request.hidesValues === true ? hideValues(segment.error) : segment.error;
  const ended = segment.tags.length - countBefore(context.request, context.outside);
  // The answer to the COMMIT is the truth, whatever came after it. Without our own, the commit comes after the answer.
  const committed = ended >= listStatements(context) && !(context.outside && segment.failed);
  if (committed) return empty ? emptyFailure() : undefined;
  const { maxChanged } = context.request;
  // The statement has ended, and the limit behind it has not.
  if (maxChanged !== undefined && ended === 1 && error?.code === divisionByZero) return tooManyRows(maxChanged);
  if (error?.fatal && !answered) return staleFailure();
  if (lost !== undefined && !isOurs(lost) && isDoubtful(segment, context, ended)) return unknownFailure(lost);
  return knownFailure(error ?? lost, context);
}

/** The caller's; then the COMMIT, or the two that undo it. */
function listStatements({ request, outside }: WriteContext): number {
  if (outside) return 1;
  return request.dryRun || request.maxChanged !== undefined ? 3 : 2;
}

interface PartContext {
  sql: string;
  hidesValues: boolean;
  signal: AbortSignal;
  where: Where;
}

/** The failure of one statement of a transaction that is not committed yet. */
export function partFailure(segment: Segment, { sql, hidesValues, signal, where }: PartContext): Failure | undefined {
  const { lost, answered, empty } = segment;
  const error = hidesValues ? hideValues(segment.error) : segment.error;
  if (error === undefined && lost === undefined) return empty ? emptyFailure() : undefined;
  if (error !== undefined && isOutsideOnly(segment)) return serverNoDryRun(error);
  if (error?.fatal && !answered) return staleFailure();
  return knownFailure(error ?? lost, { request: { sql, params: [], dryRun: true, ...unlimited }, outside: false, signal, where });
}

const unlimited = { timeoutMs: 0, keepPerCell: 0 };

/** The failure of a COMMIT that was sent alone. Without an answer to it, its outcome is unknown. */
export function commitFailure(segment: Segment, { hidesValues, signal, where }: Omit<PartContext, 'sql'>): Failure | undefined {
  const { lost, tags } = segment;
  const error = hidesValues ? hideValues(segment.error) : segment.error;
  if (error === undefined && lost === undefined && tags[0] === 'COMMIT') return undefined;
  if (error !== undefined && !error.fatal) return signal.aborted ? formatAbort(signal) : toFailure(error, where);
  if (lost !== undefined || error !== undefined) return unknownFailure(lost ?? error ?? new Error('lost'));
  return new Failure('engine', 'the server rolled the transaction back instead of committing it', { code: 'E_ENGINE' });
}

function knownFailure(error: unknown, { request, outside, signal, where }: WriteContext): Failure {
  if (error instanceof ServerError && error.code === '25006') return readOnlyFailure(error);
  if (error instanceof ServerError && error.code === endedInside && request.dryRun) return serverNoDryRun(error);
  const stopped = isStatementEnded(error) || (error instanceof Failure && !isOurs(error));
  if (!signal.aborted || !stopped) return toFailure(error, where, request.sql);
  return afterStop(formatAbort(signal), !outside);
}

/** Its own COMMIT inside our transaction. */
const endedInside = '2D000';

/** In a write, we did not cause it. */
function readOnlyFailure(error: ServerError): Failure {
  return new Failure('engine', quoteError(error), {
    code: 'E_SERVER_READONLY',
    hint: 'Use the primary, or unset `default_transaction_read_only`: the server or the user allows only reads.',
    engineCode: error.code,
    cause: error,
  });
}

/** We closed the connection because of what the statement would do; it was not run. */
function isOurs(lost: Error): boolean {
  return lost instanceof Failure && lost.kind === 'input';
}

/** Whether something may have changed although no answer confirmed it. */
function isDoubtful({ error }: Segment, { request, outside }: WriteContext, ended: number): boolean {
  if (request.dryRun) return false;
  if (error === undefined) return true;
  // The answers come in order: before the statement had ended there was no COMMIT.
  return error.fatal && (outside || ended > 0);
}

function unknownFailure(cause: Error): Failure {
  return new Failure('connection', 'the connection was lost; it is unknown whether the statement took effect', {
    code: 'E_OUTCOME_UNKNOWN',
    hint: 'Check with a read whether it took effect before you repeat it.',
    cause,
  });
}

function emptyFailure(): Failure {
  return new Failure('input', 'the statement is empty');
}

const copiesOut = beginning(String.raw`copy\b[^;]*\bto\s+stdout\b`);

/** Its data would go by unseen, and its count be taken for rows that were changed. */
function copyOutFailure(): Failure {
  return new Failure('input', 'COPY … TO STDOUT is not supported', {
    hint: [{ call: 'query', to: 'read the rows' }, exportRows],
  });
}

const counting = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'COPY', 'CREATE TABLE AS']);
const creating = beginning(String.raw`create\b`);
const materializing = beginning(String.raw`create\s+materialized\b`);

/** Reads the server's tag: `INSERT 0 5`, `UPDATE 3`, `CREATE TABLE`. */
export function parseWriteEnd(
  { tags, copied }: Segment,
  outside: boolean,
  request: Limited & Pick<WriteRequest, 'sql'>,
): WriteEnd {
  const { sql } = request;
  const tag = tags[countBefore(request, outside)] ?? '';
  const command = readCommand(tag.replace(/(?: \d+)+$/, ''), sql);
  const count = /\d+$/.exec(tag)?.[0];
  return { command, changed: count !== undefined && counting.has(command) && !copied ? Number(count) : undefined };
}

/** A table that is made from a query has the query's tag. */
function readCommand(tag: string, sql: string): string {
  if (tag !== 'SELECT' || !creating.test(sql)) return tag;
  return materializing.test(sql) ? 'CREATE MATERIALIZED VIEW' : 'CREATE TABLE AS';
}
