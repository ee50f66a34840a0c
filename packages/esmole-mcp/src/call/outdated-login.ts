import { Failure, failureWith } from '@dbmole/core';
import type { ClusterBackend, Send } from '../backend.ts';
import { answerFailure } from './answer-failure.ts';

/** Whether a password or key that was accepted has been changed since. */
export function isOutdatedLogin(error: unknown): boolean {
  return error instanceof Failure && error.detail.loginExpired === true;
}

/**
 * Every request carries the login, so a password can be refused at any time. A refused client is not used
 * again, for only the next one gets what the password manager says by then.
 */
export function withOutdatedLogin(send: Send): Pick<ClusterBackend, 'send' | 'isSpent'> {
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
      throw failureWith(failure, { detail: { loginExpired: true } });
    },
  };
}
