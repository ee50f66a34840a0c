import { type Failure, onAbort } from '@dbmole/core';
import type { TransactionRequest, Verdict, WriteTransaction } from '../../../approval/change.ts';
import type { ReadEnd, ReadRequest, RowSink, Session, SessionRead, WriteEnd, WriteRequest } from '../../../engine.ts';
import { afterStop, staleFailure } from '../../../failure.ts';
import { toShownFailure } from '../errors/protected-failure.ts';
import type { DoneMessage, RunRequest } from '../process/messages.ts';
import { bindParams } from '../values/placeholders.ts';
import type { DatabaseProcess } from '../wire/database-process.ts';
import { type OpenFile, own, type Run } from './file-call.ts';
import { isPremise, readInside } from './read.ts';
import { awaitRecovery, type Place, startRecovery } from './recover.ts';
import type { RowRelay } from './row-relay.ts';
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
  /** Protected columns are in reach, so no error may quote a value. */
  hidesValues?: boolean | undefined;
}

/** One process, which opens the file for each call and closes it afterwards: nothing of a call is left to the next one. */
export class SqliteSession implements Session {
  readonly #file: string;
  readonly #place: Place;
  readonly #process: DatabaseProcess;
  #isClosed = false;

  constructor(place: Place, process: DatabaseProcess) {
    this.#file = place.file;
    this.#place = place;
    this.#process = process;
  }

  get alive(): boolean {
    return !this.#isClosed && this.#process.isAlive;
  }

  read(request: ReadRequest, sink: RowSink, signal: AbortSignal): Promise<ReadEnd> {
    const { timeoutMs } = request;
    const { sql, columns } = request.statement;
    return this.#call({ writes: false, timeoutMs, signal, sql, hidesValues: columns !== undefined }, (file) =>
      readInside(file, { request, sink }),
    );
  }

  readAll(reads: readonly SessionRead[], signal: AbortSignal): Promise<readonly (ReadEnd | Failure)[]> {
    const timeoutMs = Math.max(...reads.map(({ request }) => request.timeoutMs));
    return this.#call({ writes: false, timeoutMs, signal }, async (file) => {
      // The first read takes the snapshot for all.
      await file.run(own('begin'));
      const ends: (ReadEnd | Failure)[] = [];
      for (const read of reads) ends.push(await this.#settle(readInside(file, read, true), read, signal));
      await file.run(own('rollback'));
      return ends;
    });
  }

  write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd> {
    const { timeoutMs, sql, hidesValues } = request;
    return this.#call({ writes: true, timeoutMs, signal, sql, hidesValues }, (file) => runWrite(file, request, sink));
  }

  transact<T>(
    request: TransactionRequest,
    work: (transaction: WriteTransaction) => Promise<Verdict<T>>,
    signal: AbortSignal,
  ): Promise<T> {
    const { timeoutMs, hidesValues } = request;
    const toFailure = (error: unknown, sql: string) => toShownFailure(error, this.#file, { sql, hidesValues });
    return this.#call({ writes: true, timeoutMs, signal, hidesValues }, (file) =>
      runTransaction(file, { request, signal, toFailure }, work),
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
      if (signal.aborted || !this.alive || isPremise(error)) throw error;
      const { sql, columns } = request.statement;
      return toShownFailure(error, this.#file, { sql, hidesValues: columns !== undefined });
    }
  }

  async #call<T>({ writes, timeoutMs, signal, sql, hidesValues }: Call, work: (file: OpenFile) => Promise<T>): Promise<T> {
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
      const opened = this.#process.send({ type: 'open', ...this.#place, writes, waitMs });
      // The process answers one request after the other, so a read need not wait for the file to be open: if that fails, so does the read.
      const [, result] = await Promise.all([opened, writes ? opened.then(() => work(file)) : work(file)]);
      return result;
    } catch (error) {
      if (isStopped) throw await this.#afterKill(signal, writes);
      throw toShownFailure(error, this.#file, { sql, hidesValues });
    } finally {
      forget();
      if (this.alive) this.#process.send({ type: 'close' }).catch(() => undefined);
    }
  }

  /** What a killed process had not committed is rolled back when the file is opened next. */
  async #afterKill(signal: AbortSignal, writes: boolean): Promise<unknown> {
    if (!writes) return signal.reason;
    await this.#process.ended;
    startRecovery(this.#place);
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
