import { notARead } from '../refuse.ts';
import { findClosing, isName, noToken, type Token } from './tokens.ts';
import { refuseVerb } from './verbs.ts';

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
