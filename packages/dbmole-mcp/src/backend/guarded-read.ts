import { Failure, maxAttempts, type ProtectValue, retry, untilAborted } from '@dbmole/core';
import type { CatalogRun, ReadEnd, ReadRequest, RowSink, Session, SessionRead, SnapshotRead } from '../engine.ts';
import { premiseCode, type ReadGuard, type ReadStatement } from '../guard/read-statement.ts';
import { keepForPseudonyms, protectColumns, withProtection } from '../policy/column-sink.ts';
import type { Scope } from '../policy/scope.ts';
import type { CallOptions } from './backend.ts';
import type { SessionPool } from './session-pool.ts';

/** What there is of each database. */
export interface DatabaseEntry {
  readonly pool: SessionPool;
  readonly guard: ReadGuard;
  /** Shows the values of protected columns as the policy says; undefined where no column is protected. */
  readonly protect: ProtectValue | undefined;
  /** What writes must not leave; undefined where nothing is limited. */
  readonly scope: Scope | undefined;
  /** Until then, what the guard knows for all calls is not worth trying. */
  unstableUntil: number;
}

/** How one call reaches the catalog. */
export interface GuardedCall {
  options: CallOptions;
  run: CatalogRun;
  /** Throws for a statement that the door must not be asked for, whatever the guard says. */
  refuse(sql: string): void;
  /** Refuses an accepted read that would cost too much, in the session that is about to run it. Absent without a policy. */
  admit?(session: Session, request: ReadRequest): Promise<string | undefined>;
  /** Over reads that all see one snapshot. */
  runOver(read: SnapshotRead): CatalogRun;
  /** The failure with the next step that this engine knows for it. */
  hint(failure: Failure, sql: string): Failure;
}

/** A read that the guard has not checked yet; one of our own has its statement. */
interface UncheckedRead {
  request: Omit<ReadRequest, 'statement'> & { sql: string; statement?: ReadStatement };
  sink: RowSink;
}

type CheckOne = (sql: string) => Promise<ReadStatement>;

interface Work<C, T> {
  check(checkOne: CheckOne): Promise<C>;
  use(session: Session, checked: C): Promise<T>;
}

const { premise: maxPremise, sharedPremise: maxShared } = maxAttempts;
const unstableMs = 5_000;

export async function checkOnly(entry: DatabaseEntry, call: GuardedCall, sql: string): Promise<ReadStatement> {
  return await withAttempts(entry, call, { check: (checkOne) => checkOne(sql), use: async (_, statement) => statement });
}

export async function readGuarded(entry: DatabaseEntry, call: GuardedCall, { request, sink }: UncheckedRead): Promise<ReadEnd> {
  const { sql, ...rest } = request;
  return await withAttempts(entry, call, {
    check: (checkOne) => checkOne(sql),
    async use(session, statement) {
      const read = { statement, ...rest };
      const costNote = await call.admit?.(session, read);
      const end = await withProtection(
        { plan: statement.columns, protect: entry.protect },
        { request: read, sink },
        (one, into) => session.read(one, into, call.options.signal),
      );
      return withCostNote(end, costNote);
    },
  });
}

/** Each read has a result of its own: a failure if the guard refuses it or it fails. `openReads` gives fresh sinks for each attempt. */
export async function readAllGuarded(
  entry: DatabaseEntry,
  call: GuardedCall,
  openReads: () => readonly UncheckedRead[],
): Promise<readonly (ReadEnd | Failure)[]> {
  return await withAttempts(entry, call, {
    async check(checkOne) {
      const reads = openReads();
      const statements = await Promise.all(
        reads.map(({ request }) => request.statement ?? checkOne(request.sql).catch(keepRefusal)),
      );
      return reads.map((read, i) => ({ ...read, statement: statements[i] }));
    },
    async use(session, unestimated) {
      const { checked, notes } = await admitAll(session, call, unestimated);
      const reads = checked.flatMap(({ request: { sql: _sql, ...rest }, sink, statement }) =>
        statement === undefined || statement instanceof Failure
          ? []
          : protectRead({ request: { statement, ...rest }, sink }, entry),
      );
      const found = reads.length === 0 ? [] : await session.readAll(reads, call.options.signal);
      const ends = found.map((end, i) => (end instanceof Failure ? end : { ...end, protectedColumns: reads[i]?.summary?.() }));
      return checked.flatMap(({ statement, request: { sql } }, i) => {
        const end = statement instanceof Failure ? statement : ends.shift();
        return end instanceof Failure ? call.hint(end, sql) : end === undefined ? [] : withCostNote(end, notes[i]);
      });
    },
  });
}

interface ProtectedRead extends SessionRead {
  summary?: () => string | undefined;
}

function protectRead(read: SessionRead, { protect }: DatabaseEntry): ProtectedRead {
  const { columns } = read.request.statement;
  if (columns === undefined || protect === undefined) return read;
  const sink = protectColumns(read.sink, columns, protect);
  return { request: keepForPseudonyms(read.request), sink, summary: () => sink.summary };
}

interface CheckedRead extends UncheckedRead {
  statement: ReadStatement | Failure | undefined;
}

/** Statements of our own are not estimated. */
async function admitAll(session: Session, call: GuardedCall, found: readonly CheckedRead[]) {
  if (call.admit === undefined) return { checked: found, notes: [] };
  const checked: CheckedRead[] = [];
  const notes: (string | undefined)[] = [];
  for (const read of found) {
    const { statement, request } = read;
    const { sql: _sql, statement: own, ...rest } = request;
    const isAsked = own !== undefined || statement === undefined || statement instanceof Failure;
    const verdict = isAsked ? undefined : await call.admit(session, { statement, ...rest }).catch(keepIfAlive(session, call));
    checked.push(verdict instanceof Failure ? { ...read, statement: verdict } : read);
    notes.push(verdict instanceof Failure ? undefined : verdict);
  }
  return { checked, notes };
}

/** The failure of one plan is that of its statement alone, unless the session or the premise is lost. */
function keepIfAlive(session: Session, { options }: GuardedCall): (error: unknown) => Failure {
  return (error) => {
    if (error instanceof Failure && error.code !== premiseCode && session.alive && !options.signal.aborted) return error;
    throw error;
  };
}

function withCostNote(end: ReadEnd, costNote: string | undefined): ReadEnd {
  return costNote === undefined ? end : { ...end, costNote };
}

const refusals: ReadonlySet<string> = new Set(['refused', 'input', 'unknown', 'limit'] satisfies Failure['kind'][]);

/** Failures of one statement, which do not concern the others. */
function keepRefusal(error: unknown): Failure {
  if (error instanceof Failure && (refusals.has(error.kind) || error.code === 'E_SYNTAX')) return error;
  throw error;
}

/** When the server is no longer what the guard knows, nothing has run, and the guard checks again. */
async function withAttempts<C, T>(entry: DatabaseEntry, call: GuardedCall, work: Work<C, T>): Promise<T> {
  const max = entry.guard.checkAlone === undefined ? maxShared : maxPremise;
  const skipped = performance.now() < entry.unstableUntil ? maxShared : 0;
  const mayRetry = (error: unknown, attempt: number) => {
    if (!(error instanceof Failure) || error.code !== premiseCode) return false;
    entry.guard.forget();
    if (skipped + attempt === maxShared) entry.unstableUntil = performance.now() + unstableMs;
    return true;
  };
  return await retry({ max: max - skipped, mayRetry }, (attempt) =>
    skipped + attempt <= maxShared ? useShared(entry, call, work) : useAlone(entry, call, work),
  );
}

async function useShared<C, T>({ pool, guard }: DatabaseEntry, call: GuardedCall, { check, use }: Work<C, T>): Promise<T> {
  const { run, options } = call;
  const checked = await untilAborted(check(checking(call, (sql) => guard.check(sql, run, options.signal))), options.signal);
  return await pool.use(options.signal, (session) => use(session, checked));
}

/** The session that checks the statement also runs it, at once, because the catalog changes constantly. */
async function useAlone<C, T>({ pool, guard }: DatabaseEntry, call: GuardedCall, { check, use }: Work<C, T>): Promise<T> {
  const { signal } = call.options;
  const { checkAlone } = guard;
  return await pool.use(signal, async (session) => {
    if (checkAlone === undefined || session.inSnapshot === undefined)
      throw new Error('this engine cannot check statements alone');
    const checked = await session.inSnapshot(
      (read) => untilAborted(check(checking(call, (sql) => checkAlone(sql, call.runOver(read), signal))), signal),
      signal,
    );
    return await use(session, checked);
  });
}

function checking({ refuse }: GuardedCall, checkOne: CheckOne): CheckOne {
  return async (sql) => {
    refuse(sql);
    return await checkOne(sql);
  };
}
