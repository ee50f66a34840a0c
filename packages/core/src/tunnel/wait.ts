import type { Failure } from '../failure.ts';
import { formatAbort } from '../waiting.ts';
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

/** Throws when the caller has already given up. */
export function checkAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw formatAbort(signal);
}

function onAbort(signal: AbortSignal, listener: (cause: Failure) => void): () => void {
  const report = (): void => listener(formatAbort(signal));
  if (signal.aborted) report();
  else signal.addEventListener('abort', report, { once: true });
  return () => signal.removeEventListener('abort', report);
}
