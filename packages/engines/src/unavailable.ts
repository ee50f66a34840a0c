import { Failure, type Hint } from '@dbmole/core/failure';

const code = 'E_ENGINE_UNAVAILABLE';

/** This machine cannot have the engine. On a laptop a reason to skip, in CI a failure. */
export function unavailable(reason: string, advice: Hint, cause?: unknown): Failure {
  return new Failure('connection', reason, { code, hint: advice, cause });
}

export function isUnavailable(error: unknown): error is Failure {
  return error instanceof Failure && error.code === code;
}
