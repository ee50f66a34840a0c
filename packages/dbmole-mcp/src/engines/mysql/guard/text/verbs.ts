import type { Hint } from '@dbmole/core';
import { notARead, quote } from '../refuse.ts';
import type { Token } from './tokens.ts';

const rows = 'changes rows';
const schema = 'changes the schema';
const accounts = 'changes accounts';
const transactions = 'begins or ends a transaction';
const session = 'changes the session';
const locks = 'takes or releases locks';
const code = 'runs arbitrary code';
const server = 'controls the server';

/** First words of known statements, with the reason why they are not reads. */
const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [rows]: 'INSERT UPDATE DELETE REPLACE TRUNCATE LOAD IMPORT',
    [schema]: 'CREATE ALTER DROP RENAME',
    [accounts]: 'GRANT REVOKE',
    [transactions]: 'BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE XA',
    [session]: 'SET USE PREPARE EXECUTE DEALLOCATE SIGNAL RESIGNAL GET',
    [locks]: 'LOCK UNLOCK HANDLER BACKUP',
    [code]: 'CALL DO IF CASE WHILE LOOP REPEAT FOR DECLARE',
    [server]:
      'KILL SHUTDOWN RESTART FLUSH PURGE RESET CHANGE STOP BINLOG INSTALL UNINSTALL CLONE CACHE OPTIMIZE REPAIR CHECK ANALYZE',
  }).flatMap(([why, words]) => words.split(' ').map((word) => [word, why] as const)),
);

const hints: Readonly<Record<string, Hint>> = {
  SET: 'Leave it out: each call has its own session, so it would have no effect.',
  USE: [{ tool: 'Pass `database`.', cli: 'Pass --database.' }, 'Or name the database before the table.'],
  DO: 'Use SELECT.',
};

export function isVerb(word: string): boolean {
  return reasons.has(word);
}

/** Refuses the token in the place where a query must begin. */
export function refuseVerb(token: Token, sql: string, before = ''): never {
  const why = reasons.get(token.word);
  const written = `${before}${quote(sql.slice(token.start, token.end))}`;
  const hint = hints[token.word];
  if (why !== undefined)
    throw notARead({ message: `${written} ${why}`, at: token.start, ...(hint === undefined ? {} : { hint }) });
  throw notARead({
    message: written === '' ? 'there is no statement' : `unknown statement ${written}`,
    hint: 'Begin with SELECT, WITH, VALUES, TABLE, SHOW, DESCRIBE or EXPLAIN.',
    at: token.start,
  });
}
