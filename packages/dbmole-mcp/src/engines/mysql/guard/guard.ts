import type { GuardOptions } from '../../../engine.ts';
import { accept, type CatalogQuestion, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import { createScope } from '../../../policy/scope.ts';
import { DependencyTexts } from './catalog/dependency-texts.ts';
import { followDependencies } from './catalog/follow-dependencies.ts';
import { readServerFacts, type ServerFacts } from './catalog/guard-queries.ts';
import { KnownObjects } from './catalog/known-objects.ts';
import { isPlain, isPlainCall } from './catalog/plain-uses.ts';
import { openColumnGuard } from './columns/column-guard.ts';
import { inTurns } from './in-turns.ts';
import type { CallUse } from './judge-call.ts';
import { notARead } from './refuse.ts';
import { refuseDescription, refuseSequences, scopeDialect } from './scope.ts';
import { checkScopedWrite } from './scoped-write/check-scoped-write.ts';
import { TriggerRights } from './scoped-write/trigger-rights.ts';
import type { Uses } from './text/find-uses.ts';
import { isSqlMode, parseMode } from './text/sql-mode.ts';
import { checkStatement } from './text/statement.ts';

/** The guard follows changes of the server's mode to read like other clients. Its correctness does not depend on it. */
const factsAgeMs = 60_000;

/**
 * Checks first the text alone, with the `sql_mode` that the session sets before the statement, so that the server reads it alike; then
 * the views and functions that the statement leads to.
 */
export function createGuard({ scope: rules, columns: columnRules }: GuardOptions = {}): ReadGuard {
  const scope = rules && createScope(rules, scopeDialect);
  const columnGuard = openColumnGuard(columnRules);
  const objects = new KnownObjects();
  const rights = new TriggerRights();
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
      if (scope !== undefined) {
        refuseDescription(uses, scope);
        refuseSequences(uses, scope, facts.database);
      }
      const texts = columnGuard && new DependencyTexts();
      const catalog = { known: objects, server: facts, run, scope, texts };
      if (!isPlain(uses, catalog)) await followDependencies(uses, catalog);
      const question = { server: facts, run, texts, isPlainCall: (use: CallUse) => isPlainCall(use, catalog) };
      const columns = await columnGuard?.planRead(toReadText(uses, facts.sqlMode), question);
      return accept(sql, facts.sqlMode, { columns });
    },
    async checkWrite(sql, run) {
      const server = await readFacts(run);
      if (scope !== undefined) await checkScopedWrite(sql, { scope, known: objects, rights, server, run });
      return await columnGuard?.planWrite(sql, { server, run });
    },
    forget() {
      known = undefined;
      objects.forget();
      rights.forget();
      columnGuard?.forget();
    },
  };
}

function toReadText({ tokens = [], tables, calls, isQuery = false }: Uses, sqlMode: string) {
  return { tokens, tables, calls, isQuery, mode: parseMode(sqlMode) };
}
