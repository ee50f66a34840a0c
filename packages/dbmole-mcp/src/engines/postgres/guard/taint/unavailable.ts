import { Failure } from '@dbmole/core';
import type { CatalogQuestion } from '../../../../guard/read-statement.ts';

/** Says in words what the guard could not find out; other failures, of the connection or of time, are as they are. */
export function sureOf(run: CatalogQuestion): CatalogQuestion {
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
  // Without the database there was nobody to ask.
  if (!(error instanceof Failure) || error.code === 'E_UNKNOWN_DATABASE') return false;
  return error.kind === 'limit' || (error.engineCode !== undefined && ['engine', 'unknown'].includes(error.kind));
}

function unavailable(error: Failure): Failure {
  return new Failure('refused', `reads cannot be checked here, so none is run: ${error.message}`, {
    code: 'E_GUARD_UNAVAILABLE',
    hint: 'The guard asks pg_catalog what functions, views and casts lead to, as PostgreSQL 11 or later has it. Connect to such a server, as a user that may read its system catalogs.',
    ...(error.engineCode === undefined ? {} : { engineCode: error.engineCode }),
    cause: error,
  });
}
