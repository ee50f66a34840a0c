import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';

/** Explains a question that the server did not answer; other failures, of the connection or of time, are kept. */
export function withGuardErrors(run: CatalogQuestion): CatalogQuestion {
  return async (sql, params) => {
    try {
      return await run(sql, params);
    } catch (error) {
      throw isAnswer(error) ? unavailable(error) : error;
    }
  };
}

/** The server understood, and would not or could not. */
function isAnswer(error: unknown): error is Failure {
  // Without the database there was no answer at all.
  if (!(error instanceof Failure) || error.code === 'E_UNKNOWN_DATABASE') return false;
  return error.kind === 'limit' || (error.engineCode !== undefined && ['engine', 'unknown'].includes(error.kind));
}

function unavailable(error: Failure): Failure {
  return new Failure('refused', `cannot verify that reads are safe on this server, so it runs none: ${error.message}`, {
    code: 'E_GUARD_UNAVAILABLE',
    hint: 'Connect to PostgreSQL 11 or later as a user that may read pg_catalog.',
    ...(error.engineCode === undefined ? {} : { engineCode: error.engineCode }),
    cause: error,
  });
}
