import { accept, type CatalogQuestion, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import { readServerFacts, type ServerFacts } from './catalog.ts';
import { inTurns } from './in-turns.ts';
import { KnownObjects } from './known-objects.ts';
import { notARead } from './refuse.ts';
import { isSqlMode } from './sql-mode.ts';
import { checkStatement } from './statement.ts';
import { isPlain, lookBehind } from './walk.ts';

/** The mode of the server may change; ours is set for each read, so this is only for being like other clients. */
const factsAgeMs = 60_000;

/**
 * The text alone first, read as the server will read it: the premise is the `sql_mode` that the session sets before the statement.
 * Then the views and functions that it leads to.
 */
export function createGuard(): ReadGuard {
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
      const catalog = { known: objects, server: facts, run };
      if (!isPlain(uses, catalog)) await lookBehind(uses, catalog);
      return accept(sql, facts.sqlMode);
    },
    forget() {
      known = undefined;
      objects.forget();
    },
  };
}
