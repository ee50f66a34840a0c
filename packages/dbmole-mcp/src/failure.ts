import { Failure, failureWith } from '@dbmole/core';

/** Says that the connection was already gone when it was about to be used: nothing was sent, so the call may be repeated. */
const staleCode = 'E_STALE';

export function staleFailure(): Failure {
  return new Failure('connection', 'the connection was closed by the server', { code: staleCode, hint: 'Retry.' });
}

export function isStaleError(error: unknown): boolean {
  return error instanceof Failure && error.code === staleCode;
}

/** The server, or a limit of the account or the database, has no room for a further session. */
export function isCrowdedError(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'E_TOO_MANY_CONNECTIONS';
}

/** The outcome of a write that was stopped: a statement that commits implicitly may have done a part. */
export function afterStop<E>(error: E, isRolledBack: boolean): E | Failure {
  if (!isStop(error)) return error;
  const end = isRolledBack ? 'it was rolled back and nothing was changed' : 'what it committed on its own remains';
  return failureWith(error, { message: `${error.message}; ${end}` });
}

/** A call that ended while it waited for a session. */
export function beforeStart(error: unknown): unknown {
  if (!isStop(error)) return error;
  return failureWith(error, { message: `${error.message}; it was waiting for a session and nothing was run` });
}

function isStop(error: unknown): error is Failure {
  return error instanceof Failure && (error.kind === 'timeout' || error.kind === 'cancelled');
}
