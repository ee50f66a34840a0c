import { setMaxListeners } from 'node:events';
import { Failure } from './failure.ts';

/**
 * Calls the listener once when the signal is aborted, and immediately if it already is. Returns a function that ends this, which
 * the owner of a long-lived signal must call.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return ignore;
  if (signal.aborted) {
    listener();
    return ignore;
  }
  // One call may run a dozen queries at once; Node would print a warning about the eleventh listener.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

function ignore(): void {}

/** Each call has two: the signal of its client, and its own. */
const maxPrepared = 2;
const prepared: AbortController[] = [];

/** A new controller. Making its signal takes 15 µs, so it is made ahead if possible. */
export function takeController(): AbortController {
  return prepared.pop() ?? new AbortController();
}

/** Makes the controllers of the next call, at a time when no call waits. */
export function prepareControllers(): void {
  while (prepared.length < maxPrepared) {
    const controller = new AbortController();
    // The signal is made when it is first read.
    if (!controller.signal.aborted) prepared.push(controller);
  }
}

/** Why a signal was aborted. A Failure as the reason is quoted; other reasons are distinguished by name. */
export function formatAbort(signal: AbortSignal, cause: unknown = signal.reason): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return timedOut
    ? new Failure('timeout', 'the time limit was reached', { hint: 'Ask for less, or allow more time.', cause })
    : new Failure('cancelled', 'the call was cancelled', { cause });
}

/** Throws when the caller has already given up. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw formatAbort(signal);
}

/** Waits no longer than the signal allows. The work itself goes on; its outcome is ignored. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => reject(formatAbort(signal)));
    work.then(resolve, reject).finally(stop);
  });
}

interface Deadline {
  /** The signals of the callers. The first one to abort ends the work, with its reason. */
  signals: readonly (AbortSignal | undefined)[];
  /** Milliseconds; undefined for no limit but the signals. */
  ms?: number;
  /** The reason when they have passed. */
  onTimeout?(): Failure;
}

/**
 * Runs work under one signal for several callers and a time limit. Unlike those of `AbortSignal.any` and `AbortSignal.timeout`, its
 * listeners and its timer are gone when the work ends, however long the callers' signals live.
 */
export async function withDeadline<T>(
  { signals, ms, onTimeout }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = ms === undefined ? undefined : setTimeout(() => limit.abort(onTimeout?.()), ms);
  const stops = signals.map((signal) => onAbort(signal, () => limit.abort(signal?.reason)));
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    for (const stop of stops) stop();
  }
}

interface WaitOptions<T> {
  timeoutMs: number;
  onTimeout(): Failure;
  /** Ends the wait with its cause. */
  loss?: { onLoss(listener: (cause: Failure) => void): () => void };
  signal?: AbortSignal | undefined;
  /** Takes a value that came too late, so that it can be disposed. */
  late?(value: T): void;
}

/**
 * Waits for a callback: for a limited time, while the connection lives, and until the caller gives up. `start` may throw; it may
 * call back several times, of which the first counts.
 */
export function waitFor<T>(
  { timeoutMs, onTimeout, loss, signal, late }: WaitOptions<T>,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isOver = false;
    const settle = (finish: () => void): void => {
      if (isOver) return;
      isOver = true;
      for (const stop of stops.splice(0)) stop?.();
      finish();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const timer = setTimeout(() => fail(onTimeout()), timeoutMs);
    const stops: (undefined | (() => void))[] = [() => clearTimeout(timer)];
    stops.push(loss?.onLoss(fail));
    stops.push(onAbort(signal, () => signal && fail(formatAbort(signal))));
    // One of these two may have ended the wait before it began.
    if (isOver) {
      for (const stop of stops) stop?.();
      return;
    }
    try {
      start((value) => (isOver ? late?.(value) : settle(() => resolve(value))), fail);
    } catch (error) {
      fail(error);
    }
  });
}

export interface Limit {
  ms: number;
  /** Whether the timer keeps the process alive: only while shutdown waits for it. */
  keepsAlive: boolean;
}

/** Whether the work was over, well or badly, within the limit. */
export function settlesWithin(work: Promise<unknown>, { ms, keepsAlive }: Limit): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    if (!keepsAlive) timer.unref();
    const onSettled = () => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(onSettled, onSettled);
  });
}
