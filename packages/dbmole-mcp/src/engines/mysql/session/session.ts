import { type Failure, formatAbort, untilAborted } from '@dbmole/core';
import type { TransactionRequest, Verdict, WriteTransaction } from '../../../approval/change.ts';
import type { ReadEnd, ReadRequest, RowSink, Session, SessionRead, WriteEnd, WriteRequest } from '../../../engine.ts';
import { isStaleError, staleFailure } from '../../../failure.ts';
import { premiseCode } from '../../../guard/read-statement.ts';
import { isWrongValue, premiseFailure } from '../errors/failure.ts';
import { type FailedText, toShownFailure, toText } from '../errors/protected-failure.ts';
import { type Flavour, formatReadSettings, hasSameMeaning, type ReadLimits } from '../flavour.ts';
import { collectRows, UserRows } from '../values/user-rows.ts';
import { type Canceller, stepwise } from '../wire/cancel.ts';
import type { Conversation } from '../wire/conversation.ts';
import { withGrace } from '../wire/stop.ts';
import { refuseUnlessRollable } from './dry-run.ts';
import { PreparedTexts, runStatement } from './run-statement.ts';
import { isQuery, showsPlan, surelyGivesRows } from './statement-kind.ts';
import { runTransaction } from './transaction.ts';
import { runWrite } from './write.ts';

const startReading = 'START TRANSACTION READ ONLY';
/** The reset after a call must be answered in this time. */
const resetMs = 5_000;
/** A catalog question does not run in a session that has a shorter time limit left from another read. */
const minQuestionMs = 10_000;
/** The number of catalog questions in one transaction, whose snapshot hides what is committed meanwhile. */
const maxQuestions = 10;

interface Parts {
  conversation: Conversation;
  canceller: Canceller;
  flavour: Flavour;
  where: { host: string; port: number; product: Flavour['product'] };
  database: string | undefined;
}

interface Call extends FailedText {
  signal: AbortSignal;
  isQuestion?: boolean;
}

export class MysqlSession implements Session {
  readonly #parts: Parts;
  readonly #conversation: Conversation;
  readonly #released: Promise<void>;
  readonly #closing = new AbortController();
  /** Settles when the reset after the last call was sent, together with the settings of the next read. It never rejects. */
  #ready: Promise<void> = Promise.resolve();
  /** Settles when the server confirmed the reset. A read does not wait for it: an unconfirmed reset loses the connection. It never rejects. */
  #confirmed: Promise<void> = Promise.resolve();
  #resetFailed = false;
  readonly #prepared = new PreparedTexts();
  /** The settings of the last read, which are still set. */
  #limits: ReadLimits | undefined;
  /** The read-only transaction of the next read is open. */
  #isReadBegun = false;
  /** The end of the transaction of a catalog question waits for the next question. */
  #postponed: NodeJS.Timeout | undefined;
  #questions = 0;
  #zone: { name: string; label: string } | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#conversation = parts.conversation;
    this.#released = parts.conversation.closed.then(() => parts.canceller.release());
  }

  get alive(): boolean {
    return !this.#closing.signal.aborted && this.#conversation.lost === undefined && !this.#conversation.leaving;
  }

  get pendingEnd(): Promise<void> | undefined {
    return this.#conversation.pendingEnd;
  }

  read(request: ReadRequest, sink: RowSink, signal: AbortSignal): Promise<ReadEnd> {
    const isQuestion = request.isBounded === true;
    return this.#call({ signal, ...toText(request.statement), isQuestion }, async (leftovers) => {
      const end = await this.#readInside({ request, sink }, leftovers, signal);
      leftovers.onlySnapshot = isQuestion;
      return end;
    });
  }

  /** All reads see the snapshot of the first one, because the transaction isolates them. */
  readAll(reads: readonly SessionRead[], signal: AbortSignal): Promise<readonly (ReadEnd | Failure)[]> {
    const isQuestion = reads.every(({ request }) => request.isBounded === true);
    return this.#call({ signal, sql: '', isQuestion }, async (leftovers) => {
      leftovers.onlySnapshot = isQuestion;
      // Our own questions change nothing in the session, so none waits for the answer to another one.
      if (isQuestion && this.#suitsQuestions) {
        return await Promise.all(reads.map((read) => this.#settleRead(read, leftovers, signal)));
      }
      const ends: (ReadEnd | Failure)[] = [];
      for (const read of reads) {
        if (ends.length > 0 && !signal.aborted) await this.#repeatSettings();
        ends.push(await this.#settleRead(read, leftovers, signal));
      }
      return ends;
    });
  }

  async #settleRead(read: SessionRead, leftovers: Leftovers, signal: AbortSignal): Promise<ReadEnd | Failure> {
    if (signal.aborted) return formatAbort(signal);
    try {
      return await this.#readInside(read, leftovers, signal);
    } catch (error) {
      if (signal.aborted) return formatAbort(signal);
      // A list that has given rows must not be repeated on another session.
      const cause = leftovers.begun && isStaleError(error) ? this.#conversation.lost : error;
      const failure = toShownFailure(cause, this.#parts.where, toText(read.request.statement));
      if (failure.code === premiseCode || !this.alive) throw failure;
      return failure;
    }
  }

  async #readInside({ request, sink }: SessionRead, leftovers: Leftovers, signal: AbortSignal): Promise<ReadEnd> {
    const { sql, premise } = request.statement;
    let begun: Promise<void> | undefined;
    if (!request.isBounded || !this.#suitsQuestions) {
      // An added limit would become a part of the plan that is shown.
      const maxRows = showsPlan(sql) && request.isForecast !== true ? undefined : request.maxRows;
      const limits = { sqlMode: premise, timeoutMs: request.timeoutMs, maxRows, timeZone: this.#zone?.name };
      const mayFollow = this.#isReadBegun && hasSameMeaning(this.#limits, limits);
      begun = this.#beginRead(limits);
      // The statement follows at once where only the bounds differ: without them, it would be no less safe.
      await Promise.race([begun, mayFollow ? undefined : begun]);
    }
    const rows = new UserRows(sink, request);
    const mustGiveRows = premise !== undefined && isQuery(sql) && !surelyGivesRows(sql) && !this.#prepared.has(sql, premise);
    leftovers.begun = true;
    const end = await runStatement({ sql, rows, stopOnEnough: true, mustGiveRows, ...this.#watchedParts(signal), ...request });
    await begun;
    if (mustGiveRows) this.#prepared.add(sql, premise);
    leftovers.database ??= end.database;
    return { timeZone: rows.dependsOnTimeZone ? await this.#timeZone() : undefined };
  }

  async write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd> {
    if (request.dryRun) refuseUnlessRollable(request.sql);
    return this.#call({ signal, sql: request.sql, hidesValues: request.hidesValues }, async (leftovers) => {
      const flavour = await this.#beginWrite(leftovers, signal);
      const { database, ...end } = await runWrite({ ...this.#watchedParts(signal), request, sink, flavour });
      leftovers.database = database;
      return end;
    });
  }

  transact<T>(request: TransactionRequest, work: (transaction: WriteTransaction) => Promise<Verdict<T>>, signal: AbortSignal) {
    for (const sql of request.undone) refuseUnlessRollable(sql);
    return this.#call({ signal, sql: '', hidesValues: request.hidesValues }, async (leftovers) => {
      const flavour = await this.#beginWrite(leftovers, signal);
      return await runTransaction({ ...this.#watchedParts(signal), request, flavour }, work);
    });
  }

  async #beginWrite(leftovers: Leftovers, signal: AbortSignal): Promise<Flavour> {
    await untilAborted(this.#confirmed, signal);
    if (!this.alive) throw staleFailure();
    leftovers.written = true;
    this.#isReadBegun = false;
    return this.#parts.flavour;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ready;
    await this.#confirmed;
    await this.#conversation.end();
    await this.#released;
  }

  /** Runs one call in a session that was reset after the call before, and resets the session after it. */
  async #call<T>({ signal, sql, hidesValues, isQuestion = false }: Call, work: (leftovers: Leftovers) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#postponed !== undefined) this.#endPostponed(isQuestion);
    // Only the signal can make this fail, and the caller gets its own reason back.
    await untilAborted(this.#ready, signal).catch(() => signal.throwIfAborted());
    if (!this.alive) throw staleFailure();
    const leftovers: Leftovers = { database: undefined, begun: false, written: false, onlySnapshot: false };
    const done = withGrace({ conversation: this.#conversation, signals: [signal, this.#closing.signal] }, () => work(leftovers));
    // The answer reaches the caller before the reset is sent.
    this.#ready = done.then(
      () => (leftovers.onlySnapshot ? this.#postpone() : this.#reset(leftovers)),
      () => this.#reset(leftovers),
    );
    try {
      return await done;
    } catch (error) {
      if (this.#conversation.lost !== undefined) await this.#confirmed;
      if (signal.aborted && error === signal.reason) throw error;
      throw this.#resetFailed ? staleFailure() : toShownFailure(error, this.#parts.where, { sql, hidesValues });
    }
  }

  /** The next question of the same tool mostly follows at once and can use the same transaction. */
  #postpone(): void {
    this.#postponed = setTimeout(() => this.#endPostponed(false), this.#parts.flavour.catalogAgeMs).unref();
  }

  #endPostponed(isQuestion: boolean): void {
    clearTimeout(this.#postponed);
    this.#postponed = undefined;
    this.#questions = isQuestion ? this.#questions + 1 : maxQuestions;
    if (this.#questions < maxQuestions) return;
    this.#questions = 0;
    this.#ready = this.#reset({ database: undefined, begun: true, written: false, onlySnapshot: true });
  }

  get #suitsQuestions(): boolean {
    return this.#isReadBegun && this.#limits !== undefined && this.#limits.timeoutMs >= minQuestionMs;
  }

  #watchedParts(signal: AbortSignal) {
    const { conversation, canceller } = this.#parts;
    return { conversation, canceller, signal, closing: this.#closing.signal };
  }

  /**
   * Sets the session read-only and opens a read-only transaction. Both are needed: the setting stops what would commit the
   * transaction first, such as DDL, and the transaction stops a function that turns the setting off. They are repeated for each
   * read, mostly ahead of it. So is the `sql_mode`, which a function may have changed too: the guard and the engine must read the
   * statement alike.
   */
  async #beginRead(limits: ReadLimits): Promise<void> {
    const settings = formatReadSettings(this.#parts.flavour, limits);
    if (this.#isReadBegun && settings === this.#settings) return;
    this.#limits = limits;
    try {
      await this.#sendReadSettings(settings);
    } catch (error) {
      // The caller's statement was not sent, so the call may be repeated on another session.
      if (this.#conversation.lost !== undefined) throw staleFailure();
      throw limits.sqlMode !== undefined && isWrongValue(error) ? premiseFailure(error) : error;
    }
  }

  get #settings(): string | undefined {
    return this.#limits && formatReadSettings(this.#parts.flavour, this.#limits);
  }

  async #sendReadSettings(settings: string): Promise<void> {
    await this.#conversation.query(settings);
    if (!this.#isReadBegun) await this.#conversation.query(startReading);
    this.#isReadBegun = true;
  }

  /** Repeats the settings between two reads of a list, because a stored function may have changed them. The snapshot stays. */
  async #repeatSettings(): Promise<void> {
    const settings = this.#settings;
    if (settings === undefined || !this.alive) return;
    const { canceller } = this.#parts;
    if (stepwise.has(canceller)) {
      await this.#conversation.query(settings);
      return;
    }
    const repeated = this.#conversation.runAhead([settings]).catch(() => void stepwise.add(canceller));
    // The reset must not be sent before this was answered, because the answers differ in their order alone.
    this.#confirmed = Promise.all([this.#confirmed, repeated]).then(() => undefined);
  }

  /** Rolls back first, so that no lock outlives the call. The next read is prepared with the settings of the last one. */
  async #reset(leftovers: Leftovers): Promise<void> {
    await this.#confirmed;
    if (!this.alive) return;
    const timer = setTimeout(() => this.#conversation.destroy(), resetMs);
    this.#isReadBegun = false;
    const { isSent, confirmed } = this.#sendReset(leftovers);
    this.#confirmed = confirmed
      .catch(() => {
        this.#resetFailed = true;
        this.#conversation.destroy();
      })
      .finally(() => clearTimeout(timer));
    if (!isSent) await this.#confirmed;
  }

  /** Takes one round trip after a read. After a write the driver must see each answer, because a write may change its state. */
  #sendReset(leftovers: Leftovers): { isSent: boolean; confirmed: Promise<void> } {
    const settings = this.#settings;
    if (leftovers.written || leftovers.database !== undefined || settings === undefined || stepwise.has(this.#parts.canceller)) {
      return { isSent: false, confirmed: this.#resetStepwise(leftovers, settings) };
    }
    this.#isReadBegun = true;
    return { isSent: true, confirmed: this.#resetAtOnce(settings, leftovers) };
  }

  async #resetStepwise({ database }: Leftovers, settings: string | undefined): Promise<void> {
    await this.#conversation.reset();
    if (database !== undefined) await this.#returnTo(this.#parts.database);
    if (settings !== undefined) await this.#sendReadSettings(settings);
  }

  async #resetAtOnce(settings: string, { onlySnapshot }: Leftovers): Promise<void> {
    try {
      await (onlySnapshot ? this.#conversation.runAhead([startReading]) : this.#conversation.renew([settings, startReading]));
    } catch (error) {
      stepwise.add(this.#parts.canceller);
      throw error;
    }
  }

  /** A reset keeps the database that USE chose. A session that began without a database cannot return to that. */
  async #returnTo(database: string | undefined): Promise<void> {
    if (database === undefined) this.#conversation.destroy();
    else await this.#conversation.query(`USE \`${database.replaceAll('`', '``')}\``);
  }

  /** Asks the server once; later reads set the same time zone. */
  async #timeZone(): Promise<string | undefined> {
    if (this.#zone !== undefined && this.#limits?.timeZone === this.#zone.name) return this.#zone.label;
    const [row] = await collectRows(this.#conversation, 'SELECT @@session.time_zone, @@system_time_zone, @@global.time_zone');
    const [name, system, initial] = row ?? [];
    const label = (name === 'SYSTEM' ? system : name) ?? undefined;
    // A stored function may have changed the time zone for this statement alone.
    const isLasting = name === initial;
    if (this.#limits === undefined || !isLasting || !name || label === undefined || !zoneName.test(name)) return label;
    this.#zone = { name, label };
    this.#limits = { ...this.#limits, timeZone: name };
    return label;
  }
}

/** Names that can be written into a SET statement as they are. */
const zoneName = /^[\w+:/-]+$/;

/** What a call leaves behind, which decides how the session is reset. */
interface Leftovers {
  database: string | undefined;
  /** A read was sent. */
  begun: boolean;
  /** A write was sent. */
  written: boolean;
  /** The call was a catalog question, which leaves only its snapshot; the next transaction ends it. */
  onlySnapshot: boolean;
}
