import type { Hint } from '@dbmole/core';
import { exportRows } from '../../../../next-steps.ts';
import { noToken, stepTokens, type Token } from '../../../../statement/tokens.ts';
import type { Steps } from '../in-turns.ts';
import type { CallUse } from '../judge-call.ts';
import { reservedWords } from '../known-functions.ts';
import { notARead, severalStatements } from '../refuse.ts';
import { findCalls, findTables, refuseMany, type TableUse, type Uses, usesDefaults } from './find-uses.ts';
import { refuseLargeGeometries } from './geometries.ts';
import { tokenize } from './lexer.ts';
import { isVerb, readQuery, refuseVerb, type WithName } from './read-query.ts';
import { type LexMode, parseMode } from './sql-mode.ts';

/**
 * Throws unless the text is a single read, as far as the text alone shows. `followDependencies` checks the views and functions that it
 * names. This sends nothing to the server and takes microseconds.
 */
export function* checkStatement(sql: string, sqlMode: string): Steps<Uses> {
  const mode = parseMode(sqlMode);
  const tokens = yield* tokenize(sql, mode);
  const uses = yield* checkTokens(sql, tokens, mode);
  refuseLargeGeometries(tokens, sql);
  return { ...uses, tokens };
}

/** Finds the tables and functions of a view's definition, which must be a read itself. */
export function* checkDefinition(sql: string, mode: LexMode): Steps<Uses> {
  const { tables, calls, defaults } = yield* checkTokens(sql, yield* tokenize(sql, mode), mode);
  const isShown = ({ name, path }: CallUse) => path.length === 0 && shownForRollup.has(name);
  return { tables, defaults, calls: calls.map((use) => (isShown(use) ? { ...use, own: true } : use)) };
}

/** MySQL shows these names in views with WITH ROLLUP, but has no such functions. It shows stored functions with their database. */
const shownForRollup: ReadonlySet<string> = new Set(['rollup_group_item', 'rollup_sum_switcher']);

function* checkTokens(sql: string, all: readonly Token[], mode: LexMode): Steps<Uses> {
  const tokens = all.at(-1)?.word === ';' ? all.slice(0, -1) : all;
  const { runs, from, query, schema, names } = readStatement(sql, tokens);
  yield* refuseClauses(tokens, query);
  const calls = yield* findCalls(from === 0 ? tokens : tokens.slice(from), mode, sql);
  const behind = new Map(names.map((name) => [name.name, name.behind]));
  const tables = runs ? (yield* findTables(tokens)).filter((use) => !isWithName(use, behind)) : [];
  refuseMany(tables.length + calls.length);
  const defaults = usesDefaults(tokens);
  if (schema === undefined) return { tables, calls, defaults, isQuery: query };
  return {
    defaults,
    isQuery: query,
    tables: tables.map((use) => ({ ...use, schema: use.schema ?? schema })),
    calls: calls.map((use) => ({ ...use, schema })),
  };
}

/** Whether the name is that of a WITH query, which it is after its definition. */
function isWithName({ schema, name, at }: TableUse, behind: ReadonlyMap<string, number>): boolean {
  return schema === undefined && at >= (behind.get(name) ?? Number.POSITIVE_INFINITY);
}

function readStatement(sql: string, tokens: readonly Token[]): Statement {
  const { word } = tokens[0] ?? noToken;
  if (word === 'EXPLAIN' || word === 'DESCRIBE' || word === 'DESC') return readExplain(sql, tokens);
  if (word === 'ANALYZE') return readAnalyze(sql, tokens);
  if (word === 'SHOW') return readShow(tokens);
  if (word === 'HELP' && tokens.length === 2) return { runs: false, from: 0, query: false, names: [] };
  if (word === 'CHECKSUM' && tokens[1]?.word === 'TABLE') return { runs: true, from: 0, query: false, names: [] };
  return { runs: true, from: 0, query: true, names: readQuery(sql, tokens, 0) };
}

/** Checks SHOW, whose condition may contain a query. */
function readShow(tokens: readonly Token[]): Statement {
  refuseShow(tokens);
  return { runs: hasQuery(tokens), from: 0, query: false, names: [] };
}

/** Whether the condition of a SHOW contains a query. */
export function hasQuery(tokens: readonly Token[]): boolean {
  return tokens.some(({ word }, index) => word === 'SELECT' || (index > 2 && (word === 'TABLE' || word === 'VALUES')));
}

const modifiers: ReadonlySet<string> = new Set(['FULL', 'EXTENDED', 'GLOBAL', 'SESSION', 'LOCAL', 'ALL', 'STORAGE', 'COUNT']);

/** Forms of SHOW that only report. The server requires further rights for those of logs and replication. */
const shown: ReadonlySet<string> = new Set(
  `AUTHORS BINARY BINLOG CHARACTER CHARSET CLIENT_STATISTICS COLLATION COLUMNS CONTRIBUTORS CREATE DATABASES ENGINE ENGINES ERRORS
  EVENTS FIELDS FUNCTION GRANTS INDEX INDEXES INDEX_STATISTICS KEYS LIBRARY LOCALES MASTER OPEN PACKAGE PLUGINS PRIVILEGES PROCEDURE
  PROCESSLIST PROFILE PROFILES QUERY_RESPONSE_TIME RELAYLOG REPLICA REPLICAS SCHEMAS SLAVE SLAVES STATUS TABLE TABLES
  TABLE_STATISTICS TRIGGERS USER_STATISTICS USER_VARIABLES VARIABLES WARNINGS WSREP_MEMBERSHIP WSREP_STATUS`.split(/\s+/),
);

function refuseShow(tokens: readonly Token[]): void {
  let at = 1;
  while (modifiers.has(tokens[at]?.word ?? '')) at += 1;
  const { word, start } = tokens[at] ?? noToken;
  if (word === 'ENGINE') refuseStatus(tokens, at);
  // The parenthesis is that of `SHOW COUNT(*) WARNINGS`.
  if (shown.has(word) || word === '(') return;
  const others = word === 'EXPLAIN' || word === 'ANALYZE';
  throw notARead({
    message: others ? `SHOW ${word} reveals a statement of another session` : `SHOW ${word} is not known to be a read`,
    hint: others ? 'Explain the statement itself.' : 'Query information_schema instead.',
    at: start,
  });
}

/** Refuses the status of InnoDB, which averages since it was last shown. InnoDB has other names and is part of ALL. */
function refuseStatus(tokens: readonly Token[], at: number): void {
  if (tokens[at + 2]?.word !== 'STATUS' || tokens[at + 1]?.word === 'PERFORMANCE_SCHEMA') return;
  throw notARead({
    message: 'SHOW ENGINE … STATUS restarts the averages that it shows',
    hint: "Use SHOW GLOBAL STATUS LIKE 'Innodb%', or INNODB_METRICS and INNODB_TRX in information_schema.",
    at: tokens[at]?.start ?? 0,
  });
}

interface Place {
  before: string;
  next: string;
  /** The statement is a query, in which PROCEDURE is a clause. */
  query: boolean;
}

interface Said {
  message: string;
  hint?: Hint;
}

type Clause = (place: Place) => Said | undefined;

const lockHint = 'Leave the locking clause out: a read sees one consistent state without it.';
const intoHint: Hint = ['Leave INTO out to read the rows.', exportRows];
const sequence: Said = { message: 'the next value advances a sequence', hint: 'Use LASTVAL() to read it.' };
const files: ReadonlySet<string> = new Set(['OUTFILE', 'DUMPFILE']);

/** Words that cannot be unquoted names, at least not before the word that follows. */
const clauses: ReadonlyMap<string, Clause> = new Map<string, Clause>(
  Object.entries<Clause>({
    INTO: ({ next }) => ({
      message: files.has(next) ? `INTO ${next} writes a file of the server` : 'INTO writes the result to a variable',
      hint: intoHint,
    }),
    OUTFILE: () => ({ message: 'OUTFILE writes a file of the server', hint: intoHint }),
    FOR: ({ next }) =>
      next === 'UPDATE' || next === 'SHARE' ? { message: `FOR ${next} locks the rows`, hint: lockHint } : undefined,
    LOCK: () => ({ message: 'LOCK IN SHARE MODE locks the rows', hint: lockHint }),
    PROCEDURE: ({ query }) => (query ? { message: 'PROCEDURE runs code over the result' } : undefined),
    VALUE: ({ before, next }) => (before === 'NEXT' && next === 'FOR' ? sequence : undefined),
  }),
);

/** Throws for clauses that make a query more than a read, wherever they are in it. */
function* refuseClauses(tokens: readonly Token[], query: boolean): Steps<void> {
  for (let index = 0; index < tokens.length; index += 1) {
    if (index % stepTokens === stepTokens - 1) yield;
    const token = tokens[index] ?? noToken;
    if (token.word === ';') throw severalStatements(tokens[index + 1]?.start ?? token.start);
    const clause = clauses.get(token.word);
    if (clause === undefined) continue;
    const before = tokens[index - 1]?.word ?? '';
    const said = clause({ before, next: tokens[index + 1]?.word ?? '', query });
    if (said !== undefined) throw notARead({ ...said, at: token.start });
  }
}

/** The kind of a statement, and what the names in it mean. */
interface Statement {
  /** The statement reads its tables instead of describing them. */
  runs: boolean;
  /** The index of the first token after the options. */
  from: number;
  /** The statement contains a query, in which PROCEDURE is a clause. */
  query: boolean;
  /** The database of names without one, if the statement names it. */
  schema?: string | undefined;
  names: readonly WithName[];
}

const description: Statement = { runs: false, from: 0, query: false, names: [] };
const queryWords: ReadonlySet<string> = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', '(']);

/** Reads `EXPLAIN [options] query` or `DESCRIBE table [column]`. */
function readExplain(sql: string, tokens: readonly Token[]): Statement {
  if (isDescription(tokens)) return description;
  const { at, schema } = readOptions(tokens);
  const token = tokens[at] ?? noToken;
  if (isVerb(token.word)) refuseVerb(token, sql, `${tokens[0]?.word} `);
  return { runs: true, from: at, query: true, schema, names: readQuery(sql, tokens, at) };
}

/** Reads `ANALYZE`, `FORMAT = x`, `FOR SCHEMA x` and others; `refuseClauses` refuses INTO. */
function readOptions(tokens: readonly Token[]): { at: number; schema: string | undefined } {
  let at = 1;
  let schema: string | undefined;
  for (;;) {
    const { word } = tokens[at] ?? noToken;
    if (word === 'FORMAT') at += 3;
    else if (word === 'INTO') at += 2;
    else if (word === 'ANALYZE' || word === 'EXTENDED' || word === 'PARTITIONS') at += 1;
    else if (word === 'FOR') {
      schema = readSchema(tokens, at);
      at += 3;
    } else return { at, schema };
  }
}

function readSchema(tokens: readonly Token[], at: number): string | undefined {
  const { word } = tokens[at + 1] ?? noToken;
  if (word === 'SCHEMA' || word === 'DATABASE') return tokens[at + 2]?.name;
  throw notARead({
    message: 'EXPLAIN FOR CONNECTION reveals a statement of another session',
    hint: 'Explain the statement itself.',
    at: tokens[at]?.start ?? 0,
  });
}

/** Whether this is a table with an optional column or pattern. A query begins with a word that cannot be a table. */
function isDescription(tokens: readonly Token[]): boolean {
  const { word } = tokens[1] ?? noToken;
  if (tokens.length < 2 || queryWords.has(word) || reservedWords.has(word)) return false;
  const rest = tokens.slice(tokens[2]?.word === '.' ? 4 : 2);
  return rest.length < 2 && rest.every(({ kind }) => kind === 'word' || kind === 'quoted' || kind === 'text');
}

/** The statement that an accepted EXPLAIN or ANALYZE runs and measures, by the index of its first token; undefined where it runs none. */
export function findMeasured(tokens: readonly Token[]): { at: number | undefined; isElsewhere: boolean } {
  if (tokens[0]?.word === 'ANALYZE') return { at: tokens[1]?.word === 'FORMAT' ? 4 : 1, isElsewhere: false };
  if (isDescription(tokens)) return { at: undefined, isElsewhere: false };
  const { at, schema } = readOptions(tokens);
  const measures = tokens.slice(1, at).some(({ word }) => word === 'ANALYZE');
  return { at: measures ? at : undefined, isElsewhere: measures && schema !== undefined };
}

/** Reads MariaDB's `ANALYZE [FORMAT = JSON] query`, and refuses the statement that writes statistics. */
function readAnalyze(sql: string, tokens: readonly Token[]): Statement {
  const at = tokens[1]?.word === 'FORMAT' ? 4 : 1;
  const token = tokens[at] ?? noToken;
  if (isVerb(token.word)) refuseVerb(token, sql, 'ANALYZE ');
  if (token.word === 'TABLE' || !queryWords.has(token.word)) refuseVerb(tokens[0] ?? noToken, sql);
  return { runs: true, from: at, query: true, names: readQuery(sql, tokens, at) };
}
