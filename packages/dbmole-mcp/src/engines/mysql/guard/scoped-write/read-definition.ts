import { isName, matchBrackets, noToken, type Token } from '../../../../statement/tokens.ts';
import type { TableUse } from '../text/find-uses.ts';

/** A definition of tables and views, by what must be inside. */
export interface ScopedDefinition {
  /** What it names, or gives a name to. */
  readonly tables: readonly TableUse[];
  /** Of these, the ones that other tables must not refer to from outside. */
  readonly taken: readonly TableUse[];
  /** Where its query begins. */
  readonly query: number | undefined;
}

/** Words that make a table of others, or of files. */
const leaving: ReadonlySet<string> = new Set(
  'MERGE MRG_MYISAM MYISAMMRG FEDERATED FEDERATEDX CONNECT SPIDER CONNECTION TABLESPACE DIRECTORY UNION TEMPORARY S3 CSV'.split(
    ' ',
  ),
);
/** Engines whose tables hold their own rows. */
const own: ReadonlySet<string> = new Set('INNODB MYISAM ARIA MEMORY HEAP ARCHIVE ROCKSDB NDB NDBCLUSTER'.split(' '));

function isLeaving({ kind, word }: Token): boolean {
  return kind === 'word' && leaving.has(word);
}

/** `ENGINE = x` with another engine, which may be quoted. A column can be called `engine`. */
function takesForeignEngine(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.word !== 'ENGINE') return false;
  const isSet = tokens[at + 1]?.word === '=';
  const { kind, word } = tokens[isSet ? at + 2 : at + 1] ?? noToken;
  return (isSet || kind === 'text' || kind === 'quoted') && !own.has(word);
}

/** MariaDB makes a table of a partition, or the reverse. */
function movesPartition(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.word === 'CONVERT' && /^(?:PARTITION|TABLE)$/.test(tokens[at + 1]?.word ?? '');
}

const beforeObject: ReadonlySet<string> = new Set([
  'ONLINE',
  'OFFLINE',
  'IGNORE',
  'UNIQUE',
  'FULLTEXT',
  'SPATIAL',
  'OR',
  'REPLACE',
]);
/** Parts of ALTER TABLE that a foreign key of another table can forbid, by its name. */
const taking: ReadonlySet<string> = new Set(['DROP', 'MODIFY', 'CHANGE', 'RENAME', 'CONVERT', 'ENGINE', 'ALTER']);

/** Undefined for a statement that is not followed. */
export function readDefinition(tokens: readonly Token[]): ScopedDefinition | undefined {
  const verb = tokens[0]?.word ?? '';
  const at = skipOptions(tokens);
  const object = tokens[at]?.word ?? '';
  if (object === 'VIEW' && (verb === 'CREATE' || verb === 'ALTER')) return readView(tokens, at + 1);
  if (tokens.some((token, i) => isLeaving(token) || takesForeignEngine(tokens, i) || movesPartition(tokens, i))) return undefined;
  if (object === 'INDEX') return readIndex(tokens, at);
  if (object === 'TABLE' && (verb === 'CREATE' || verb === 'ALTER')) return readTable(tokens, skipExists(tokens, at + 1));
  return readListed(tokens, { verb, object, at });
}

/** Statements about a list of tables. */
function readListed(
  tokens: readonly Token[],
  { verb, object, at }: { verb: string; object: string; at: number },
): ScopedDefinition | undefined {
  if (verb === 'TRUNCATE') return takeAll(readList(tokens, object === 'TABLE' ? at + 1 : at));
  if (verb === 'RENAME' && /^TABLES?$/.test(object)) return takeAll(readList(tokens, at + 1));
  if (verb !== 'DROP' || !/^(?:TABLES?|VIEW)$/.test(object)) return undefined;
  return takeAll(readList(tokens, skipExists(tokens, at + 1)));
}

function skipOptions(tokens: readonly Token[]): number {
  let at = 1;
  for (let word = tokens[at]?.word ?? ''; ; word = tokens[at]?.word ?? '') {
    if (beforeObject.has(word)) at += 1;
    else if (word === 'ALGORITHM' && tokens[at + 1]?.word === '=') at += 3;
    else if (word === 'SQL' && tokens[at + 1]?.word === 'SECURITY') at += 3;
    else return at;
  }
}

function skipExists(tokens: readonly Token[], at: number): number {
  if (tokens[at]?.word !== 'IF') return at;
  return tokens[at + 1]?.word === 'NOT' ? at + 3 : at + 2;
}

function takeAll(tables: readonly TableUse[] | undefined): ScopedDefinition | undefined {
  return tables && { tables, taken: tables, query: undefined };
}

const between: ReadonlySet<string> = new Set([',', 'TO']);
const lastWords: ReadonlySet<string> = new Set(['RESTRICT', 'CASCADE']);

/** `a, b.c`, `a TO b`; undefined for what is no such list. */
function readList(tokens: readonly Token[], from: number): readonly TableUse[] | undefined {
  const tables: TableUse[] = [];
  for (let at = from; ; ) {
    const named = readName(tokens, at);
    if (named === undefined) return undefined;
    tables.push(named.table);
    at = skipWait(tokens, named.to);
    const { word } = tokens[at] ?? noToken;
    if (between.has(word)) at += 1;
    else return at + (lastWords.has(word) ? 1 : 0) === tokens.length ? tables : undefined;
  }
}

/** `WAIT 5` or `NOWAIT`, which may come before the new name. */
function skipWait(tokens: readonly Token[], at: number): number {
  const { word } = tokens[at] ?? noToken;
  return word === 'WAIT' ? at + 2 : word === 'NOWAIT' ? at + 1 : at;
}

function readName(tokens: readonly Token[], at: number): { table: TableUse; to: number } | undefined {
  const [first = noToken, dot = noToken, second = noToken] = tokens.slice(at, at + 3);
  if (!isName(first)) return undefined;
  if (dot.word !== '.') return { table: { schema: undefined, name: first.name, at: first.start }, to: at + 1 };
  return isName(second) ? { table: { schema: first.name, name: second.name, at: first.start }, to: at + 3 } : undefined;
}

/** `INDEX i ON t`, with words between. */
function readIndex(tokens: readonly Token[], from: number): ScopedDefinition | undefined {
  const on = tokens.findIndex(({ kind, word }, at) => at > from && kind === 'word' && word === 'ON');
  const named = on < 0 ? undefined : readName(tokens, on + 1);
  return named && { tables: [named.table], taken: tokens[0]?.word === 'DROP' ? [named.table] : [], query: undefined };
}

function readView(tokens: readonly Token[], from: number): ScopedDefinition | undefined {
  const named = readName(tokens, skipExists(tokens, from));
  if (named === undefined) return undefined;
  const as = tokens.findIndex(({ kind, word }, at) => at >= named.to && kind === 'word' && word === 'AS');
  return as < 0 ? undefined : { tables: [named.table], taken: [], query: as + 1 };
}

/** Words that a name of another table follows. */
const naming: ReadonlySet<string> = new Set(['REFERENCES', 'LIKE']);

function readTable(tokens: readonly Token[], from: number): ScopedDefinition | undefined {
  const own = readName(tokens, from);
  if (own === undefined) return undefined;
  const tables: TableUse[] = [own.table];
  for (const at of tokens.keys()) {
    const place = at < own.to ? undefined : findNamed(tokens, at);
    if (place === undefined) continue;
    const named = readName(tokens, place);
    if (named === undefined) return undefined;
    tables.push(named.table);
  }
  const isAlter = tokens[0]?.word === 'ALTER';
  const isTaking = isAlter
    ? tokens.some(({ kind, word }, at) => at > 0 && kind === 'word' && taking.has(word))
    : tokens[1]?.word === 'OR';
  const query = isAlter ? undefined : findQuery(tokens, own.to);
  return { tables, taken: isTaking ? [own.table] : [], query };
}

/** Where the name of another table is: after REFERENCES, LIKE, RENAME [TO] and EXCHANGE … WITH TABLE. */
function findNamed(tokens: readonly Token[], at: number): number | undefined {
  const [{ kind, word } = noToken, next = noToken] = tokens.slice(at, at + 2);
  if (kind !== 'word') return undefined;
  if (naming.has(word)) return at + 1;
  if (word === 'WITH' && next.word === 'TABLE') return at + 2;
  if (word !== 'RENAME' || /^(?:COLUMN|INDEX|KEY)$/.test(next.word)) return undefined;
  return /^(?:TO|AS|=)$/.test(next.word) ? at + 2 : at + 1;
}

/** The query whose rows a new table gets. */
function findQuery(tokens: readonly Token[], from: number): number | undefined {
  const closing = matchBrackets(tokens);
  for (let at = from; at < tokens.length; at += 1) {
    const { word } = tokens[at] ?? noToken;
    if (word === '(' && !/^(?:SELECT|WITH|VALUES|TABLE|\()$/.test(tokens[at + 1]?.word ?? '')) at = closing(at);
    else if (/^(?:SELECT|VALUES|TABLE|\()$/.test(word) || (word === 'WITH' && isName(tokens[at + 1] ?? noToken))) return at;
  }
  return undefined;
}
