import { Failure } from '@dbmole/core';
import { answerFailure } from './answer-failure.ts';
import type { ClusterBackend, Send } from './backend.ts';

/** Refusals of a login that was good before: nothing was done, and with a new secret the call can be made again. */
const outdated = new WeakSet<Failure>();

/** Whether a password or key that was accepted has been changed since. */
export function isOutdatedLogin(error: unknown): boolean {
  return error instanceof Failure && outdated.has(error);
}

/**
 * A cluster is told with every request who asks, so a password can be refused in the middle of a life. Whoever is refused is not used
 * again, for only the next one gets what the password manager says by then.
 */
export function withRefusal(send: Send): Pick<ClusterBackend, 'send' | 'isSpent'> {
  let wasAccepted = false;
  let isSpent = false;
  return {
    isSpent: () => isSpent,
    async send(request, options) {
      const answer = await send(request, options);
      if (answer.status !== 401) wasAccepted = true;
      else isSpent = true;
      const failure = answer.status === 401 && wasAccepted ? answerFailure(answer) : undefined;
      if (failure === undefined) return answer;
      outdated.add(failure);
      throw failure;
    },
  };
}
