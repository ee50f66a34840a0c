import { type CatalogQuestion, checkText } from '../../../guard/read-statement.ts';
import type { Trust } from '../../../guard/trust.ts';
import { Recent } from '../../../recent.ts';
import { collectNames } from './collect.ts';
import { denialOfCall, denialOfUnreviewed } from './denials.ts';
import type { StatementNames } from './names.ts';
import { openParser } from './parser.ts';
import { withGuardErrors } from './proof/catalog-errors.ts';
import { CatalogProof } from './proof.ts';
import { refuseNames, refuseNode } from './refuse.ts';
import { openServerFacts } from './server-facts.ts';
import { SharedLoad } from './shared-load.ts';
import { parseOne, refuseForeignNames } from './syntax.ts';
import { UnreadableNode } from './walk.ts';

/** Decides about the statements of one database. */
export interface Checker {
  /** Gives the premise on which the statement is a read. Throws a `refused` Failure otherwise. */
  check(sql: string, run: CatalogQuestion): Promise<string>;
  /** The premise does not hold any more. */
  forget(): void;
}

/**
 * First the text alone, without a question to the server: one statement, made of what reads are made of, that names nothing denied.
 * Then what this server and the objects of this database add.
 */
export function createChecker(trust?: Trust): Checker {
  const recent = new Recent<StatementNames>();
  const facts = new SharedLoad((run) => openServerFacts(withGuardErrors(run)));
  const proof = new CatalogProof(openParser, trust);
  return {
    async check(sql, run) {
      checkText(sql);
      const names = recent.get(sql) ?? recent.add(sql, await readNames(sql, async () => (await facts.get(run)).major));
      refuseNames(names, denialOfCall);
      const { unreviewed, isUtf8 } = await facts.get(run);
      if (unreviewed.size > 0) refuseNames(names, (use) => denialOfUnreviewed(use, unreviewed));
      if (!isUtf8) refuseForeignNames(sql, await openParser());
      return await proof.check(names, run);
    },
    forget() {
      facts.forget();
      proof.forget();
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
