import { isName, matchBrackets, noToken, stepTokens, type Token } from '../../../../statement/tokens.ts';
import type { Steps } from '../in-turns.ts';
import type { CallUse } from '../judge-call.ts';
import { reservedWords } from '../known-functions.ts';
import { notARead } from '../refuse.ts';
import { findCalls, findTables, type Uses, usesDefaults } from '../text/find-uses.ts';
import { tokenize } from '../text/lexer.ts';
import { parseMode } from '../text/sql-mode.ts';
import type { Routine } from './guard-queries.ts';

/**
 * Finds what a stored routine leads to, in the statement that creates it. The read-only transaction keeps it from changing rows. This
 * refuses what no transaction stops, what outlives the call, and what blocks other sessions. Some server accepts each of these in a
 * function.
 */
export function* checkRoutine(sql: string, { sqlMode, comment }: Pick<Routine, 'sqlMode' | 'comment'>): Steps<Uses> {
  const mode = parseMode(sqlMode);
  // The server writes the comment with escapes, also in a mode that has none.
  if (mode.plainBackslash && /['"`\\]/.test(comment)) throw refusal('a comment with quotes', 0);
  const tokens = yield* tokenize(sql, mode);
  yield* refuseStatements(tokens);
  const noCalls = findGrammar(tokens);
  yield;
  const calls = [...(yield* findCalls(tokens, mode, sql)), ...findCallStatements(tokens)];
  return {
    defaults: usesDefaults(tokens),
    tables: yield* findTables(tokens),
    calls: calls.filter(({ at }) => !noCalls.has(at)),
  };
}

/** The packages of MariaDB have the grammar of `sql_mode` ORACLE, or a similar one. */
export function isPackage({ type }: Pick<Routine, 'type'>): boolean {
  return type.startsWith('PACKAGE');
}

/**
 * Finds the names before a parenthesis that call nothing: the name of the routine itself, `UNTIL (…)`, and MariaDB's cursors with
 * parameters where one is opened or looped over.
 */
function findGrammar(tokens: readonly Token[]): ReadonlySet<number> {
  const findClosing = matchBrackets(tokens);
  const own = tokens.findIndex((_, index) => ['FUNCTION', 'PROCEDURE'].includes(tokens[index - 1]?.word ?? ''));
  const isGrammar = (index: number) => {
    if (tokens[index + 1]?.word !== '(') return false;
    const before = tokens[index - 1]?.word ?? '';
    // OPEN may also be the name of a condition, whose handler is a call.
    if (before === 'OPEN') return beginnings.has(tokens[index - 2]?.word ?? '');
    if (before === ';') return tokens[index]?.word === 'UNTIL';
    return before === 'IN' && tokens[findClosing(index + 1) + 1]?.word === 'DO';
  };
  return new Set(tokens.filter((_, index) => index === own || isGrammar(index)).map(({ start }) => start));
}

/** Words after which a statement may begin. */
const beginnings: ReadonlySet<string> = new Set('BEGIN THEN ELSE LOOP DO REPEAT ; SQLEXCEPTION SQLWARNING FOUND'.split(' '));

/** Words that begin a denied statement or clause, with the words that must follow. An empty list means any word. */
const statements: Readonly<Record<string, readonly string[]>> = {
  KILL: [],
  // These words are not reserved and may be variables.
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

/** What these create or drop ends with the session. */
const temporary: ReadonlySet<string> = new Set(['TEMPORARY', 'PREPARE']);

function* refuseStatements(tokens: readonly Token[]): Steps<void> {
  const inSet = new SetScope();
  // The first token is the CREATE of the routine itself.
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

/** Whether the words only look like a statement: `VALUE FOR` without NEXT, or a variable at the end of a statement. */
function isValue(tokens: readonly Token[], index: number): boolean {
  const { word } = tokens[index] ?? noToken;
  const before = tokens[index - 1] ?? noToken;
  if (word === 'VALUE') return before.word !== 'NEXT';
  if (word !== 'SHUTDOWN' && word !== 'RESTART') return false;
  return before.word === 'RETURN' || (before.kind === 'mark' && ![';', ':', '>', ')'].includes(before.word));
}

/** Scopes of SET beyond the session. */
const settings: ReadonlySet<string> = new Set(['GLOBAL', 'PERSIST', 'PERSIST_ONLY']);
const firstWords: ReadonlySet<string> = new Set(['ROLE', 'STATEMENT', 'RESOURCE', 'PASSWORD', 'TRANSACTION']);
/** Variables that the read relies on, and two of a replication channel that reach beyond the session without GLOBAL. */
const flags = /^(@@(session|local)?\.?)?(tx_read_only|transaction_read_only|sql_slave_skip_counter|max_relay_log_size)$/i;

/** Tracks how far a SET reaches: to the end of its statement, but not into parentheses, which hold arguments. */
class SetScope {
  /** Whether a SET reached each of the open parentheses. */
  readonly #outer: boolean[] = [];
  #reaches = false;

  /** Takes the next word and returns whether a SET reaches it. */
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

/** Refuses `SET a = 1, GLOBAL b = 2`: a variable follows SET or a comma. */
function refuseSetting(tokens: readonly Token[], index: number): void {
  const { name, start } = tokens[index] ?? noToken;
  if (reachesBeyond(tokens, index) || isMoreThanVariable(tokens, index)) throw refusal(`SET ${name}`, start);
}

/** Whether this is `ROLE x`, `SESSION TRANSACTION …` or `DEFAULT ROLE x`, after SET or a comma. */
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

/** Finds the procedures of `CALL`, also without parentheses. */
function findCallStatements(tokens: readonly Token[]): CallUse[] {
  return tokens.flatMap(({ word }, index) => (word === 'CALL' ? readName(tokens, index + 1) : []));
}

function readName(tokens: readonly Token[], from: number): CallUse[] {
  const path: string[] = [];
  for (let at = from; ; at += 2) {
    const token = tokens[at] ?? noToken;
    const { name, word, start } = token;
    if (!isName(token) || reservedWords.has(word)) return [];
    if (tokens[at + 1]?.word !== '.') return [{ name, path, word, builtIn: false, at: start }];
    path.push(name);
  }
}
