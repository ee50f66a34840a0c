import { setTimeout as delay } from 'node:timers/promises';
import type { Control } from './control.ts';
import { createDeferred } from './deferred.ts';
import type { Link } from './link.ts';
import { settleMs } from './with-grace.ts';

/** A statement that runs longer than this may have to be stopped: the control connection is made ready. */
const prepareAfterMs = 200;
/** What is left of a result that nobody wants may be short; only a long one is stopped. */
const drainMs = 10;
/** After the engine's own clock, which says more exactly what happened. */
const lateMs = 100;
/** A KILL that comes before the statement has begun stops nothing, so it is repeated. */
const repeatMs = 100;
/** Of a statement that was abandoned: the server may not have heard of it yet. */
const repeatLaterMs = 5_000;

export type StopCause = 'aborted' | 'timeout' | 'enough' | 'closed';

export interface Watched {
  link: Link;
  control: Pick<Control, 'kill' | 'prepare'>;
  /** The caller's. */
  signal: AbortSignal;
  /** The session's: it is being closed. */
  closing: AbortSignal;
  /** No row that still comes is wanted. */
  discard(): void;
  timeoutMs: number;
}

/** Stands by while one statement runs, and stops it in the engine when it must not go on. */
export class Watch {
  readonly #watched: Watched;
  readonly #started = performance.now();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #over = createDeferred<void>();
  #settled = false;
  #elapsed = 0;
  #cause: StopCause | undefined;
  #killing: Promise<void> | undefined;
  #killSent = false;

  constructor(watched: Watched) {
    this.#watched = watched;
    this.#after(prepareAfterMs, () => watched.control.prepare());
    this.#after(watched.timeoutMs + lateMs, () => this.#stop('timeout'));
    watched.signal.addEventListener('abort', this.#abort, { once: true });
    watched.closing.addEventListener('abort', this.#close, { once: true });
  }

  /** Why it was stopped; the first reason counts, but whoever had enough may still abort. */
  get cause(): StopCause | undefined {
    return this.#cause;
  }

  /** It must not go on: nobody waits for it any more. */
  get stopped(): boolean {
    return this.#cause !== undefined && this.#cause !== 'enough';
  }

  /** The engine ends SLEEP and BENCHMARK at the limit as if nothing had happened, so our own clock has to say that it passed. */
  get expired(): boolean {
    return this.#cause === 'timeout' || (this.#cause !== 'enough' && this.#elapsed >= this.#watched.timeoutMs);
  }

  /** No more rows are wanted. */
  enough(): void {
    if (this.#cause !== undefined) return;
    this.#cause = 'enough';
    this.#after(drainMs, () => this.#kill());
  }

  /** The statement is over, and nothing is stopped any more, unless it was abandoned. */
  settle(): void {
    this.#settled = true;
    this.#elapsed = performance.now() - this.#started;
    this.#watched.signal.removeEventListener('abort', this.#abort);
    this.#watched.closing.removeEventListener('abort', this.#close);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#over.resolve();
    if (this.#watched.link.pendingEnd !== undefined) void killUntilClosed(this.#watched);
  }

  /** A KILL that comes late hits the next statement, so one is sacrificed to it. */
  async absorbKill(): Promise<void> {
    const { link } = this.#watched;
    if (!this.#killSent || link.lost !== undefined) return;
    await this.#killing;
    if (link.lost === undefined) await link.query('DO 0').catch(() => undefined);
  }

  readonly #abort = () => this.#stop('aborted');
  readonly #close = () => this.#stop('closed');

  #stop(cause: Exclude<StopCause, 'enough'>): void {
    if (this.#settled || this.stopped) return;
    this.#cause = cause;
    this.#watched.discard();
    this.#kill();
  }

  /** Not reading holds the engine back until it has been told; then what was on its way is drained. */
  #kill(): void {
    if (this.#killing !== undefined) return;
    const { link } = this.#watched;
    this.#after(settleMs, () => link.abandon());
    link.pause();
    this.#killing = this.#killUntilOver().catch(() => this.#cannotKill());
  }

  async #killUntilOver(): Promise<void> {
    const { link, control } = this.#watched;
    while (!this.#settled) {
      await control.kill(link.threadId, () => this.#claim()).finally(() => link.resume());
      await Promise.race([this.#over.promise, new Promise<void>((resolve) => this.#after(repeatMs, resolve))]);
    }
  }

  /** What runs cannot be stopped, or whether it was is unknown: either way the session is not to be trusted. */
  #cannotKill(): void {
    const { link } = this.#watched;
    if (!this.#settled) link.abandon();
    else if (this.#killSent) link.destroy();
  }

  #claim(): boolean {
    if (this.#settled && this.#watched.link.pendingEnd === undefined) return false;
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

/** The connection of an abandoned statement closes when it has ended. */
async function killUntilClosed({ link, control }: Pick<Watched, 'link' | 'control'>): Promise<void> {
  let isClosed = false;
  const closed = link.closed.then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    await control.kill(link.threadId, () => !isClosed).catch(() => undefined);
    await Promise.race([closed, delay(repeatLaterMs, undefined, { ref: false })]);
  }
}
