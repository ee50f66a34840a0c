import { Failure, failureWith } from '@dbmole/core/failure';

/** A refusal by the column policy. Its message must not contain a value from the database. */
export function refuseColumn(message: string, position?: number): Failure {
  return new Failure('refused', message, {
    code: 'E_PROTECTED_COLUMN',
    hint: 'Leave the column out. Only the user can change "columns", where the connection is defined.',
    ...(position !== undefined && { position }),
  });
}

/** The refusal of what only `strict` forbids: a comparison, or what cannot be traced. */
export function refuseStrict(what: string, position?: number): Failure {
  return failureWith(refuseColumn(`${what}, which "strict" does not allow; nothing was run`, position), {
    hint: [
      'Leave the column out of conditions, groups and orders; it may be selected, and counted.',
      'Only the user can change "strict", where the connection is defined.',
    ],
  });
}
