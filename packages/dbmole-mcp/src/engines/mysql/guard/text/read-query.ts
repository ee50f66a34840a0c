import type { Hint } from '@dbmole/core';
import { findClosing, isName, noToken, type Token } from '../../../../statement/tokens.ts';
import { notARead, quote } from '../refuse.ts';

/** A query of a leading WITH, and the position from which its name refers to it. */
export interface WithName {
  name: string;
  behind: number;
}

/** Throws unless a query begins here, after any number of parentheses. */
export function readQuery(sql: string, tokens: readonly Token[], from: number): WithName[] {
  const found: WithName[] = [];
  let inBrackets = false;
  for (let at = from; ; ) {
    const token = tokens[at] ?? noToken;
    if (token.word === 'SELECT' || token.word === 'VALUES' || token.word === 'TABLE') return found;
    if (token.word !== 'WITH' && token.word !== '(') refuseVerb(token, sql);
    inBrackets ||= token.word === '(';
    const { names, main } = token.word === '(' ? { names: [], main: at + 1 } : readWith(tokens, at);
    // Names in parentheses are visible only up to the closing one.
    if (!inBrackets) for (const name of names) found.push(name);
    at = main;
  }
}

/** Reads `WITH [RECURSIVE] name [(columns)] AS (query), … query`: only the last query can be a write. */
function readWith(tokens: readonly Token[], from: number): { names: WithName[]; main: number } {
  const recursive = tokens[from + 1]?.word === 'RECURSIVE';
  const names: WithName[] = [];
  let at = from + (recursive ? 2 : 1);
  for (;;) {
    const token = tokens[at] ?? noToken;
    if (tokens[at + 1]?.word === '(') at = findClosing(tokens, at + 1);
    if (!isName(token) || tokens[at + 1]?.word !== 'AS' || tokens[at + 2]?.word !== '(')
      throw unreadableWith(tokens[at] ?? token);
    const body = at + 2;
    at = behindCycle(tokens, findClosing(tokens, body) + 1);
    // A recursive query sees its own name; another one sees the object that had the name before.
    names.push({ name: token.name, behind: tokens[recursive ? body : at]?.start ?? 0 });
    if (tokens[at]?.word !== ',') return { names, main: at };
    at += 1;
  }
}

/** Skips MariaDB's `CYCLE columns RESTRICT`. */
function behindCycle(tokens: readonly Token[], at: number): number {
  if (tokens[at]?.word !== 'CYCLE') return at;
  let end = at;
  while (end < tokens.length && tokens[end]?.word !== 'RESTRICT') end += 1;
  return end + 1;
}

function unreadableWith({ start }: Token) {
  return notARead({
    message: 'WITH has an unsupported form',
    hint: 'Write WITH name AS (SELECT …) SELECT ….',
    at: start,
  });
}

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
