import { Failure } from './failure.ts';

/** Why a signal was aborted. Whoever aborts with a Failure is quoted; the rest is told apart by the reason's name. */
export function formatAbort(signal: AbortSignal, cause: unknown = signal.reason): Failure {
  const reason: unknown = signal.reason;
  if (reason instanceof Failure) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return timedOut
    ? new Failure('timeout', 'the time limit passed', { hint: 'Ask for less, or allow more time.', cause })
    : new Failure('cancelled', 'the call was cancelled', { cause });
}

/** Waits no longer than the signal allows. The work itself goes on; nobody is left to hear how it ends. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(formatAbort(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

export interface Limit {
  ms: number;
  /** Whether the timer keeps the process alive: only while somebody who ends the process waits for it. */
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
