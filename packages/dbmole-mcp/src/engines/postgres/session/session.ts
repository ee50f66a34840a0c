import { type Failure, onAbort, untilAborted } from '@dbmole/core';
import type { TransactionRequest, Verdict, WriteTransaction } from '../../../approval/change.ts';
import type {
  ReadEnd,
  ReadRequest,
  RowSink,
  Session,
  SessionRead,
  SnapshotRead,
  WriteEnd,
  WriteRequest,
} from '../../../engine.ts';
import { staleFailure } from '../../../failure.ts';
import { formatTag } from '../../../statement/format-tag.ts';
import { readFailure, toFailure } from '../errors/failure.ts';
import { refuseDryRun } from '../guard/thread/guard-thread.ts';
import { declaredTypes, isZoned, type Question, TypeCatalog } from '../values/type-names.ts';
import { OwnRows, UserRows } from '../values/user-rows.ts';
import type { Conversation } from '../wire/conversation.ts';
import { command, statement, sync } from '../wire/messages.ts';
import { Segment } from '../wire/segment.ts';
import { stopStatement } from '../wire/stop.ts';
import type { Route } from '../wire/wire.ts';
import { formatQuestion } from './own-question.ts';
import { clientCheck, formatPrelude, isLookFalse, isLookMissing, keepsStateSql, premiseFailure, StateCheck } from './prelude.ts';
import { type Look, LookedRows, PremiseWatch } from './premise-watch.ts';
import { type Batch, type BatchRead, blamesLimit, type Ended, ReadBatch } from './read-batch.ts';
import { beginRead, CleaningDelays, cleanAtOnce, hideLook, ReadySession } from './ready-session.ts';
import { type Limited, limitPortal, limitRows } from './row-limit.ts';
import type { ReadCall, Sent, WriteCall } from './session-calls.ts';
import { type Exchange, refuseKept, runTransaction } from './transaction.ts';
import {
  formatWrite,
  formatWriteOutside,
  isOutsideOnly,
  mayEndTransactions,
  parseWriteEnd,
  serverNoDryRun,
  writeFailure,
} from './write.ts';

const ownFacts = statement(`select pg_catalog.pg_backend_pid(), ${keepsStateSql}`, [], 1);
const nothing = Buffer.alloc(0);
const nowhere: RowSink = { columns: () => undefined, row: () => true };
const noRows = { keepPerCell: 0 };
/** The limit of each question in a snapshot; the caller's own limit ends it earlier. */
const snapshotMs = 600_000;
/** A sink that has enough is often at the end of a result that is limited anyway. */
const enoughMs = 5;

/**
 * One write and one round trip for each call. The cleaning is part of the write; its answers are awaited by the next call. They follow at
 * once, unless something on the way sends one small packet at a time, as sshd does: then a read and its cleaning are answered together.
 */
export class PostgresSession implements Session {
  readonly #conversation: Conversation;
  readonly #route: Route;
  readonly #types = new TypeCatalog();
  /** Resolves when the session is clean and no request is under way. Never rejects. */
  #idle: Promise<void>;
  #running: Segment | undefined;
  readonly #watch = new PremiseWatch();
  readonly #ready = new ReadySession();
  readonly #delays: CleaningDelays;
  #keepsState = false;
  /** Closed, or its state is in doubt. */
  #over = false;

  constructor(conversation: Conversation, route: Route) {
    this.#conversation = conversation;
    this.#route = route;
    this.#delays = new CleaningDelays(route.target.dial !== undefined);
    this.#idle = this.#prepare();
  }

  get alive(): boolean {
    return this.#conversation.lost === undefined && !this.#over;
  }

  get pendingEnd(): Promise<void> | undefined {
    return this.#conversation.pendingEnd;
  }

  async read(request: ReadRequest, sink: RowSink, signal: AbortSignal): Promise<ReadEnd> {
    const { sql } = request.statement;
    const limited = limitRows(sql, request.maxRows);
    const call = { request, sink, signal };
    const first = await this.#readOnce(call, limited);
    const isBlamed = blamesLimit({ sql, limited, ...first });
    return this.#endRead(
      isBlamed ? await this.#readOnce(call, limitPortal(sql, request.maxRows)) : first,
      request.statement,
      signal,
    );
  }

  async readAll(reads: readonly SessionRead[], signal: AbortSignal): Promise<readonly (ReadEnd | Failure)[]> {
    await this.#untilIdle(signal);
    const premises = new Set(reads.flatMap(({ request }) => request.statement.premise ?? []));
    const look = premises.size === 0 ? undefined : { sql: [...premises].join(' and '), full: true };
    const timeoutMs = Math.max(1, ...reads.map(({ request }) => request.timeoutMs));
    const keepsState = this.#keepsState;
    const batch = new ReadBatch(reads, {
      look,
      timeoutMs,
      checksClient: this.#ready.checksClient,
      types: this.#types,
      // Our own questions have no premise, and leave nothing.
      keepsState: keepsState && look !== undefined,
    });
    const cleaning = [new Segment(), new Segment()];
    const bytes = Buffer.concat([batch.bytes, this.#ready.cleanUp]);
    const segment = batch.reads.at(-1)?.segment ?? batch.begun;
    const { stopping } = await this.#answer({ bytes, segments: [...batch.segments, ...cleaning], segment }, signal);
    this.#idle = this.#settle(cleaning, stopping, () => batch.mayLeaveState);
    this.#keepsState = batch.keepsState ?? keepsState;
    if ((this.#keepsState && !keepsState) || reads.some(({ request }) => request.statement.leavesState)) this.#over = true;
    if (isLookFalse(batch.begun, look)) throw premiseFailure();
    this.#endRead({ segment: batch.begun, rows: new UserRows(nowhere, noRows, this.#types) }, { sql: '' }, signal);
    const ends: (ReadEnd | Failure)[] = [];
    // One after the other: a statement that is tried again has the session to itself.
    for (const [i, read] of reads.entries()) ends.push(await this.#locateEnd(read, batch.reads[i], signal));
    return ends;
  }

  /** A statement that fails with our LIMIT is retried without it. */
  async #locateEnd({ request, sink }: SessionRead, read: BatchRead | undefined, signal: AbortSignal): Promise<ReadEnd | Failure> {
    const { statement } = request;
    if (read === undefined) return staleFailure();
    try {
      if (blamesLimit({ ...statement, ...read })) return await this.read(request, sink, signal);
      return this.#endRead(read, statement, signal);
    } catch (error) {
      return toFailure(error, this.#where, statement.sql);
    }
  }

  #endRead({ segment, rows }: Pick<BatchRead, 'segment' | 'rows'>, { sql, columns }: Ended, signal: AbortSignal): ReadEnd {
    const failure = readFailure(segment, rows, { sql, hidesValues: columns !== undefined, signal, where: this.#where });
    if (failure !== undefined) throw failure;
    return { timeZone: rows.fields?.some(isZoned) ? this.#conversation.timeZone : undefined };
  }

  async write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd> {
    if (request.dryRun) await untilAborted(refuseDryRun(request.sql), signal);
    const rows = new UserRows(sink, request, this.#types);
    const call = { request, rows, signal };
    const inside = mayEndTransactions(request) ? undefined : await this.#writeInside(call);
    const outside = inside === undefined || isOutsideOnly(inside);
    if (inside?.error !== undefined && outside && request.dryRun) throw serverNoDryRun(inside.error);
    const segment = outside ? await this.#writeOutside(call) : inside;
    if (rows.crash !== undefined) throw rows.crash.error;
    const failure = writeFailure(segment, { request, outside, signal, where: this.#where });
    if (failure !== undefined) throw failure;
    return parseWriteEnd(segment, outside, request);
  }

  async #writeInside({ request, rows, signal }: WriteCall): Promise<Segment> {
    await this.#untilIdle(signal);
    const bytes = Buffer.concat([hideLook, formatWrite(request, this.#ready.buildSettings(request, true))]);
    return await this.#run({ bytes, rows, stopsEarly: false }, signal);
  }

  async #writeOutside({ request, rows, signal }: WriteCall): Promise<Segment> {
    await this.#untilIdle(signal);
    const bytes = Buffer.concat([hideLook, formatWriteOutside(request, this.#ready.buildSettings(request, false))]);
    return await this.#run({ bytes, before: [new Segment()], rows, stopsEarly: false }, signal);
  }

  async transact<T>(
    request: TransactionRequest,
    work: (transaction: WriteTransaction) => Promise<Verdict<T>>,
    signal: AbortSignal,
  ) {
    await refuseKept(request, signal);
    await this.#untilIdle(signal);
    const begin = Buffer.concat([hideLook, command('begin'), this.#ready.buildSettings(request, true)]);
    const { hidesValues = false } = request;
    const parts = { begin, types: this.#types, hidesValues, signal, where: this.#where };
    return await this.#inSteps(signal, (exchange) => runTransaction({ ...parts, exchange }, work));
  }

  /** Sends one part after the other; the cleaning follows the last one. */
  async #inSteps<T>(signal: AbortSignal, work: (exchange: Exchange) => Promise<T>): Promise<T> {
    let stopping: Promise<void> | undefined;
    let isOver = false;
    const exchange: Exchange = async (bytes, rows) => {
      if (isOver) throw staleFailure();
      const segment = new Segment(rows);
      ({ stopping } = await this.#answer({ bytes: Buffer.concat([bytes, sync]), segments: [segment], segment }, signal));
      return segment;
    };
    try {
      return await work(exchange);
    } finally {
      isOver = true;
      this.#idle = this.#settle(this.#clean(), stopping, () => false);
    }
  }

  async inSnapshot<T>(work: (read: SnapshotRead) => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#untilIdle(signal);
    const prelude = formatPrelude({ timeoutMs: snapshotMs, checksClient: this.#ready.checksClient });
    return await this.#inSteps(signal, async (exchange) => {
      const ask = async (bytes: Buffer, rows: UserRows, sql: string) => {
        const failure = readFailure(await exchange(bytes, rows), rows, { sql, hidesValues: false, signal, where: this.#where });
        if (failure !== undefined) throw failure;
      };
      await ask(Buffer.concat([hideLook, beginRead, prelude]), new UserRows(nowhere, noRows, this.#types), 'begin');
      return await work(async ({ statement: { sql }, params, maxRows, ...request }, sink) => {
        await ask(formatQuestion(sql, params, maxRows ?? 0), new UserRows(sink, request, this.#types), sql);
        return { timeZone: undefined };
      });
    });
  }

  async close(): Promise<void> {
    this.#over = true;
    if (this.#running !== undefined) await stopStatement(this.#conversation, this.#route, this.#running);
    await this.#conversation.close();
  }

  /** What was cheaper to ask is not the premise: when it is false, the premise itself is looked at. */
  async #readOnce(call: ReadCall, limited: Limited): Promise<{ segment: Segment; rows: UserRows }> {
    const { premise } = call.request.statement;
    const look = this.#watch.lookAt(premise);
    const read = await this.#readWith(call, limited, look);
    if (isLookMissing(read.segment)) {
      this.#ready.distrust();
      return await this.#readOnce(call, limited);
    }
    if (!isLookFalse(read.segment, look)) return read;
    if (look?.full !== false) throw premiseFailure();
    this.#watch.sawChange();
    return await this.#readOnce(call, limited);
  }

  async #readWith({ request, sink, signal }: ReadCall, { sql, maxRows }: Limited, look: Look | undefined) {
    await this.#untilIdle(signal);
    const { statement: read, params } = request;
    const rows = new UserRows(sink, request, this.#types);
    const looked = look?.full ? new LookedRows(rows) : undefined;
    const format = read.premise === undefined ? formatQuestion : statement;
    const beginning = this.#ready.begin({ timeoutMs: request.timeoutMs, look });
    const check = this.#keepsState && read.premise !== undefined ? new StateCheck() : undefined;
    const cleans = check === undefined && this.#delays.areLong;
    const bytes = Buffer.concat([
      beginning,
      format(formatTag(request) + sql, params, maxRows),
      cleans ? cleanAtOnce : nothing,
      sync,
    ]);
    const segment = await this.#run({ bytes, rows, looked, stopsEarly: true, check, cleans }, signal);
    if (looked !== undefined) this.#watch.sawTrue(read.premise ?? '', looked.moment);
    const isNews = looked?.keepsState === true && !this.#keepsState;
    this.#keepsState = looked?.keepsState ?? this.#keepsState;
    if (isNews || read.leavesState) this.#over = true;
    return { segment, rows };
  }

  async #untilIdle(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#idle, signal);
    if (!this.alive) throw staleFailure();
  }

  /** Resolves when the answer to the caller's statement is complete, or there will be none. */
  async #run({ bytes, before = [], rows, looked, stopsEarly, check, cleans }: Batch, signal: AbortSignal): Promise<Segment> {
    const segment = new Segment(looked ?? rows);
    const cleaning = cleans ? [] : [new Segment(), new Segment()];
    const checking = check === undefined ? [] : [check.segment];
    const all = Buffer.concat([bytes, check?.bytes ?? nothing, cleans ? nothing : this.#ready.cleanUp]);
    const segments = [...before, segment, ...checking, ...cleaning];
    const { stopping } = await this.#answer({ bytes: all, segments, segment, limited: stopsEarly ? rows : undefined }, signal);
    const isUnclean = cleans && segment.error !== undefined;
    // The read itself came to its end before.
    if (isUnclean && segment.tags.at(-1) === 'ROLLBACK') segment.error = undefined;
    this.#idle = this.#settle(isUnclean ? this.#clean() : cleaning, stopping, () => check?.mayLeaveState(segment, rows) === true);
    return segment;
  }

  /** Sends, and waits for the end of the one segment that may take long; stopping it may take longer than that. */
  async #answer({ bytes, segments, segment, limited }: Sent, signal: AbortSignal): Promise<{ stopping?: Promise<void> }> {
    let stopping: Promise<void> | undefined;
    const stop = () => {
      if (!segment.ended) stopping ??= stopStatement(this.#conversation, this.#route, segment);
    };
    if (limited !== undefined) limited.onEnough = () => setTimeout(stop, enoughMs);
    this.#running = segment;
    this.#conversation.send(bytes, segments);
    const stopListening = onAbort(signal, stop);
    await segment.done;
    this.#running = undefined;
    stopListening();
    return stopping === undefined ? {} : { stopping };
  }

  async #settle(cleaning: readonly Segment[], stopping: Promise<void> | undefined, leavesState: () => boolean): Promise<void> {
    await stopping;
    // The request to stop may have hit the cleaning instead.
    const last = stopping === undefined ? cleaning : this.#clean();
    const started = performance.now();
    await Promise.all(last.map(({ done }) => done));
    this.#delays.note(performance.now() - started);
    if (this.#delays.areLong) this.#ready.distrust();
    if (last.some(({ failed }) => failed) || leavesState()) this.#over = true;
    // The pool may not take it up again for long.
    if (this.#over && this.#conversation.lost === undefined) void this.#conversation.close();
    this.#ready.cleaned();
    const question = this.#types.takeQuestion();
    if (question !== undefined && this.alive) await this.#learnTypes(question);
  }

  #clean(): readonly Segment[] {
    if (this.#delays.areLong) return this.#send(Buffer.concat([cleanAtOnce, sync]), [new Segment()]);
    return this.#send(this.#ready.cleanUp, [new Segment(), new Segment()]);
  }

  /** What there is to find out of a new session, without waiting for it. */
  async #prepare(): Promise<void> {
    const facts = new OwnRows();
    const asking = Buffer.concat([ownFacts, sync, command(clientCheck), sync]);
    const [, probe] = this.#send(asking, [new Segment(facts), new Segment()]);
    await this.#learnTypes(declaredTypes);
    this.#ready.checksClient = probe !== undefined && !probe.failed;
    const [pid, keepsState] = facts.rows[0] ?? [];
    this.#ready.direct = pid === this.#conversation.pid && !this.#delays.areLong;
    this.#keepsState = keepsState === 't';
  }

  async #learnTypes({ sql, params }: Question): Promise<void> {
    const answer = new OwnRows();
    const bytes = Buffer.concat([beginRead, formatQuestion(sql, params, 0), sync, this.#ready.cleanUp]);
    const segments = this.#send(bytes, [new Segment(answer), new Segment(), new Segment()]);
    await Promise.all(segments.map(({ done }) => done));
    this.#types.learn(answer.rows);
  }

  #send(bytes: Buffer, segments: readonly Segment[]): readonly Segment[] {
    this.#conversation.send(bytes, segments);
    return segments;
  }

  get #where() {
    return { host: this.#route.target.connectHost, port: this.#route.target.connectPort };
  }
}
