import { Failure } from '@dbmole/core';

/** Why a signal was aborted; whoever aborts with a Failure is quoted. */
export function abortFailure({ reason }: AbortSignal): Failure {
  if (reason instanceof Failure) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return timedOut
    ? new Failure('timeout', 'the time limit passed', { hint: 'Ask for less, or allow more time.', cause: reason })
    : new Failure('cancelled', 'the call was cancelled', { cause: reason });
}

/** Waits for what never rejects, but no longer than the signal allows. */
export function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortFailure(signal));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve).finally(() => signal.removeEventListener('abort', abort));
  });
}
