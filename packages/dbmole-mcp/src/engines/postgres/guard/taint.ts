import type { CatalogQuestion } from '../../../guard/read-statement.ts';
import type { StatementNames } from './names.ts';
import type { SharedLoad } from './shared-load.ts';
import { createCheck } from './taint/check.ts';
import { loadTaint } from './taint/load.ts';
import { formatPremise } from './taint/premise.ts';
import { sureOf } from './taint/unavailable.ts';

/** What of this database's own objects must not be used by a read. */
export interface Taint {
  /** Throws a `refused` Failure. */
  check(names: StatementNames): void;
  /** An SQL expression that is true while what was loaded still holds. */
  readonly premise: string;
}

/** A few statements over the catalog; what was found holds until the premise does not. */
export async function openTaint(run: CatalogQuestion): Promise<Taint> {
  const { closure, rows, untyped, seen, watched } = await loadTaint(sureOf(run));
  return {
    check: createCheck({ nodes: closure.nodes, providers: closure.providers, rows }, untyped),
    premise: formatPremise(seen, watched),
  };
}

/**
 * Gives the premise. What is accepted is accepted on it, and the server will say when it does not hold; what is refused never comes
 * there, so we ask before we refuse on what may have changed.
 */
export async function checkTaint(names: StatementNames, run: CatalogQuestion, loads: SharedLoad<Taint>): Promise<string> {
  const known = await loads.get(run);
  try {
    known.check(names);
    return known.premise;
  } catch (error) {
    const [held] = await sureOf(run)(`select ${known.premise}`);
    if (held?.[0] === 't') throw error;
  }
  loads.forget();
  const { check, premise } = await loads.get(run);
  check(names);
  return premise;
}
