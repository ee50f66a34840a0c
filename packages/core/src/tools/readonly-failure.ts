import { Failure } from '../failure.ts';

/** What somebody hears who wants to write through a connection that only reads. `instead` says how to read there. */
export function readonlyFailure(connection: string, instead?: string): Failure {
  const hint = 'No tool can change that: a person sets "readonly" to false where list_connections says it is defined.';
  return new Failure('refused', `the connection "${connection}" is read-only`, {
    code: 'E_READONLY',
    hint: instead === undefined ? hint : `${hint} ${instead}`,
  });
}
