import type { Verdict, WriteTransaction } from '../approval/change.ts';
import type { CatalogRun, RowSink, Session, WriteEnd, WriteRequest } from '../engine.ts';
import { beforeStart } from '../failure.ts';
import type { ColumnPlan } from '../guard/read-statement.ts';
import { refuseColumn } from '../policy/column-policy.ts';
import { withProtection } from '../policy/column-sink.ts';
import type { CallerTransaction } from './backend.ts';
import { refuseScopedWrite } from './connection-scope.ts';
import type { DatabaseEntry } from './guarded-read.ts';
import type { SessionPool } from './session-pool.ts';

interface Write {
  request: WriteRequest;
  sink: RowSink;
  signal: AbortSignal;
}

/** Runs a write. What it returns of protected columns is shown as the policy says. */
export async function writeGuarded(entry: DatabaseEntry, run: CatalogRun, { signal, ...write }: Write): Promise<WriteEnd> {
  const { pool, protect } = entry;
  const plan = await planWrite(entry, write.request.sql, run);
  return await withProtection({ plan, protect }, write, (request, sink) =>
    writeOnce(pool, { request: { ...request, hidesValues: protect !== undefined }, sink, signal }),
  );
}

interface Transaction<T> {
  request: CallerTransaction;
  work(transaction: WriteTransaction): Promise<Verdict<T>>;
  signal: AbortSignal;
  hint(error: unknown, sql: string): unknown;
}

/** The same for several statements in one transaction. */
export async function transactGuarded<T>(
  entry: DatabaseEntry,
  run: CatalogRun,
  { request, work, signal, hint }: Transaction<T>,
): Promise<T> {
  const { pool, protect } = entry;
  const { statements, timeoutMs, isDryRun } = request;
  const plans = new Map<string, ColumnPlan | undefined>();
  for (const { sql } of statements) plans.set(sql, await planWrite(entry, sql, run));
  const undone = isDryRun ? statements.map(({ sql }) => sql) : [];
  const withPlans = (transaction: WriteTransaction): WriteTransaction => ({
    ask: (sql, params) => transaction.ask(sql, params),
    tryAsk: (sql, params) => transaction.tryAsk(sql, params),
    settle: () => transaction.settle(),
    async run(statement, sink) {
      const protection = { plan: plans.get(statement.sql), protect };
      const ran = withProtection(protection, { request: statement, sink }, (one, rows) => transaction.run(one, rows));
      return await ran.catch((error: unknown) => Promise.reject(hint(error, statement.sql)));
    },
  });
  return await useOnce(pool, signal, (session) =>
    session.transact(
      { timeoutMs, undone, hidesValues: protect !== undefined },
      (transaction) => work(withPlans(transaction)),
      signal,
    ),
  );
}

/** What is hidden of the rows that a write returns. Throws for a write that leaves the scope, or shows protected columns. */
async function planWrite(entry: DatabaseEntry, sql: string, run: CatalogRun): Promise<ColumnPlan | undefined> {
  const { guard, scope, protect } = entry;
  if (scope === undefined && protect === undefined) return undefined;
  if (guard.checkWrite !== undefined) return await guard.checkWrite(sql, run);
  if (scope !== undefined) throw refuseScopedWrite(scope);
  throw refuseColumn('nothing can be written through a connection with protected columns; nothing was run');
}

async function writeOnce(pool: SessionPool, { request, sink, signal }: Write): Promise<WriteEnd> {
  return await useOnce(pool, signal, (session) => session.write(request, sink, signal));
}

async function useOnce<T>(pool: SessionPool, signal: AbortSignal, use: (session: Session) => Promise<T>): Promise<T> {
  let hasBegun = false;
  try {
    return await pool.use(signal, (session) => {
      hasBegun = true;
      return use(session);
    });
  } catch (error) {
    throw hasBegun ? error : beforeStart(error);
  }
}
