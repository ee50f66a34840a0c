import { Failure, type Hint, joinHints, readonlyAdvice } from '../failure.ts';

/** The error for a write on a read-only connection. `instead` is how to read there. */
export function readonlyFailure(connection: string, instead?: Hint): Failure {
  return new Failure('refused', `the connection "${connection}" is read-only; nothing was run`, {
    code: 'E_READONLY',
    hint: joinHints(readonlyAdvice, { call: 'list_connections', to: 'see where that is' }, instead),
  });
}
