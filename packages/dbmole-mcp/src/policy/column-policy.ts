import { Failure } from '@dbmole/core/failure';

/** A refusal by the column policy. Its message must not contain a value from the database. */
export function refuseColumn(message: string, position?: number): Failure {
  return new Failure('refused', message, {
    code: 'E_PROTECTED_COLUMN',
    hint: 'Leave the column out. Only the user can change "columns", where the connection is defined.',
    ...(position !== undefined && { position }),
  });
}
