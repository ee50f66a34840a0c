import type { Routine } from './catalog.ts';
import { type CallUse, foldName } from './functions.ts';
import type { Steps } from './in-turns.ts';
import { isReserved } from './known-functions.ts';
import { tokenize } from './lexer.ts';
import { findCalls, findTables, type Uses, usesDefaults } from './names.ts';
import { notARead } from './refuse.ts';
import { type LexMode, parseMode } from './sql-mode.ts';
import { isName, matchBrackets, noToken, stepTokens, type Token } from './tokens.ts';

/**
 * What a stored function leads to, by the statement that makes it. That it cannot change rows is for the read-only transaction to
 * see to; we refuse what no transaction stops, and what would outlive the call or hold others up. All of these can be in a
 * function on some server.
 */
export function* checkRoutine(
  sql: string,
  { sqlMode, comment, type }: Pick<Routine, 'sqlMode' | 'comment' | 'type'>,
): Steps<Uses> {
  const mode = parseMode(sqlMode);
  // The server writes its comment with escapes, whether or not they are any in this mode.
  if (mode.plainBackslash && /['"`\\]/.test(comment)) throw refusal('a comment with quotes', 0);
  const tokens = yield* tokenize(sql, mode);
  yield* refuseStatements(tokens);
  const isPackage = type === 'PACKAGE BODY';
  const definitions = findDefinitions(tokens, isPackage);
  // Nothing is called where it is defined, and a package's own text is what is checked.
  const noCalls = new Set([...definitions, ...findGrammar(tokens, mode)].map(({ start }) => start));
  yield;
  const own = new Set(isPackage ? definitions.map(({ name }) => foldName(name)) : []);
  const bare = mode.oracle ? yield* findBareCalls(tokens) : findCallStatements(tokens, false);
  const calls = [...(yield* findCalls(tokens, mode, sql)), ...bare];
  const isOwn = ({ name, path }: CallUse) => path.length === 0 && own.has(foldName(name));
  return {
    defaults: usesDefaults(tokens),
    tables: yield* findTables(tokens, mode),
    calls: calls.filter(({ at }) => !noCalls.has(at)).map((use) => (isOwn(use) ? { ...use, inPackage: true } : use)),
  };
}

/** `UNTIL (…)`, and the cursors of MariaDB that have parameters: where one is declared, opened, or gone through. */
function findGrammar(tokens: readonly Token[], { oracle }: LexMode): Token[] {
  const closingOf = matchBrackets(tokens);
  return tokens.filter((_, index) => {
    if (tokens[index + 1]?.word !== '(') return false;
    const before = tokens[index - 1]?.word ?? '';
    if (before === 'CURSOR') return true;
    // A condition may be called so too, and a procedure be its handler.
    if (before === 'OPEN') return beginnings.has(tokens[index - 2]?.word ?? '');
    if (before === ';') return !oracle && tokens[index]?.word === 'UNTIL';
    return before === 'IN' && ['DO', 'LOOP'].includes(tokens[closingOf(index + 1) + 1]?.word ?? '');
  });
}

/** Words that begin a statement, or a clause of one, and by which word they are known to. Where none is given, any will do. */
const statements: Readonly<Record<string, readonly string[]>> = {
  KILL: [],
  // Free words, which may also be variables.
  SHUTDOWN: [';', 'WAIT', ''],
  RESTART: [';', ''],
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

function* refuseStatements(tokens: readonly Token[]): Steps<void> {
  const inSet = new SetScope();
  // Behind its own CREATE.
  for (let index = 1; index < tokens.length; index += 1) {
    if (index % stepTokens === 0) yield;
    if (inSet.isAt(tokens[index]?.word ?? '')) refuseSetting(tokens, index);
    refuseAt(tokens, index);
  }
}

function refuseAt(tokens: readonly Token[], index: number): void {
  const { word, start } = tokens[index] ?? noToken;
  const next = tokens[index + 1] ?? noToken;
  const followers = Object.hasOwn(statements, word) ? statements[word] : undefined;
  const known = followers !== undefined && (followers.length === 0 || followers.includes(next.word));
  if (known && !isValue(tokens, index)) throw refusal(`${word} ${next.word}`.trim(), start);
  if (word === 'BINLOG' && (next.kind === 'text' || next.kind === 'variable')) throw refusal(word, start);
  if ((word === 'CREATE' || word === 'DROP') && !temporary.has(next.word)) throw refusal(`${word} ${next.word}`.trim(), start);
}

/** What only looks like a statement: `VALUE FOR` without NEXT, and variables that are the end of one. */
function isValue(tokens: readonly Token[], index: number): boolean {
  const { word } = tokens[index] ?? noToken;
  const before = tokens[index - 1] ?? noToken;
  if (word === 'VALUE') return before.word !== 'NEXT';
  if (word !== 'SHUTDOWN' && word !== 'RESTART') return false;
  return before.word === 'RETURN' || (before.kind === 'mark' && ![';', ':', '>', ')'].includes(before.word));
}

/** Beyond the session, or against what the read relies on. */
const settings: ReadonlySet<string> = new Set(['GLOBAL', 'PERSIST', 'PERSIST_ONLY']);
const firstWords: ReadonlySet<string> = new Set(['ROLE', 'STATEMENT', 'RESOURCE', 'PASSWORD', 'TRANSACTION']);
/** The last two are those of a replication channel, even without GLOBAL. */
const flags = /^(@@(session|local)?\.?)?(tx_read_only|transaction_read_only|sql_slave_skip_counter|max_relay_log_size)$/i;

/** Follows where a SET reaches: to the end of its statement, but not into brackets, in which there are arguments. */
class SetScope {
  /** Whether a SET reaches here, for each bracket that is open. */
  readonly #outer: boolean[] = [];
  #reaches = false;

  /** Whether one reaches the next token, which has this word. */
  isAt(word: string): boolean {
    const reaches = this.#reaches;
    if (word === '(') {
      this.#outer.push(reaches);
      this.#reaches = false;
    } else if (word === ')') this.#reaches = (this.#outer.pop() ?? false) || reaches;
    else if (word === ';') this.#reaches = false;
    else if (word === 'SET') this.#reaches = true;
    return reaches;
  }
}

/** `SET a = 1, GLOBAL b = 2`: what is set stands behind SET or a comma. */
function refuseSetting(tokens: readonly Token[], index: number): void {
  const { name, start } = tokens[index] ?? noToken;
  if (reachesBeyond(tokens, index) || isMoreThanVariable(tokens, index)) throw refusal(`SET ${name}`, start);
}

/** `SET ROLE x`, which may also stand behind a comma, `SET SESSION TRANSACTION …`, `SET DEFAULT ROLE x`. */
function isMoreThanVariable(tokens: readonly Token[], index: number): boolean {
  const { word } = tokens[index] ?? noToken;
  const next = tokens[index + 1]?.word ?? '';
  if (!['SET', ',', 'SESSION', 'LOCAL'].includes(tokens[index - 1]?.word ?? '')) return false;
  return (firstWords.has(word) && next !== '=' && next !== ':') || (word === 'DEFAULT' && next === 'ROLE');
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

/** `CALL p` without brackets. */
function findCallStatements(tokens: readonly Token[], oracle: boolean): CallUse[] {
  return tokens.flatMap(({ word }, index) => (word === 'CALL' ? (readName(tokens, index + 1, oracle)?.call ?? []) : []));
}

/** These are statements, or end them. */
const ownWords: ReadonlySet<string> = new Set(['END', 'RAISE']);

/** In the other grammar of MariaDB even `p` alone is a statement. */
function* findBareCalls(tokens: readonly Token[]): Steps<CallUse[]> {
  const calls: CallUse[] = [];
  let inHandler = false;
  for (let index = 0; index < tokens.length; index += 1) {
    if (index % stepTokens === stepTokens - 1) yield;
    const { word } = tokens[index] ?? noToken;
    if (word === 'HANDLER' || beginnings.has(word)) inHandler = word === 'HANDLER';
    const use = mayEndBefore(tokens, index, inHandler) ? readName(tokens, index + 1, true) : undefined;
    if (use !== undefined && tokens[use.behind]?.word === ';' && !ownWords.has(use.call.word)) calls.push(use.call);
  }
  return [...findCallStatements(tokens, true), ...calls];
}

/** What a statement may begin behind there. */
const beginnings: ReadonlySet<string> = new Set(
  'BEGIN THEN ELSE LOOP DO REPEAT ; AS IS SQLEXCEPTION SQLWARNING FOUND'.split(' '),
);

/** Also behind a label, and behind the condition of a handler, which may be a name, a number or a text. */
function mayEndBefore(tokens: readonly Token[], index: number, inHandler: boolean): boolean {
  const { word, kind } = tokens[index] ?? noToken;
  const before = tokens[index - 1]?.word ?? '';
  if (word === '>') return before === '>' && tokens[index - 3]?.word === '<';
  return beginnings.has(word) || (inHandler && kind !== 'mark' && afterHandler.has(before));
}

const afterHandler: ReadonlySet<string> = new Set(['FOR', ',', 'SQLSTATE', 'VALUE']);

function readName(tokens: readonly Token[], from: number, oracle: boolean): { call: CallUse; behind: number } | undefined {
  const path: string[] = [];
  for (let at = from; ; at += 2) {
    const token = tokens[at] ?? noToken;
    if (!isName(token) || isReserved(token.word, oracle)) return undefined;
    if (tokens[at + 1]?.word !== '.') {
      const call = { name: token.name, path, word: token.word, builtIn: false, at: token.start };
      return { call, behind: at + 1 };
    }
    path.push(token.name);
  }
}

/** Where names are given to routines: to itself in front, and in a package to its parts, each behind the end of another. */
function findDefinitions(tokens: readonly Token[], isPackage: boolean): Token[] {
  const isKind = (index: number) => ['FUNCTION', 'PROCEDURE'].includes(tokens[index]?.word ?? '');
  if (!isPackage) return tokens.filter((_, index) => isKind(index - 1)).slice(0, 1);
  return tokens.filter((_, index) => isKind(index - 1) && [';', 'AS', 'IS'].includes(tokens[index - 2]?.word ?? ''));
}
