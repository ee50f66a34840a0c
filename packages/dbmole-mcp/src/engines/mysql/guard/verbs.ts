import { notARead, quote } from './refuse.ts';
import type { Token } from './tokens.ts';

const rows = 'changes rows';
const schema = 'changes the schema';
const accounts = 'changes accounts';
const transactions = 'ends or begins a transaction';
const session = 'changes the session';
const locks = 'takes or releases locks';
const code = 'runs whatever code there is';
const server = 'controls the server';

/** First words of statements that are known, and why they are no reads. */
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

const hints: Readonly<Record<string, string>> = {
  SET: 'Each call has a session of its own, so it would change nothing; leave it out.',
  USE: 'Pass `database`, or name the database before the table.',
  DO: 'Use SELECT.',
};

export function isVerb(word: string): boolean {
  return reasons.has(word);
}

/** For what stands where a query has to begin. */
export function refuseVerb(token: Token, sql: string, before = ''): never {
  const why = reasons.get(token.word);
  const written = `${before}${quote(sql.slice(token.start, token.end))}`;
  const hint = hints[token.word];
  if (why !== undefined)
    throw notARead({ message: `${written} ${why}`, at: token.start, ...(hint === undefined ? {} : { hint }) });
  throw notARead({
    message: written === '' ? 'there is no statement' : `${written} is not known to begin a read`,
    hint: 'SELECT, WITH, VALUES, TABLE, SHOW, DESCRIBE and EXPLAIN of these are reads.',
    at: token.start,
  });
}
