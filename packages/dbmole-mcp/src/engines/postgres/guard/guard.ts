import { BoundedCache } from '../../../backend/bounded-cache.ts';
import { accept, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import type { Acceptance, Checker } from './checker.ts';
import { createThreadChecker } from './thread/guard-thread.ts';

/** Caches accepted statements, and passes all others to the checker. */
export function createGuard(checker: Checker = createThreadChecker()): ReadGuard {
  let accepted = new BoundedCache<Acceptance>();
  const accepting = (sql: string, { premise, ...more }: Acceptance) => accept(sql, premise, more);
  return {
    async check(sql, run, signal) {
      const known = accepted.get(sql);
      if (known !== undefined) return accepting(sql, known);
      checkText(sql);
      const remembered = accepted;
      const acceptance = await checker.check(sql, run, false, signal);
      // The cache was replaced if another call found that the catalog changed.
      if (remembered === accepted) accepted.add(sql, acceptance);
      return accepting(sql, acceptance);
    },
    async checkAlone(sql, run, signal) {
      return accepting(sql, await checker.check(sql, run, true, signal));
    },
    checkWrite: (sql, run) => checker.checkWrite(sql, run),
    forget() {
      accepted = new BoundedCache();
      checker.forget();
    },
  };
}
