import { Failure, formatAbort, untilAborted } from '@dbmole/core';
import type { ReadEnd, ReadRequest, RowSink, Session, WriteEnd, WriteRequest } from '../../engine.ts';
import { staleFailure } from '../../failure.ts';
import type { Conversation } from './conversation.ts';
import { isStatementEnded, toFailure } from './failure.ts';
import { refuseDryRun } from './guard/guard-thread.ts';
import { command, statement, sync } from './messages.ts';
import { formatQuestion } from './own-question.ts';
import { clientCheck, isLookFalse, isLookMissing, premiseFailure } from './prelude.ts';
import { type Look, LookedRows, PremiseWatch } from './premise-watch.ts';
import { beginRead, hideLook, ReadySession } from './ready-session.ts';
import { type Limited, limitPortal, limitRows } from './row-limit.ts';
import { Segment } from './segment.ts';
import { keepsStateSql, StateCheck } from './state-check.ts';
import { stopStatement } from './stop.ts';
import { declaredTypes, type Question, TypeCatalog } from './type-catalog.ts';
import { isZoned } from './type-names.ts';
import { OwnRows, UserRows } from './user-rows.ts';
import type { Route } from './wire.ts';
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
/** A sink that has enough is often at the end of a result that is limited anyway. */
const enoughMs = 5;

/** What is sent for one call, up to the cleaning. There is one segment for each Sync; the last has the caller's statement. */
interface Batch {
  bytes: Buffer;
  before?: readonly Segment[];
  rows: UserRows;
  /** In front of them, if the premise is looked at. */
  looked?: LookedRows | undefined;
  /** Stop the server when the sink has enough. */
  stopsEarly: boolean;
  /** Behind them. */
  check?: StateCheck | undefined;
}

interface ReadCall {
  request: ReadRequest;
  sink: RowSink;
  signal: AbortSignal;
}

interface WriteCall {
  request: WriteRequest;
  rows: UserRows;
  signal: AbortSignal;
}

/** One write and one round trip for each call. The cleaning is part of the write; its answers are awaited by the next call. */
export class PostgresSession implements Session {
  readonly #conversation: Conversation;
  readonly #route: Route;
  readonly #types = new TypeCatalog();
  /** Resolves when the session is clean and nothing of ours is under way. Never rejects. */
  #idle: Promise<void>;
  #running: Segment | undefined;
  readonly #watch = new PremiseWatch();
  readonly #ready = new ReadySession();
  #keepsState = false;
  /** Closed, or its state is in doubt. */
  #over = false;

  constructor(conversation: Conversation, route: Route) {
    this.#conversation = conversation;
    this.#route = route;
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
    const appended = limited.sql !== sql;
    // With a LIMIT of ours the complaint may be about that; without, it is about the caller's own text. It comes before anything
    // has run: a function that raises the same error does so later.
    const blamesUs = appended && first.rows.fields === undefined && first.segment.error?.code === '42601';
    const { segment, rows } = blamesUs ? await this.#readOnce(call, limitPortal(sql, request.maxRows)) : first;
    const failure = this.#readFailure(segment, rows, { sql, signal });
    if (failure !== undefined) throw failure;
    return { timeZone: rows.fields?.some(isZoned) ? this.#conversation.timeZone : undefined };
  }

  async write(request: WriteRequest, sink: RowSink, signal: AbortSignal): Promise<WriteEnd> {
    if (request.dryRun) await untilAborted(refuseDryRun(request.sql), signal);
    const rows = new UserRows(sink, request.keepPerCell, this.#types);
    const call = { request, rows, signal };
    const inside = mayEndTransactions(request) ? undefined : await this.#writeInside(call);
    const outside = inside === undefined || isOutsideOnly(inside);
    if (inside?.error !== undefined && outside && request.dryRun) throw serverNoDryRun(inside.error);
    const segment = outside ? await this.#writeOutside(call) : inside;
    if (rows.crash !== undefined) throw rows.crash.error;
    const failure = writeFailure(segment, { request, outside, signal, where: this.#where });
    if (failure !== undefined) throw failure;
    return parseWriteEnd(segment, outside, request.sql);
  }

  async #writeInside({ request, rows, signal }: WriteCall): Promise<Segment> {
    await this.#untilIdle(signal);
    const bytes = Buffer.concat([hideLook, formatWrite(request, this.#ready.settingsOf(request, true))]);
    return await this.#run({ bytes, rows, stopsEarly: false }, signal);
  }

  async #writeOutside({ request, rows, signal }: WriteCall): Promise<Segment> {
    await this.#untilIdle(signal);
    const bytes = Buffer.concat([hideLook, formatWriteOutside(request, this.#ready.settingsOf(request, false))]);
    return await this.#run({ bytes, before: [new Segment()], rows, stopsEarly: false }, signal);
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
    const { statement: read, params, keepPerCell } = request;
    const rows = new UserRows(sink, keepPerCell, this.#types);
    const looked = look?.full ? new LookedRows(rows) : undefined;
    const format = read.premise === undefined ? formatQuestion : statement;
    const beginning = this.#ready.begin({ timeoutMs: request.timeoutMs, look });
    const bytes = Buffer.concat([beginning, format(sql, params, maxRows), sync]);
    const check = this.#keepsState && read.premise !== undefined ? new StateCheck() : undefined;
    const segment = await this.#run({ bytes, rows, looked, stopsEarly: true, check }, signal);
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
  async #run({ bytes, before = [], rows, looked, stopsEarly, check }: Batch, signal: AbortSignal): Promise<Segment> {
    const segment = new Segment(looked ?? rows);
    const cleaning = [new Segment(), new Segment()];
    let stopping: Promise<void> | undefined;
    const stop = () => {
      if (!segment.ended) stopping ??= stopStatement(this.#conversation, this.#route, segment);
    };
    if (stopsEarly) rows.onEnough = () => setTimeout(stop, enoughMs);
    signal.addEventListener('abort', stop, { once: true });
    this.#running = segment;
    const checking = check === undefined ? [] : [check.segment];
    const all = Buffer.concat([bytes, check?.bytes ?? nothing, this.#ready.cleanUp]);
    this.#conversation.send(all, [...before, segment, ...checking, ...cleaning]);
    if (signal.aborted) stop();
    await segment.done;
    this.#running = undefined;
    signal.removeEventListener('abort', stop);
    this.#idle = this.#settle(cleaning, stopping, () => check?.mayLeaveState(segment, rows) === true);
    return segment;
  }

  async #settle(cleaning: readonly Segment[], stopping: Promise<void> | undefined, leavesState: () => boolean): Promise<void> {
    await stopping;
    // The request to stop may have hit the cleaning instead.
    const last = stopping === undefined ? cleaning : this.#send(this.#ready.cleanUp, [new Segment(), new Segment()]);
    await Promise.all(last.map(({ done }) => done));
    if (last.some(({ failed }) => failed) || leavesState()) this.#over = true;
    // The pool may not take it up again for long.
    if (this.#over && this.#conversation.lost === undefined) void this.#conversation.close();
    this.#ready.cleaned();
    const question = this.#types.takeQuestion();
    if (question !== undefined && this.alive) await this.#learnTypes(question);
  }

  /** What there is to find out of a new session, without waiting for it. */
  async #prepare(): Promise<void> {
    const facts = new OwnRows();
    const asking = Buffer.concat([ownFacts, sync, command(clientCheck), sync]);
    const [, probe] = this.#send(asking, [new Segment(facts), new Segment()]);
    await this.#learnTypes(declaredTypes);
    this.#ready.checksClient = probe !== undefined && !probe.failed;
    const [pid, keepsState] = facts.rows[0] ?? [];
    this.#ready.direct = pid === this.#conversation.pid;
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

  #readFailure(segment: Segment, rows: UserRows, { sql, signal }: { sql: string; signal: AbortSignal }): unknown {
    const { error, lost } = segment;
    if (rows.crash !== undefined) return rows.crash.error;
    if (signal.aborted && (lost !== undefined || isStatementEnded(error))) return formatAbort(signal);
    if (rows.enough && isStatementEnded(error)) return undefined;
    if (error?.fatal && !segment.answered) return staleFailure();
    if (error !== undefined || lost !== undefined) return toFailure(error ?? lost, this.#where, sql);
    if (segment.empty) return new Failure('input', 'the statement is empty');
    if (segment.copied) return new Failure('input', 'COPY … TO STDOUT gives no rows', { hint: 'Use SELECT.' });
    return undefined;
  }

  get #where() {
    return { host: this.#route.target.connectHost, port: this.#route.target.connectPort };
  }
}
