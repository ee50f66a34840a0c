import { type Failure, type Hint, nearestNames } from '@dbmole/core';
import { measureQuery } from '../../../next-steps.ts';
import { isAscii } from '../../../statement/tokens.ts';
import { functionHint } from '../errors/statement-hint.ts';
import { builtIn, builtInSomewhere, gluedOnMaria, gluedToBracket } from './known-functions.ts';
import { notARead } from './refuse.ts';

export interface CallUse {
  name: string;
  /** The database, the package or both before the name. */
  path: readonly string[];
  /** The call is harmless if it means the built-in function, and not a created one of this name. */
  builtIn: boolean;
  /** The name in capitals if it may be a word of the grammar; else empty. */
  word: string;
  /** MariaDB reads an ordinary name, because a blank separates the word from its parenthesis. */
  splitOnMaria?: boolean;
  /** The server shows this name in a view without calling it, unless a native function of this name was added. */
  own?: boolean;
  /** The database of names without one, if the statement names it. */
  schema?: string | undefined;
  at: number;
}

interface Denial {
  why: string;
  hint?: Hint;
  /** Stored functions often have this name too; with a database before it, the name means one of these. */
  isCommon?: boolean;
}

const waits: Denial = { why: 'only waits on the server', hint: 'Leave it out.' };
const locks: Denial = { why: 'changes the locks of the session', hint: 'Use IS_FREE_LOCK() or IS_USED_LOCK().' };

const endless = 'can run for days, and no time limit stops it';

const xpath: Denial = {
  why: endless,
  hint: 'Read the XML itself, or pass literals of up to 1000 characters without [.',
};

const hashing: Denial = {
  why: endless,
  hint: 'Use SHA2(); to call a stored function, qualify its name with the database.',
  isCommon: true,
};

const schema: Denial = {
  why: endless,
  hint: 'Write the schema as a literal without patterns, or use REGEXP, which the server limits.',
};

/** Built-in functions that are not reads. */
const denied: ReadonlyMap<string, Denial> = new Map([
  ['GET_LOCK', locks],
  ['RELEASE_LOCK', locks],
  ['RELEASE_ALL_LOCKS', locks],
  ['LOAD_FILE', { why: 'reads a file of the server', hint: 'Leave it out: only tables can be read.' }],
  ['SLEEP', waits],
  ['BENCHMARK', { why: 'only keeps the server busy', hint: measureQuery }],
  ['MASTER_POS_WAIT', waits],
  ['SOURCE_POS_WAIT', waits],
  ['MASTER_GTID_WAIT', waits],
  ['WAIT_FOR_EXECUTED_GTID_SET', waits],
  ['WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS', waits],
  ['WSREP_SYNC_WAIT_UPTO_GTID', waits],
  ['EXTRACTVALUE', xpath],
  ['UPDATEXML', xpath],
  ['ENCRYPT', hashing],
  ['KDF', hashing],
  ['JSON_SCHEMA_VALID', schema],
  ['JSON_SCHEMA_VALIDATION_REPORT', schema],
  [
    'SFORMAT',
    {
      why: 'can take all the memory of the server',
      hint: 'Write the format as a literal with widths of up to three digits, or use LPAD().',
    },
  ],
  ['UUID_SHORT', { why: 'advances a counter of the server', hint: 'Use UUID().' }],
  ['NEXTVAL', { why: 'advances a sequence', hint: 'Use LASTVAL() to read it.' }],
  ['SETVAL', { why: 'sets a sequence', hint: 'Use LASTVAL() to read it.' }],
]);

/** Functions that are harmless with any arguments, if the parenthesis follows directly. */
const harmless: ReadonlySet<string> = new Set([...builtIn].filter((word) => !denied.has(word) && word !== 'LAST_INSERT_ID'));

/** Folds a name as the servers compare names: without accents, in capitals. */
export function foldName(name: string): string {
  if (isAscii(name)) return name.toUpperCase().trimEnd();
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll('ß', 's');
  return plain.toUpperCase().trimEnd();
}

export interface CallForm {
  name: string;
  path: readonly string[];
  /** The name in capitals if it is not quoted and not after a dot; else empty. */
  word: string;
  /** The parenthesis follows directly, or blanks between are ignored. */
  glued: boolean;
  empty: boolean;
  /** The arguments show that the call is short, although it can be expensive with others. */
  bounded: boolean;
  at: number;
}

/** MariaDB writes these before built-in functions in definitions of views. */
const pseudoSchemas: ReadonlySet<string> = new Set(['oracle_schema', 'mariadb_schema', 'maxdb_schema']);

/** Judges a call: undefined when it is harmless, a refusal when it is denied, else what must be looked up. */
export function judgeCall(form: CallForm): CallUse | Failure | undefined {
  const { name, path, word, glued, at } = form;
  // Most calls end here.
  if (glued && harmless.has(word)) return undefined;
  const denial = findDenial(form);
  if (denial !== undefined) return denial;
  // With a blank the word is an ordinary name, which may be that of a stored function.
  const isPlainName = !glued && gluedToBracket.has(word);
  const splitOnMaria = !glued && gluedOnMaria.has(word);
  if (builtIn.has(word) && !isPlainName && !splitOnMaria) return undefined;
  // A name with accents is not that of the built-in function.
  const key = isAscii(name) ? name.toUpperCase() : '';
  const isPseudo = isPseudoPath(path);
  const ownDatabase = path.length === 0 || isPseudo;
  const isKnown = builtIn.has(key) || builtInSomewhere.has(key) || (isPseudo && key === 'REPLACE');
  const isBuiltIn = ownDatabase && !isPlainName && isKnown;
  return { name, path, word, builtIn: isBuiltIn, ...(splitOnMaria ? { splitOnMaria } : {}), at };
}

function isPseudoPath([first, second]: readonly string[]): boolean {
  return second === undefined && pseudoSchemas.has(first ?? '');
}

function findDenial({ name, path, empty, bounded, at }: CallForm): Failure | undefined {
  const key = foldName(name);
  const denial = denied.get(key);
  const isStored = denial?.isCommon === true && path.length > 0 && !isPseudoPath(path);
  if (denial !== undefined && !bounded && !isStored)
    return notARead({ message: `${name}() ${denial.why}`, at, ...findHint(denial) });
  if (key !== 'LAST_INSERT_ID' || empty) return undefined;
  const hint = 'Call it without an argument to read the number.';
  return notARead({ message: `${name}() with an argument sets what it returns`, hint, at });
}

function findHint({ hint }: Denial): { hint?: Hint } {
  return hint === undefined ? {} : { hint };
}

export function sayUnknown({ name, path }: CallUse): string {
  return `${[...path, name].join('.')}() is neither built in nor a stored function that this account can see`;
}

const unknownHint = 'Check the name. A function that was loaded into the server is refused, because it can do anything.';

export function refuseUnknownCall(use: CallUse): never {
  const { word, name, path, at } = use;
  const isSplit = gluedToBracket.has(word) || gluedOnMaria.has(word);
  throw notARead({
    message: sayUnknown(use),
    hint: isSplit ? 'Write the parenthesis directly after the name.' : (functionHint(name) ?? unknownHint),
    nearest: path.length > 0 || isSplit ? [] : findNearest(name.toUpperCase()),
    at,
  });
}

export function refuseAddedCall({ name, at }: CallUse): never {
  throw notARead({
    message: `${name}() is a function loaded into the server, and hides the stored one of this name`,
    hint: 'Qualify the name with its database to call the stored function.',
    at,
  });
}

/** Another version may have a function of the very name. */
function findNearest(name: string): string[] {
  return nearestNames(name, [...builtIn, ...builtInSomewhere]).filter((near) => near !== name);
}
