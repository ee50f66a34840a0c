import type { Executed } from './blanks.ts';
import { refuseClauses } from './clauses.ts';
import { readAnalyze, readExplain, type Statement } from './explain.ts';
import type { CallUse } from './functions.ts';
import type { Steps } from './in-turns.ts';
import { tokenize } from './lexer.ts';
import { findCalls, findTables, refuseMany, type TableUse, type Uses, usesDefaults } from './names.ts';
import { readQuery } from './query.ts';
import { tooComplex } from './refuse.ts';
import { refuseShow } from './show.ts';
import { type LexMode, parseMode } from './sql-mode.ts';
import { noToken, type Token } from './tokens.ts';

/** With more of them there are too many ways to read the statement. */
const mostExecuted = 3;

/**
 * Throws unless the text is one statement that reads, as far as the text alone can tell. What it leads to (views, functions) is
 * for the catalog. Asks nobody, and takes microseconds.
 */
export function* checkStatement(sql: string, sqlMode: string): Steps<Uses> {
  const mode = parseMode(sqlMode);
  const executed: Executed = { mask: -1, count: 0 };
  const uses = yield* checkTokens(sql, yield* tokenize(sql, mode, executed), mode);
  if (executed.count === 0) return uses;
  if (executed.count > mostExecuted) {
    throw tooComplex(`more than ${mostExecuted} executable comments`, sql.indexOf('/*'), 'Leave them out.');
  }
  // Each of them is run by one server and skipped by another, so the statement has to be a read in every way to read it.
  for (let mask = 0; mask < 2 ** executed.count - 1; mask += 1) {
    const { tables, calls, defaults } = yield* checkTokens(sql, yield* tokenize(sql, mode, { mask, count: 0 }), mode);
    uses.tables = uses.tables.concat(tables);
    uses.calls = uses.calls.concat(calls);
    refuseMany(uses.tables.length + uses.calls.length);
    uses.defaults ||= defaults;
  }
  return uses;
}

/** What the definition of a view leads to; it is a query, and has to be one that reads. */
export function* checkDefinition(sql: string, mode: LexMode): Steps<Uses> {
  const { tables, calls, defaults } = yield* checkTokens(sql, yield* tokenize(sql, mode), mode);
  const isShown = ({ name, path }: CallUse) => path.length === 0 && shownForRollup.has(name);
  return { tables, defaults, calls: calls.map((use) => (isShown(use) ? { ...use, own: true } : use)) };
}

/** MySQL shows them around what WITH ROLLUP is about, although nothing is called so. Stored functions are shown with their database. */
const shownForRollup: ReadonlySet<string> = new Set(['rollup_group_item', 'rollup_sum_switcher']);

function* checkTokens(sql: string, all: readonly Token[], mode: LexMode): Steps<Uses> {
  const tokens = all.at(-1)?.word === ';' ? all.slice(0, -1) : all;
  const { runs, from, query, schema, names } = readStatement(sql, tokens);
  yield* refuseClauses(tokens, { oracle: mode.oracle, query });
  const calls = yield* findCalls(from === 0 ? tokens : tokens.slice(from), mode, sql);
  const behind = new Map(names.map((name) => [name.name, name.behind]));
  const tables = runs ? (yield* findTables(tokens, mode)).filter((use) => !isWithName(use, behind)) : [];
  refuseMany(tables.length + calls.length);
  const defaults = usesDefaults(tokens);
  if (schema === undefined) return { tables, calls, defaults };
  return {
    defaults,
    tables: tables.map((use) => ({ ...use, schema: use.schema ?? schema })),
    calls: calls.map((use) => ({ ...use, schema })),
  };
}

/** Behind its definition the name is that of the query, and of no view. */
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

/** Its condition may hold a query. */
function readShow(tokens: readonly Token[]): Statement {
  refuseShow(tokens);
  const runs = tokens.some(({ word }, index) => word === 'SELECT' || (index > 2 && (word === 'TABLE' || word === 'VALUES')));
  return { runs, from: 0, query: false, names: [] };
}
