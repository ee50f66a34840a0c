import { respond } from '../../../answer/respond.ts';
import { Failure } from '../../../failure.ts';
import type { PendingRequest } from './pending-requests.ts';

const internalError = -32603;

/** The line that answers a request whose process is gone. It was sent once and is never repeated: it may have been a write. */
export function formatLostAnswer({ id, method, tool }: PendingRequest, isOldEra: boolean): string {
  const failure = new Failure('connection', `the shared process ended before it answered ${tool ?? method}`, {
    code: 'E_OUTCOME_UNKNOWN',
    hint: 'A read can be repeated. Check with a read whether a change was made before you repeat it.',
  });
  // In the newer era a result has fields that only the protocol's library knows; an error looks the same in both.
  const isResult = tool !== undefined && isOldEra;
  const body = isResult
    ? { result: respond.failure(failure) }
    : { error: { code: internalError, message: `${failure.code}: ${failure.message}` } };
  return `${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`;
}
