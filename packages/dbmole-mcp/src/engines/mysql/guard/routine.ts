import type { Routine } from './catalog.ts';
import { type CallUse, foldName } from './functions.ts';
import { reservedWords } from './known-functions.ts';
import { tokenize } from './lexer.ts';
import { findCalls, findTables, type Uses } from './names.ts';
import { notARead } from './refuse.ts';
import { parseMode } from './sql-mode.ts';
import { isName, noToken, type Token } from './tokens.ts';

/**
 * What a stored function leads to, by the statement that makes it. That it cannot change rows is for the read-only transaction to
 * see to; we refuse what no transaction stops, and what would outlive the call or hold others up. All of these can be in a
 * function on some server.
 */
export function checkRoutine(sql: string, { sqlMode, comment }: Pick<Routine, 'sqlMode' | 'comment'>): Uses {
  const mode = parseMode(sqlMode);
  // The server writes its comment with escapes, whether or not they are any in this mode.
  if (mode.plainBackslash && /['"`\\]/.test(comment)) throw refusal('a comment with quotes', 0);
  const tokens = tokenize(sql, mode);
  // Behind its own CREATE.
  for (let index = 1; index < tokens.length; index += 1) refuseAt(tokens, index);
  const own = ownRoutines(tokens);
  const calls = [...findCalls(tokens), ...findBareCalls(tokens, mode.oracle)];
  return { tables: findTables(tokens), calls: calls.filter(({ name, path }) => path.length > 0 || !own.has(foldName(name))) };
}

/** Words that begin a statement, or a clause of one, and by which word they are known to. Where none is given, any will do. */
const statements: Readonly<Record<string, readonly string[]>> = {
  KILL: [],
  SHUTDOWN: [],
  RESTART: [],
  PURGE: [],
  CHANGE: [],
  ALTER: [],
  RENAME: [],
  GRANT: [],
  REVOKE: [],
  LOAD: [],
  LOCK: [],
  OUTFILE: [],
  DUMPFILE: [],
  FLUSH: ['TABLES', 'LOGS', 'PRIVILEGES', 'STATUS', 'HOSTS', 'BINARY', 'LOCAL', 'NO_WRITE_TO_BINLOG'],
  RESET: ['MASTER', 'SLAVE', 'REPLICA', 'PERSIST', 'BINARY', 'QUERY'],
  START: ['SLAVE', 'ALL', 'REPLICA', 'GROUP_REPLICATION', 'TRANSACTION'],
  STOP: ['SLAVE', 'ALL', 'REPLICA', 'GROUP_REPLICATION'],
  XA: ['START', 'BEGIN', 'END', 'PREPARE', 'COMMIT', 'ROLLBACK', 'RECOVER'],
  CLONE: ['LOCAL', 'INSTANCE'],
  INSTALL: ['PLUGIN', 'COMPONENT', 'SONAME'],
  UNINSTALL: ['PLUGIN', 'COMPONENT', 'SONAME'],
  IMPORT: ['TABLE'],
  BACKUP: ['STAGE', 'LOCK', 'UNLOCK'],
  FOR: ['SHARE', 'UPDATE'],
  VALUE: ['FOR'],
};

/** What these make or drop goes with the session. */
const temporary: ReadonlySet<string> = new Set(['TEMPORARY', 'PREPARE']);

function refuseAt(tokens: readonly Token[], index: number): void {
  const { word, start } = tokens[index] ?? noToken;
  const next = tokens[index + 1] ?? noToken;
  const followers = Object.hasOwn(statements, word) ? statements[word] : undefined;
  const known = followers !== undefined && (followers.length === 0 || followers.includes(next.word));
  if (known && !(word === 'VALUE' && tokens[index - 1]?.word !== 'NEXT')) throw refusal(`${word} ${next.word}`.trim(), start);
  if (word === 'BINLOG' && (next.kind === 'text' || next.kind === 'variable')) throw refusal(word, start);
  if ((word === 'CREATE' || word === 'DROP') && !temporary.has(next.word)) throw refusal(`${word} ${next.word}`.trim(), start);
  if (word === 'SET') refuseSet(tokens, index);
}

/** Beyond the session, or against what the read relies on. */
const settings: ReadonlySet<string> = new Set(['GLOBAL', 'PERSIST', 'PERSIST_ONLY']);
const firstWords: ReadonlySet<string> = new Set(['ROLE', 'STATEMENT', 'RESOURCE', 'PASSWORD', 'TRANSACTION']);
const flags = /^(@@(session|local)?\.?)?(tx|transaction)_read_only$/i;

/** `SET a = 1, GLOBAL b = 2`: what is set stands behind SET or a comma. */
function refuseSet(tokens: readonly Token[], from: number): void {
  const scoped = ['SESSION', 'LOCAL'].includes(tokens[from + 1]?.word ?? '') ? 2 : 1;
  const first = tokens[from + scoped] ?? noToken;
  const assigned = ['=', ':'].includes(tokens[from + scoped + 1]?.word ?? '');
  if (firstWords.has(first.word) && !assigned) throw refusal(`SET ${first.word}`, first.start);
  if (first.word === 'DEFAULT' && tokens[from + 2]?.word === 'ROLE') throw refusal('SET DEFAULT ROLE', first.start);
  for (let index = from + 1; index < tokens.length && tokens[index]?.word !== ';'; index += 1) {
    if (reachesBeyond(tokens, index)) throw refusal(`SET ${tokens[index]?.name}`, tokens[index]?.start ?? 0);
  }
}

function reachesBeyond(tokens: readonly Token[], index: number): boolean {
  const { word, name } = tokens[index] ?? noToken;
  if (flags.test(name)) return ['=', ':'].includes(tokens[index + 1]?.word ?? '');
  if (!['SET', ','].includes(tokens[index - 1]?.word ?? '')) return false;
  return settings.has(word) || /^@@(global|persist)/i.test(name);
}

function refusal(what: string, at: number) {
  return notARead({ message: `it has ${what}`, at });
}

/** What a statement may begin behind in the other grammar of MariaDB. */
const beginnings: ReadonlySet<string> = new Set(['BEGIN', 'THEN', 'ELSE', 'LOOP', 'DO', 'REPEAT', ';', 'AS', 'IS']);

/** `CALL p` without brackets; in the other grammar of MariaDB even `p` alone. */
function findBareCalls(tokens: readonly Token[], oracle: boolean): CallUse[] {
  const calls: CallUse[] = [];
  for (const [index, { word }] of tokens.entries()) {
    const begins = word === 'CALL' || (oracle && beginnings.has(word));
    const use = begins ? readName(tokens, index + 1) : undefined;
    if (use !== undefined && (word === 'CALL' || tokens[use.behind]?.word === ';')) calls.push(use.call);
  }
  return calls;
}

function readName(tokens: readonly Token[], from: number): { call: CallUse; behind: number } | undefined {
  const path: string[] = [];
  for (let at = from; ; at += 2) {
    const token = tokens[at] ?? noToken;
    if (!isName(token) || reservedWords.has(token.word)) return undefined;
    if (tokens[at + 1]?.word !== '.')
      return { call: { name: token.name, path, builtIn: false, at: token.start }, behind: at + 1 };
    path.push(token.name);
  }
}

/** The routine itself, and what a package defines: their text is what is checked. */
function ownRoutines(tokens: readonly Token[]): ReadonlySet<string> {
  const own = tokens.filter((_, index) => ['FUNCTION', 'PROCEDURE'].includes(tokens[index - 1]?.word ?? ''));
  return new Set(own.map(({ name }) => foldName(name)));
}
