import { Failure } from '@dbmole/core';

/** A refusal by the policy on fields. Its message must not contain a value from a document. */
export function refuseField(message: string): Failure {
  return new Failure('refused', message, {
    code: 'E_PROTECTED_COLUMN',
    hint: 'Leave the field out. Only the user can change "columns", where the connection is defined.',
  });
}
