import type { Failure } from '@dbmole/core';
import { builtIn, builtInSomewhere, gluedOnMaria, gluedToBracket } from './known-functions.ts';
import { notARead } from './refuse.ts';
import { isAscii } from './tokens.ts';

export interface CallUse {
  name: string;
  /** What stands before the name: a database, a package, or both. */
  path: readonly string[];
  /** Nothing needs to be known of it if it is the server's own, and nobody has made a function of this name. */
  builtIn: boolean;
  /** As it stands there, in capitals, if it may be a word of the grammar; else empty. */
  word: string;
  /** To MariaDB it is a plain name: a blank stands between the word and its bracket. */
  splitOnMaria?: boolean;
  /** It is of the text that it stands in, unless a native function was added that is called so. */
  own?: boolean;
  /**
   * It is of the package that it stands in, unless one of the database goes before it: it does where it is called earlier than it is
   * defined.
   */
  inPackage?: boolean;
  /** Where a name without a database is looked for, if the statement says so. */
  schema?: string | undefined;
  at: number;
}

interface Denial {
  why: string;
  hint?: string;
}

const waits: Denial = { why: 'only waits, on the server', hint: 'Leave it out.' };
const locks: Denial = { why: 'changes the locks of the session', hint: 'IS_FREE_LOCK() and IS_USED_LOCK() read.' };

const xpath: Denial = {
  why: 'can run for days, and no time limit stops it',
  hint: 'Read the XML itself. Only texts of up to 1000 characters, without [, are accepted here.',
};

/** Built into the servers, and no reads. */
const denied: ReadonlyMap<string, Denial> = new Map([
  ['GET_LOCK', locks],
  ['RELEASE_LOCK', locks],
  ['RELEASE_ALL_LOCKS', locks],
  ['LOAD_FILE', { why: 'reads a file of the server', hint: 'Query tables only.' }],
  ['SLEEP', waits],
  ['BENCHMARK', { why: 'only keeps the server busy', hint: 'Use `explain` with `analyze` to measure a query.' }],
  ['MASTER_POS_WAIT', waits],
  ['SOURCE_POS_WAIT', waits],
  ['MASTER_GTID_WAIT', waits],
  ['WAIT_FOR_EXECUTED_GTID_SET', waits],
  ['WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS', waits],
  ['WSREP_SYNC_WAIT_UPTO_GTID', waits],
  ['EXTRACTVALUE', xpath],
  ['UPDATEXML', xpath],
  ['UUID_SHORT', { why: 'moves a counter of the server', hint: 'UUID() does not.' }],
  ['NEXTVAL', { why: 'moves a sequence on', hint: 'LASTVAL() reads it.' }],
  ['SETVAL', { why: 'sets a sequence', hint: 'LASTVAL() reads it.' }],
]);

/** Whatever their arguments are, if the bracket stands right behind the word. */
const harmless: ReadonlySet<string> = new Set([...builtIn].filter((word) => !denied.has(word) && word !== 'LAST_INSERT_ID'));

/** Names as the servers compare them: without accents, in capitals. */
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
  /** In capitals, if it stands without quotes and not behind a point; else empty. */
  word: string;
  /** The bracket stands right behind it, or blanks between them do not count. */
  glued: boolean;
  empty: boolean;
  /** XPath over texts that are too short to keep the server busy. */
  shortXpath: boolean;
  at: number;
}

/** MariaDB writes these before its own functions in the definitions of views. */
const pseudoSchemas: ReadonlySet<string> = new Set(['oracle_schema', 'mariadb_schema', 'maxdb_schema']);

/** What has to be found out about a call; undefined when it is known to be harmless, the refusal when it is known not to be. */
export function judgeCall(form: CallForm): CallUse | Failure | undefined {
  const { name, path, word, glued, at } = form;
  // Most calls are of these.
  if (glued && harmless.has(word)) return undefined;
  const denial = findDenial(form);
  if (denial !== undefined) return denial;
  // To call it by its name with a blank, like one that somebody has made.
  const isPlainName = !glued && gluedToBracket.has(word);
  const splitOnMaria = !glued && gluedOnMaria.has(word);
  if (builtIn.has(word) && !isPlainName && !splitOnMaria) return undefined;
  // Without accents it would be another function.
  const key = isAscii(name) ? name.toUpperCase() : '';
  const isPseudo = path.length === 1 && pseudoSchemas.has(path[0] ?? '');
  const ownDatabase = path.length === 0 || isPseudo;
  const isKnown = builtIn.has(key) || builtInSomewhere.has(key) || (isPseudo && key === 'REPLACE');
  const isBuiltIn = ownDatabase && !isPlainName && isKnown;
  return { name, path, word, builtIn: isBuiltIn, ...(splitOnMaria ? { splitOnMaria } : {}), at };
}

function findDenial({ name, empty, shortXpath, at }: CallForm): Failure | undefined {
  const key = foldName(name);
  const denial = denied.get(key);
  if (denial !== undefined && !shortXpath) return notARead({ message: `${name}() ${denial.why}`, at, ...hintOf(denial) });
  if (key !== 'LAST_INSERT_ID' || empty) return undefined;
  const hint = 'Leave the brackets empty: that reads the number.';
  return notARead({ message: `${name}() with an argument sets what it returns`, hint, at });
}

function hintOf({ hint }: Denial): { hint?: string } {
  return hint === undefined ? {} : { hint };
}

const unknownHint = 'Check the name; native functions that were added to a server can do anything, so they are for `execute`.';

export function sayUnknown({ name, path }: CallUse): string {
  return `${[...path, name].join('.')}() is neither a function that is known to read nor a stored function that can be seen`;
}

export function refuseUnknownCall(use: CallUse): never {
  const { word, at } = use;
  throw notARead({
    message: sayUnknown(use),
    hint: gluedToBracket.has(word) || gluedOnMaria.has(word) ? 'Write the bracket right behind the name.' : unknownHint,
    at,
  });
}

export function refuseAddedCall({ name, at }: CallUse): never {
  throw notARead({
    message: `${name}() is a native function that was added to the server, although there is a stored one of this name`,
    hint: 'Write the database before the name to call the stored one.',
    at,
  });
}
