import { accept, type CatalogQuestion, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import { createScope, type ScopeRules } from '../../../policy/scope.ts';
import { followDependencies, isPlain } from './catalog/follow-dependencies.ts';
import { readServerFacts, type ServerFacts } from './catalog/guard-queries.ts';
import { KnownObjects } from './catalog/known-objects.ts';
import { inTurns } from './in-turns.ts';
import { notARead } from './refuse.ts';
import { refuseDescription, scopeDialect } from './scope.ts';
import { isSqlMode } from './text/sql-mode.ts';
import { checkStatement } from './text/statement.ts';

/** The guard follows changes of the server's mode to read like other clients. Its correctness does not depend on it. */
const factsAgeMs = 60_000;

/**
 * Checks first the text alone, with the `sql_mode` that the session sets before the statement, so that the server reads it alike; then
 * the views and functions that the statement leads to.
 */
export function createGuard(rules?: readonly ScopeRules[]): ReadGuard {
  const scope = rules && createScope(rules, scopeDialect);
  const objects = new KnownObjects();
  let known: { facts: ServerFacts; until: number } | undefined;
  const readFacts = async (run: CatalogQuestion) => {
    if (known === undefined || known.until < performance.now()) {
      known = { facts: await readServerFacts(run), until: performance.now() + factsAgeMs };
    }
    return known.facts;
  };
  return {
    async check(sql, run) {
      checkText(sql);
      const facts = await readFacts(run);
      if (!isSqlMode(facts.sqlMode)) throw notARead({ message: 'the sql_mode of the server is not known', at: 0 });
      const uses = await inTurns(checkStatement(sql, facts.sqlMode));
      if (scope !== undefined) refuseDescription(uses, scope);
      const catalog = { known: objects, server: facts, run, scope };
      if (!isPlain(uses, catalog)) await followDependencies(uses, catalog);
      return accept(sql, facts.sqlMode);
    },
    forget() {
      known = undefined;
      objects.forget();
    },
  };
}
