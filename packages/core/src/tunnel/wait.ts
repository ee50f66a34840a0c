import { Failure } from '../failure.ts';
import type { Loss } from './loss.ts';

export interface WaitOptions<T> {
  timeoutMs: number;
  onTimeout(): Failure;
  /** Ends the wait with its cause. */
  loss?: Loss;
  signal?: AbortSignal | undefined;
  /** Takes a value that came when nobody waited any more, so that it can be disposed. */
  late?(value: T): void;
}

/**
 * Waits for a callback, but not for ever: for a limited time, while the connection lives, and until the caller gives up.
 * `start` may throw; it may call back several times, of which the first counts.
 */
export function waitFor<T>(
  options: WaitOptions<T>,
  start: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let settled = false;
    const stop: (() => void)[] = [];
    const settle = (finish: () => void): void => {
      if (settled) return;
      settled = true;
      for (const undo of stop) undo();
      finish();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const timer = setTimeout(() => fail(options.onTimeout()), options.timeoutMs);
    stop.push(() => clearTimeout(timer));
    if (options.loss !== undefined) stop.push(options.loss.onLoss(fail));
    if (options.signal !== undefined) stop.push(onAbort(options.signal, fail));
    if (settled) {
      for (const undo of stop) undo();
      return;
    }
    try {
      start((value) => (settled ? options.late?.(value) : settle(() => resolve(value))), fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** Stops waiting when the caller gives up; the work itself goes on for others. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, reject);
    work.then(resolve, reject).finally(stop);
  });
}

/** Throws when the caller has already given up. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortFailure(signal);
}

function onAbort(signal: AbortSignal, listener: (cause: Failure) => void): () => void {
  const report = (): void => listener(abortFailure(signal));
  if (signal.aborted) report();
  else signal.addEventListener('abort', report, { once: true });
  return () => signal.removeEventListener('abort', report);
}

/** The caller's own reason when it is one of ours (a time limit, for example). */
function abortFailure(signal: AbortSignal): Failure {
  if (signal.reason instanceof Failure) return signal.reason;
  return new Failure('cancelled', 'opening the SSH tunnel was cancelled', { cause: signal.reason });
}
