import { Failure, toFailure as toAnyFailure } from '@dbmole/core';

/** Says that the connection was already gone when it was about to be used: nothing was sent, so the call may be repeated. */
export const staleCode = 'E_STALE';

export function staleFailure(): Failure {
  return new Failure('connection', 'the connection was closed by the server', { code: staleCode, hint: 'Call again.' });
}

export function isStaleError(error: unknown): boolean {
  return error instanceof Failure && error.code === staleCode;
}

/** Engines translate their own errors where they happen; whatever else arrives here is a bug of ours. */
export function toFailure(error: unknown): Failure {
  return toAnyFailure(error);
}
