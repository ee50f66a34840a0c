import { Failure } from '@dbmole/core';

/** The failure of a statement that changed more rows than the policy allows, and was rolled back. */
export function tooManyRows(maxRows: number, changed?: number): Failure {
  const what = changed === undefined ? `more than ${maxRows} rows` : `${changed} rows`;
  return new Failure('refused', `the statement changed ${what}, and this connection allows ${maxRows}; rolled back`, {
    code: 'E_TOO_MANY_ROWS',
    hint: 'Change fewer rows with each statement. Only the user can raise "maxRows", where the connection is defined.',
  });
}

/** The refusal of a write whose rows cannot be counted before it takes effect. */
export function refuseUncounted(why: string): Failure {
  return new Failure('refused', `${why}, so its rows cannot be counted before it takes effect; nothing was run`, {
    code: 'E_TOO_MANY_ROWS',
    hint: 'Use INSERT, UPDATE or DELETE. Only the user can remove "maxRows", where the connection is defined.',
  });
}
