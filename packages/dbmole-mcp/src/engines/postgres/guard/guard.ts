import { accept, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import type { Trust } from '../../../guard/trust.ts';
import { Recent } from '../../../recent.ts';
import type { Checker } from './checker.ts';
import { createThreadChecker } from './guard-thread.ts';

/** Remembers what was accepted a moment ago, so that a text that comes again costs nothing; everything else goes to the checker. */
export function createGuard(trust?: Trust, checker: Checker = createThreadChecker(trust)): ReadGuard {
  let accepted = new Recent<string>();
  return {
    async check(sql, run) {
      const known = accepted.get(sql);
      if (known !== undefined) return accept(sql, known);
      checkText(sql);
      const remembered = accepted;
      const premise = await checker.check(sql, run);
      // Another call may have found in the meantime that the catalog changed.
      if (remembered === accepted) accepted.add(sql, premise);
      return accept(sql, premise);
    },
    forget() {
      accepted = new Recent();
      checker.forget();
    },
  };
}
