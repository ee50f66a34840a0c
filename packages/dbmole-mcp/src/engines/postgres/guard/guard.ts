import { accept, checkText, type ReadGuard } from '../../../guard/read-statement.ts';
import { Recent } from '../../../recent.ts';
import { collectNames } from './collect.ts';
import { denialOfCall, denialOfUnreviewed } from './denials.ts';
import type { StatementNames } from './names.ts';
import { openParser } from './parser.ts';
import { refuseNames, refuseNode } from './refuse.ts';
import { openServerFacts } from './server-facts.ts';
import { SharedLoad } from './shared-load.ts';
import { parseOne } from './syntax.ts';
import { sureOf } from './taint/unavailable.ts';
import { checkTaint, openTaint } from './taint.ts';
import { UnreadableNode } from './walk.ts';

/**
 * The text alone first, which asks no server: one statement, made of what reads are made of, that names nothing denied. Then what
 * this server and this database's own objects add.
 */
export function createGuard(): ReadGuard {
  /** Depends on the text alone, and to parse it is most of what a small read costs us; what the names mean is asked anew each time. */
  const recent = new Recent<StatementNames>();
  const facts = new SharedLoad((run) => openServerFacts(sureOf(run)));
  const taint = new SharedLoad(openTaint);
  return {
    async check(sql, run) {
      checkText(sql);
      const names = recent.get(sql) ?? recent.add(sql, await readNames(sql, async () => (await facts.get(run)).major));
      refuseNames(names, denialOfCall);
      const { unreviewed } = await facts.get(run);
      if (unreviewed.size > 0) refuseNames(names, (use) => denialOfUnreviewed(use, unreviewed));
      return accept(sql, await checkTaint(names, run, taint));
    },
    forget() {
      facts.forget();
      taint.forget();
    },
  };
}

async function readNames(sql: string, openMajor: () => Promise<number>): Promise<StatementNames> {
  const parser = await openParser();
  const statement = await parseOne(sql, parser, openMajor);
  try {
    return collectNames(statement, sql);
  } catch (error) {
    throw error instanceof UnreadableNode ? refuseNode(error, sql, parser) : error;
  }
}
