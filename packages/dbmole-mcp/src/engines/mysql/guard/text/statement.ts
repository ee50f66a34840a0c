import type { Steps } from '../in-turns.ts';
import type { CallUse } from '../judge-call.ts';
import { notARead } from '../refuse.ts';
import { refuseClauses } from './clauses.ts';
import { readAnalyze, readExplain, type Statement } from './explain.ts';
import { refuseLargeGeometries } from './geometries.ts';
import { tokenize } from './lexer.ts';
import { readQuery } from './query.ts';
import { type LexMode, parseMode } from './sql-mode.ts';
import { noToken, type Token } from './tokens.ts';
import { findCalls, findTables, refuseMany, type TableUse, type Uses, usesDefaults } from './uses.ts';

/**
 * Throws unless the text is a single read, as far as the text alone shows. `followDependencies` checks the views and functions that it
 * names. This sends nothing to the server and takes microseconds.
 */
export function* checkStatement(sql: string, sqlMode: string): Steps<Uses> {
  const mode = parseMode(sqlMode);
  const tokens = yield* tokenize(sql, mode);
  const uses = yield* checkTokens(sql, tokens, mode);
  refuseLargeGeometries(tokens, sql);
  return uses;
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
  if (schema === undefined) return { tables, calls, defaults };
  return {
    defaults,
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
  const runs = tokens.some(({ word }, index) => word === 'SELECT' || (index > 2 && (word === 'TABLE' || word === 'VALUES')));
  return { runs, from: 0, query: false, names: [] };
}

const modifiers: ReadonlySet<string> = new Set(['FULL', 'EXTENDED', 'GLOBAL', 'SESSION', 'LOCAL', 'ALL', 'STORAGE', 'COUNT']);

/** Forms of SHOW that only report. The server requires further rights for those of logs and replication. */
const shown: ReadonlySet<string> = new Set(
  `AUTHORS BINARY BINLOG CHARACTER CHARSET CLIENT_STATISTICS COLLATION COLUMNS CONTRIBUTORS CREATE DATABASES ENGINE ENGINES ERRORS
  EVENTS FIELDS FUNCTION GRANTS INDEX INDEXES INDEX_STATISTICS KEYS LIBRARY LOCALES MASTER OPEN PACKAGE PLUGINS PRIVILEGES PROCEDURE
  PROCESSLIST PROFILE PROFILES QUERY_RESPONSE_TIME RELAYLOG REPLICA REPLICAS SCHEMAS SLAVE SLAVES STATUS TABLE TABLES
  TABLE_STATISTICS TRIGGERS USER_STATISTICS USER_VARIABLES VARIABLES WARNINGS WSREP_MEMBERSHIP WSREP_STATUS`.split(/\s+/),
);

export function refuseShow(tokens: readonly Token[]): void {
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
