import type { TransactionRequest, Verdict, WriteTransaction } from '../../../approval/change.ts';
import type { Param, TextRows } from '../../../engine.ts';
import { type OpenFile, own } from './file-call.ts';
import { collectRows, RowRelay } from './row-relay.ts';
import { refuseUnwritable } from './writable.ts';
import { commit, refuseUnlessRollable, runInside } from './write.ts';

interface TransactionRun {
  request: TransactionRequest;
  signal: AbortSignal;
  /** The error of a statement as callers get it. */
  toFailure(error: unknown, sql: string): unknown;
}

/** Runs the work in a transaction of its own. The file is closed when it throws, which rolls back. */
export async function runTransaction<T>(
  file: OpenFile,
  { request, signal, toFailure }: TransactionRun,
  work: (transaction: WriteTransaction) => Promise<Verdict<T>>,
): Promise<T> {
  for (const sql of request.undone) refuseUnlessRollable(sql);
  await file.run(own('begin immediate'));
  const transaction = createTransaction(file, { toFailure, signal });
  const verdict = await work(transaction);
  signal.throwIfAborted();
  if (verdict.commit) await commit(file);
  else await file.run(own('rollback'));
  return verdict.result;
}

const maxAnswerCell = 4_096;

function createTransaction(
  file: OpenFile,
  { toFailure, signal }: Pick<TransactionRun, 'toFailure' | 'signal'>,
): WriteTransaction {
  const ask = async (sql: string, params: readonly Param[] = []): Promise<TextRows> => {
    const { rows, sink } = collectRows();
    await file.run({ sql, params, keepPerCell: maxAnswerCell, isFree: true }, new RowRelay(sink));
    return rows;
  };
  return {
    async run({ sql, params, keepPerCell }, sink) {
      refuseUnwritable(sql);
      refuseUnlessRollable(sql);
      const ran = runInside(file, { sql, params, keepPerCell }, sink);
      return (await ran.catch((error: unknown) => Promise.reject(toFailure(error, sql)))).end;
    },
    ask,
    async tryAsk(sql, params) {
      try {
        return await ask(sql, params);
      } catch {
        signal.throwIfAborted();
        return undefined;
      }
    },
    // SQLite checks deferred keys at the COMMIT alone, which then changes nothing.
    settle: async () => undefined,
  };
}
