import { setTimeout as delay } from 'node:timers/promises';
import { Failure, maxAttempts, onAbort, retry, settlesWithin, waitFor, withDeadline, withoutConfirmedEnd } from '@dbmole/core';
import type { Session } from '../engine.ts';
import { isCrowdedError, isStaleError, staleFailure } from '../failure.ts';
import { CallSlots } from './call-slots.ts';

export interface SessionPoolOptions {
  open(signal: AbortSignal): Promise<Session>;
  /** Sessions at most, and so calls at once. */
  size?: number | undefined;
  /** How long a call waits for a session. */
  waitMs?: number | undefined;
  /** How long a session that is not the last one stays open unused. */
  idleMs?: number | undefined;
  /** How long the sessions may take to disconnect. */
  disposeMs?: number | undefined;
}

const defaults = { size: 4, waitMs: 10_000, idleMs: 60_000, disposeMs: 3_000 };

/** A server counts a session until it has noticed its end. */
const leaving = { ms: 5_000, retryMs: 50 };

interface Idle {
  session: Session;
  since: number;
}

/** A call for which the server has no further session. */
interface Crowded {
  take(session: Session): void;
  refuse(error: Failure): void;
}

/** The sessions of one connection and database. A session serves one call at a time, and is opened when none is free. */
export class SessionPool {
  readonly #open: SessionPoolOptions['open'];
  readonly #waitMs: number;
  readonly #idleMs: number;
  readonly #disposeMs: number;
  readonly #slots: CallSlots;
  /** The session that was used last is taken first: the others grow old and are closed. */
  #idle: Idle[] = [];
  readonly #sessions = new Set<Session>();
  /** Each under the signal of its wait, in the order in which they came. */
  readonly #crowded = new Map<AbortSignal, Crowded>();
  /** Those whose statement was given up, until the server confirms its end. */
  readonly #unconfirmed = new Set<Session>();
  /** Openings and closings that are under way. */
  readonly #pending = new Set<Promise<unknown>>();
  readonly #end = new AbortController();
  /** When the server has noticed the end of the last session that was closed, at the latest. */
  #leavesUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #disposal: Promise<void> | undefined;

  constructor(options: SessionPoolOptions) {
    this.#open = options.open;
    this.#waitMs = options.waitMs ?? defaults.waitMs;
    this.#idleMs = options.idleMs ?? defaults.idleMs;
    this.#disposeMs = options.disposeMs ?? defaults.disposeMs;
    this.#slots = new CallSlots({ size: options.size ?? defaults.size, waitMs: this.#waitMs });
  }

  /** Whether calls run or wait. */
  get inUse(): boolean {
    return this.#slots.running > 0;
  }

  /** How many statements were given up and may still be running in the server. */
  get unconfirmed(): number {
    return this.#unconfirmed.size;
  }

  /** Sessions that are open, and calls that wait for one. */
  get status(): { sessions: number; waiting: number } {
    return { sessions: this.#sessions.size, waiting: this.#slots.waiting };
  }

  /** A session for one call. One that proves dead before anything was sent is replaced, and the call made again. */
  async use<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#disposal !== undefined) throw staleFailure();
    await this.#slots.take(signal);
    const mayRetry = (error: unknown) => isStaleError(error) && !signal.aborted && this.#disposal === undefined;
    try {
      return await retry({ max: maxAttempts.session, mayRetry }, async (attempt) => {
        // What killed the first one has probably killed those that were idle as well.
        if (attempt > 1) this.#closeIdle(0);
        const session = attempt > 1 ? await this.#openOrShare(signal) : await this.#take(signal);
        return await this.#attempt(session, signal, work);
      });
    } finally {
      this.#slots.free();
    }
  }

  /** Opens the first session, so that opening a connection reports what is wrong with it. */
  async warm(signal: AbortSignal): Promise<void> {
    await this.use(signal, async () => undefined);
  }

  /** Stops what runs, closes everything; never rejects, and waits for no session that does not answer. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#dispose();
    return this.#disposal;
  }

  async #attempt<T>(session: Session, signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const stop = onAbort(signal, () => this.#unconfirmed.add(session));
    let failed = true;
    try {
      const result = await work(session);
      failed = false;
      return result;
    } catch (error) {
      throw session.pendingEnd !== undefined && error instanceof Failure ? withoutConfirmedEnd(error) : error;
    } finally {
      stop();
      this.#unconfirmed.delete(session);
      if (session.pendingEnd === undefined) this.#giveBack(session, failed);
      else this.#hold(session, session.pendingEnd);
    }
  }

  /** No other session takes its place while its statement may still be running: such statements would pile up in the server. */
  #hold(session: Session, pendingEnd: Promise<void>): void {
    this.#unconfirmed.add(session);
    const ended = pendingEnd.then(() => {
      this.#unconfirmed.delete(session);
      this.#giveBack(session, true);
    });
    this.#slots.hold(ended);
  }

  async #take(signal: AbortSignal): Promise<Session> {
    return this.#takeIdle() ?? (await this.#openOrShare(signal));
  }

  /** Where the server, the database or the account has no room for one more session, calls share those that there are. */
  async #openOrShare(signal: AbortSignal): Promise<Session> {
    for (;;) {
      try {
        return await this.#openNew(signal);
      } catch (error) {
        if (!isCrowdedError(error)) throw error;
        const idle = this.#takeIdle();
        if (idle !== undefined) return idle;
        if (this.#sessions.size > 0) return await this.#awaitSession(signal, error);
        if (performance.now() > this.#leavesUntil) throw error;
        await delay(leaving.retryMs);
      }
    }
  }

  #takeIdle(): Session | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.session.alive) return idle.session;
      this.#close(idle.session);
    }
    return undefined;
  }

  async #awaitSession(signal: AbortSignal, reason: Failure): Promise<Session> {
    const late = (session: Session) => this.#giveBack(session, false);
    const limits = { timeoutMs: this.#waitMs, onTimeout: () => reason, late };
    return await withDeadline({ signals: [signal, this.#end.signal] }, async (limited) => {
      try {
        return await waitFor<Session>({ ...limits, signal: limited }, (take, refuse) =>
          this.#crowded.set(limited, { take, refuse }),
        );
      } finally {
        this.#crowded.delete(limited);
      }
    });
  }

  #takeCrowded(): Crowded | undefined {
    const [first] = this.#crowded;
    if (first === undefined) return undefined;
    this.#crowded.delete(first[0]);
    return first[1];
  }

  async #openNew(signal: AbortSignal): Promise<Session> {
    return await withDeadline({ signals: [signal, this.#end.signal] }, async (limited) => {
      limited.throwIfAborted();
      return await this.#track(this.#open(limited).then((session) => this.#keep(session)));
    });
  }

  #keep(session: Session): Session {
    this.#sessions.add(session);
    if (this.#disposal === undefined) return session;
    this.#close(session);
    throw staleFailure();
  }

  /** A session may still be cleaning up after a failure: the next call should get it last. */
  #giveBack(session: Session, failed: boolean): void {
    if (this.#disposal !== undefined) return;
    if (session.alive) this.#rest(session, failed);
    else this.#close(session);
  }

  #rest(session: Session, failed: boolean): void {
    const crowded = this.#takeCrowded();
    const idle = { session, since: performance.now() };
    if (crowded !== undefined) crowded.take(session);
    else if (failed) this.#idle.unshift(idle);
    else this.#idle.push(idle);
    this.#watchIdle();
  }

  #watchIdle(): void {
    if (this.#timer !== undefined || this.#idle.length < 2) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#closeIdle(1);
      this.#watchIdle();
    }, this.#idleMs).unref();
  }

  /** All but the `kept` that were used last; when some are kept, only those that were not used for long. */
  #closeIdle(kept: number): void {
    const limit = kept === 0 ? Number.POSITIVE_INFINITY : performance.now() - this.#idleMs / 2;
    const spare = this.#idle.slice(0, this.#idle.length - kept).filter(({ since }) => since <= limit);
    this.#idle = this.#idle.filter((idle) => !spare.includes(idle));
    for (const { session } of spare) this.#close(session);
  }

  /** It runs in the background: closing never rejects. */
  #close(session: Session): void {
    this.#sessions.delete(session);
    this.#leavesUntil = performance.now() + leaving.ms;
    void this.#track(session.close());
    // There may be room for one now.
    this.#takeCrowded()?.refuse(staleFailure());
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const done = () => this.#pending.delete(work);
    work.then(done, done);
    return work;
  }

  async #dispose(): Promise<void> {
    clearTimeout(this.#timer);
    this.#idle = [];
    this.#end.abort(staleFailure());
    this.#slots.refuseWaiting(staleFailure());
    for (const session of this.#sessions) this.#close(session);
    await settlesWithin(Promise.allSettled(this.#pending), { ms: this.#disposeMs, keepsAlive: false });
  }
}
