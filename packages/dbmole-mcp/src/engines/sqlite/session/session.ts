import { type Failure, onAbort } from '@dbmole/core';
import type { TransactionRequest, Verdict, WriteTransaction } from '../../../approval/change.ts';
import type { ReadEnd, ReadRequest, RowSink, Session, SessionRead, WriteEnd, WriteRequest } from '../../../engine.ts';
import { afterStop, staleFailure } from '../../../failure.ts';
import { toSqliteFailure } from '../errors/failure.ts';
import type { DoneMessage, RunRequest } from '../process/messages.ts';
import { bindParams } from '../values/placeholders.ts';
import type { DatabaseProcess } from '../wire/database-process.ts';
import { type OpenFile, own, type Run } from './file-call.ts';
import { awaitRecovery, startRecovery } from './recover.ts';
import { RowRelay } from './row-relay.ts';
import { runTransaction } from './transaction.ts';
import { runWrite } from './write.ts';

/** How long SQLite waits for the locks of other processes, at most. */
const maxWaitMs = 5_000;
/** The part of the time limit for this: the error of a locked file says more than that of the limit. */
const waitShare = 0.5;

interface Call {
  writes: boolean;
  timeoutMs: number;
  signal: AbortSignal;
  sql?: string;
}

/** One process, which opens the file for each call and closes it afterwards: nothing of a call is left to the next one. */
export class SqliteSession implements Session {
  readonly #file: string;
  readonly #process: DatabaseProcess;
  #isClosed = false;

  constructor(file: string, process: DatabaseProcess) {
    this.#file = file;
    this.#process = process;
  }

  get alive(): boolean {
    return !this.#isClosed && this.#process.isAlive;
  }

  read(request: ReadRequest, sink: RowSink, signal: AbortSignal): Promise<ReadEnd> {
    const { timeoutMs } = request;
    return this.#call({ writes: false, timeoutMs, signal, sql: request.statement.sql }, (file) =>
      readInside(file, { request, sink }),
    );
  }

  readAll(reads: readonly SessionRead[], signal: AbortSignal): Promise<readonly (ReadEnd | Failure)[]> {
    const timeoutMs = Math.max(...reads.map(({ request }) => request.timeoutMs));
    return this.#call({ writes: false, timeoutMs, signal }, async (file) => {
      // The first read takes the snapshot for all.
      await file.run(own('begin'));
      const ends: (ReadEnd | Failure)[] = [];
      for (const read of reads) ends.push(await this.#settle(readInside(file, read), read, signal));
      await file.run(own('rollback'));
      return ends;
    });
  }

  write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd> {
    const { timeoutMs, sql } = request;
    return this.#call({ writes: true, timeoutMs, signal, sql }, (file) => runWrite(file, request, sink));
  }

  transact<T>(
    request: TransactionRequest,
    work: (transaction: WriteTransaction) => Promise<Verdict<T>>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.#call({ writes: true, timeoutMs: request.timeoutMs, signal }, (file) =>
      runTransaction(file, { request, signal, toFailure: (error, sql) => toSqliteFailure(error, this.#file, sql) }, work),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#process.kill();
    await this.#process.ended;
  }

  /** Each read of a list has a result of its own. */
  async #settle(reading: Promise<ReadEnd>, { request }: SessionRead, signal: AbortSignal): Promise<ReadEnd | Failure> {
    try {
      return await reading;
    } catch (error) {
      if (signal.aborted || !this.alive) throw error;
      return toSqliteFailure(error, this.#file, request.statement.sql);
    }
  }

  async #call<T>({ writes, timeoutMs, signal, sql }: Call, work: (file: OpenFile) => Promise<T>): Promise<T> {
    await awaitRecovery(this.#file);
    signal.throwIfAborted();
    if (!this.alive) throw staleFailure();
    let isStopped = false;
    const kill = () => {
      isStopped = true;
      this.#process.kill();
    };
    const forget = onAbort(signal, kill);
    const waitMs = Math.min(Math.floor(timeoutMs * waitShare), maxWaitMs);
    const file: OpenFile = { run: (run, relay) => this.#run(run, relay), protect: forget };
    try {
      const opened = this.#process.send({ type: 'open', file: this.#file, writes, waitMs });
      const [, result] = await Promise.all([opened, opened.then(() => work(file))]);
      return result;
    } catch (error) {
      if (isStopped) throw await this.#afterKill(signal, writes);
      throw toSqliteFailure(error, this.#file, sql);
    } finally {
      forget();
      if (this.alive) this.#process.send({ type: 'close' }).catch(() => undefined);
    }
  }

  /** What a killed process had not committed is rolled back when the file is opened next. */
  async #afterKill(signal: AbortSignal, writes: boolean): Promise<unknown> {
    if (!writes) return signal.reason;
    await this.#process.ended;
    startRecovery(this.#file);
    return afterStop(signal.reason, true);
  }

  async #run(run: Run, relay?: RowRelay): Promise<DoneMessage> {
    const { sql, isFree, keepPerCell, maxRows = null, maxColumns = null } = run;
    const request: RunRequest = { type: 'run', sql, ...bindParams(sql, run.params), isFree, keepPerCell, maxRows, maxColumns };
    const done = await this.#process.send(request, relay);
    if (relay?.error !== undefined) throw relay.error;
    return done;
  }
}

async function readInside(file: OpenFile, { request, sink }: SessionRead): Promise<ReadEnd> {
  const { statement, params, keepPerCell, maxRows } = request;
  const { maxColumns } = sink;
  // A statement of our own has no premise.
  const isFree = statement.premise === undefined;
  await file.run({ sql: statement.sql, params, keepPerCell, maxRows, maxColumns, isFree }, new RowRelay(sink));
  return { timeZone: undefined };
}
