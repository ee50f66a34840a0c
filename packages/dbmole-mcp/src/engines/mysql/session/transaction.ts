import type { TransactionRequest, Verdict, WriteTransaction } from '../../../approval/change.ts';
import type { Param, RowSink, TextRows } from '../../../engine.ts';
import { staleFailure } from '../../../failure.ts';
import { readText } from '../../../read-cell.ts';
import { type Flavour, formatWriteSettings } from '../flavour.ts';
import { UserRows } from '../values/user-rows.ts';
import type { Watched } from '../wire/stop.ts';
import { refuseWithoutTransactions } from './dry-run.ts';
import { runStatement } from './run-statement.ts';
import { readCommand } from './statement-kind.ts';
import { countChanges, keptFailure, outcomeUnknown, rollBack, runInside } from './write.ts';

interface TransactionRun extends Omit<Watched, 'timeoutMs' | 'discard'> {
  request: TransactionRequest;
  flavour: Flavour;
}

/** Runs the work in a transaction of its own. When it throws, the reset of the session rolls back. */
export async function runTransaction<T>(
  run: TransactionRun,
  work: (transaction: WriteTransaction) => Promise<Verdict<T>>,
): Promise<T> {
  const { conversation, flavour, request, signal } = run;
  await begin(run, formatWriteSettings(flavour, request.timeoutMs));
  const { commit, result } = await work(new MysqlTransaction(run));
  signal.throwIfAborted();
  if (!commit) {
    await rollBack(conversation);
    return result;
  }
  try {
    await conversation.query('COMMIT');
  } catch (error) {
    throw conversation.lost === undefined ? error : outcomeUnknown(error);
  }
  return result;
}

async function begin({ conversation }: TransactionRun, settings: string): Promise<void> {
  try {
    // A transaction that is begun inside a read-only one would inherit that.
    await conversation.query('ROLLBACK');
    await conversation.query(settings);
    await conversation.query('START TRANSACTION');
  } catch (error) {
    // Nothing of the caller's was sent, so the call may be repeated on another session.
    throw conversation.lost === undefined ? error : staleFailure();
  }
}

const maxAnswerCell = 4_096;

class MysqlTransaction implements WriteTransaction {
  readonly #run: TransactionRun;

  constructor(run: TransactionRun) {
    this.#run = run;
  }

  async run({ sql, params, keepPerCell, tag }: Parameters<WriteTransaction['run']>[0], sink: RowSink) {
    await refuseWithoutTransactions(this.#run.conversation, sql);
    const request = { sql, params, keepPerCell, tag, timeoutMs: this.#run.request.timeoutMs, dryRun: true };
    const { end, rows } = await runInside({ ...this.#run, request, sink });
    if (!end.inTransaction) throw keptFailure('the statement committed by itself');
    const { moreResults } = rows;
    return { changed: countChanges(sql, end, rows), command: readCommand(sql), ...(moreResults > 0 && { moreResults }) };
  }

  async ask(sql: string, params: readonly Param[] = []): Promise<TextRows> {
    const found: (string | null)[][] = [];
    const sink: RowSink = {
      columns: () => undefined,
      row: (cells) => found.push(cells.map(readText)) > 0,
    };
    const rows = new UserRows(sink, { keepPerCell: maxAnswerCell });
    const { timeoutMs } = this.#run.request;
    await runStatement({ ...this.#run, sql, params, timeoutMs, rows, stopOnEnough: false });
    return found;
  }

  async tryAsk(sql: string, params: readonly Param[] = []): Promise<TextRows | undefined> {
    try {
      return await this.ask(sql, params);
    } catch (error) {
      this.#run.signal.throwIfAborted();
      if (this.#run.conversation.lost !== undefined) throw error;
      return undefined;
    }
  }

  /** The server checks at once. */
  async settle(): Promise<void> {}
}
