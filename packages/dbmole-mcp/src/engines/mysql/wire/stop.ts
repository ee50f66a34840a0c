import { onAbort, settlesWithin } from '@dbmole/core';
import type { Canceller } from './cancel.ts';
import type { Conversation } from './conversation.ts';
import { createDeferred } from './deferred.ts';

/** A statement that runs longer than this may have to be stopped: the canceller connects ahead. */
const prepareAfterMs = 200;
/** An unwanted rest of a result that is read in this time needs no KILL. */
const drainMs = 10;
/** The delay of the own time limit after that of the engine, whose error is more exact. */
const lateMs = 100;
/** The KILL is repeated, because one that comes before the statement has begun stops nothing. */
const repeatMs = 100;
/** The pause between KILLs of an abandoned statement, of which the server may not have received any. */
const repeatLaterMs = 5_000;

type StopCause = 'aborted' | 'timeout' | 'enough' | 'closed';

export interface Watched {
  conversation: Conversation;
  canceller: Pick<Canceller, 'kill' | 'prepare'>;
  /** The signal of the caller. */
  signal: AbortSignal;
  /** Aborted when the session is being closed. */
  closing: AbortSignal;
  /** Drops all further rows. */
  discard(): void;
  timeoutMs: number;
}

/** Watches one statement, and stops it in the engine when it must not go on. */
export class Watch {
  readonly #watched: Watched;
  readonly #started = performance.now();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #over = createDeferred<void>();
  readonly #stopListening: readonly (() => void)[];
  #settled = false;
  #elapsed = 0;
  #cause: StopCause | undefined;
  #killing: Promise<void> | undefined;
  #killSent = false;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#after(prepareAfterMs, () => watched.canceller.prepare());
    this.#after(watched.timeoutMs + lateMs, () => this.#stop('timeout'));
    this.#stopListening = [
      onAbort(watched.signal, () => this.#stop('aborted')),
      onAbort(watched.closing, () => this.#stop('closed')),
    ];
  }

  /** Why the statement was stopped. The first cause counts, but a caller that has enough rows may still abort. */
  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** The statement must not go on, because no caller waits for it. */
  get stopped(): boolean {
    return this.#cause !== undefined && this.#cause !== 'enough';
  }

  /** The time limit passed. The engine ends SLEEP and BENCHMARK at the limit without an error, so the elapsed time counts. */
  get expired(): boolean {
    return this.#cause === 'timeout' || (this.#cause !== 'enough' && this.#elapsed >= this.#watched.timeoutMs);
  }

  /** The sink wants no more rows. */
  enough(): void {
    if (this.#cause !== undefined) return;
    this.#cause = 'enough';
    this.#after(drainMs, () => this.#kill());
  }

  /** The statement is over. Only an abandoned one is still stopped in the server. */
  settle(): void {
    this.#settled = true;
    this.#elapsed = performance.now() - this.#started;
    for (const stop of this.#stopListening) stop();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#over.resolve();
    if (this.#watched.conversation.pendingEnd !== undefined) void killUntilClosed(this.#watched);
  }

  /** Runs an empty statement for a late KILL to hit instead of the next statement. */
  async absorbKill(): Promise<void> {
    const { conversation } = this.#watched;
    if (!this.#killSent || conversation.lost !== undefined) return;
    await this.#killing;
    if (conversation.lost === undefined) await conversation.query('DO 0').catch(() => undefined);
  }

  #stop(cause: Exclude<StopCause, 'enough'>): void {
    if (this.#settled || this.stopped) return;
    this.#cause = cause;
    this.#watched.discard();
    this.#kill();
  }

  /** Pauses reading, which holds the engine back until the KILL arrives; then the rest of the result is drained. */
  #kill(): void {
    if (this.#killing !== undefined) return;
    const { conversation } = this.#watched;
    this.#after(settleMs, () => conversation.abandon());
    conversation.pause();
    this.#killing = this.#killUntilOver().catch(() => this.#cannotKill());
  }

  async #killUntilOver(): Promise<void> {
    const { conversation, canceller } = this.#watched;
    while (!this.#settled) {
      await canceller.kill(conversation.threadId, () => this.#claim()).finally(() => conversation.resume());
      await Promise.race([this.#over.promise, new Promise<void>((resolve) => this.#after(repeatMs, resolve))]);
    }
  }

  /**
   * Ends the session, because the statement cannot be stopped, or it is unknown which statement the KILL hits. The connection of an
   * abandoned statement stays open, because its close reports the end of the statement.
   */
  #cannotKill(): void {
    const { conversation } = this.#watched;
    if (!this.#settled) conversation.abandon();
    else if (this.#killSent && conversation.pendingEnd === undefined) conversation.destroy();
  }

  /** Whether to send the KILL now. One that comes before the statement has begun would hit the reset before it. */
  #claim(): boolean {
    const { isAhead, pendingEnd } = this.#watched.conversation;
    if ((this.#settled && pendingEnd === undefined) || isAhead) return false;
    this.#killSent = true;
    return true;
  }

  #after(milliseconds: number, work: () => void): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        work();
      },
      Math.min(milliseconds, 0x7fffffff),
    );
    this.#timers.add(timer);
  }
}

/** Repeats the KILL until the connection of an abandoned statement is closed, which happens when the statement has ended. */
async function killUntilClosed({ conversation, canceller }: Pick<Watched, 'conversation' | 'canceller'>): Promise<void> {
  let isClosed = false;
  const closed = conversation.closed.then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    await canceller.kill(conversation.threadId, () => !isClosed).catch(() => undefined);
    await settlesWithin(closed, { ms: repeatLaterMs, keepsAlive: false });
  }
}

/** Work that does not end in this time after an abort is abandoned. */
const settleMs = 2_000;

interface Bounds {
  conversation: Conversation;
  signals: readonly AbortSignal[];
}

/** Runs several steps on one connection, and abandons the connection when they do not end soon after an abort. */
export async function withGrace<T>({ conversation, signals }: Bounds, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const abort = () => {
    timer ??= setTimeout(() => conversation.abandon(), settleMs);
  };
  const stops = signals.map((signal) => onAbort(signal, abort));
  try {
    return await work();
  } finally {
    for (const stop of stops) stop();
    clearTimeout(timer);
  }
}
