import { Failure, type FailureOptions } from '@dbmole/core';

/** The same failure, with some of it said better. An option that is undefined is left away. */
export function failureWith(error: Failure, changes: { [K in keyof FailureOptions]?: FailureOptions[K] | undefined }): Failure {
  const { kind, message, code, hint, engineCode, position, nearest, cause } = error;
  const options = { hint, engineCode, position, ...changes };
  return new Failure(kind, message, {
    code,
    nearest: changes.nearest ?? nearest,
    cause,
    ...(options.hint === undefined ? {} : { hint: options.hint }),
    ...(options.engineCode === undefined ? {} : { engineCode: options.engineCode }),
    ...(options.position === undefined ? {} : { position: options.position }),
  });
}
