import { Failure, type FailureKind } from '@dbmole/core';
import type { CatalogRun, Param } from '../engine.ts';

type Rows = readonly (readonly (string | null)[])[];

const answers: ReadonlySet<FailureKind> = new Set(['engine', 'unknown', 'auth', 'input', 'refused', 'limit', 'timeout']);

/**
 * Undefined where the server understood and would not or could not say, or the guard refuses; other failures, of the connection or the
 * caller's, are thrown.
 */
export async function askIfAllowed(run: CatalogRun, sql: string, params: readonly Param[] = []): Promise<Rows | undefined> {
  try {
    return await run(sql, params);
  } catch (error) {
    if (!(error instanceof Failure) || !answers.has(error.kind)) throw error;
    if (error.engineCode !== undefined || error.kind === 'limit' || error.kind === 'refused') return undefined;
    throw error;
  }
}
