import type { ColumnPlan, ColumnVerdict } from '../../../../guard/read-statement.ts';
import { refuseColumn, refuseStrict } from '../../../../policy/column-policy.ts';
import { isUnknown, refuseRead, type Taint, toVerdict } from '../../../../policy/taint.ts';
import { noToken, type Token } from '../../../../statement/tokens.ts';
import type { CallUse } from '../judge-call.ts';
import type { LexMode } from '../text/sql-mode.ts';
import type { ColumnCatalog } from './column-catalog.ts';
import { listQueries, type NamedObjects, type Place, type Question, ReachedObjects } from './reached-objects.ts';
import { Scope, type SourceColumn } from './trace/name-scope.ts';
import { beginsQuery, isUntraceable, openText, type SourceText } from './trace/source-text.ts';
import { QueryTrace, type TraceOptions, traceQuery } from './trace/trace-query.ts';
import { createTraceCatalog, mayShowProtected } from './trace-catalog.ts';

/** A statement that the guard accepted. */
export interface ReadText extends NamedObjects {
  readonly tokens: readonly Token[];
  readonly mode: LexMode;
  /** It is a query or the plan of one, rather than SHOW or the like. */
  readonly isQuery: boolean;
}

export interface ColumnQuestion extends Question {
  /** Whether a call is known to mean no stored function. */
  isPlainCall(use: CallUse): boolean;
}

/** What the rules hide of the result of a read. Undefined if the statement reaches no protected column. */
export async function planRead(
  catalog: ColumnCatalog,
  read: ReadText,
  question: ColumnQuestion,
): Promise<ColumnPlan | undefined> {
  refuseMessages(read.tokens);
  const calls = read.calls.filter((use) => !question.isPlainCall(use));
  const { database } = question.server;
  if (calls.length === 0 && read.tables.every(({ schema = database, name }) => isShown(catalog, schema, name))) return undefined;
  const queries = listQueries(read.tokens);
  const place: Place = { tables: read.tables, calls, schema: database, queries, names: new Set() };
  const reached = await ReachedObjects.read(catalog, place, question);
  if (!mayShowProtected(reached, place) && !showsHidden(catalog, place, reached)) return undefined;
  refuseKeeping(reached);
  return planReached(catalog, read, { reached, schema: database });
}

interface Found {
  reached: ReachedObjects;
  schema: string | undefined;
}

function planReached(
  catalog: ColumnCatalog,
  { tokens, mode, isQuery }: ReadText,
  { reached, schema }: Found,
): ColumnPlan | undefined {
  const { word, start } = tokens[0] ?? noToken;
  if (!isQuery) throw refuseColumn(`${word} reads tables with protected columns`, start + 1);
  const end = tokens.at(-1)?.word === ';' ? tokens.length - 1 : tokens.length;
  const text = openText(tokens, { ignoreSpace: mode.ignoreSpace, schema, isOwn: true });
  const options = openTrace(catalog, text, reached);
  if (planWords.has(word)) return planOfPlan(options, { end, reached });
  const columns = trace(() => traceQuery(options, 0, end));
  if (columns === undefined && catalog.isStrict) throw refuseUntraceable();
  return { verdicts: columns && judgeColumns(columns, catalog.isStrict), origins: {}, plansShowValues: true };
}

/** Conditions matter where the policy is strict, or a column must not even be named. */
export function openTrace(catalog: ColumnCatalog, text: SourceText, reached: ReachedObjects): TraceOptions {
  const { isStrict } = catalog;
  return { text, catalog: createTraceCatalog(catalog, reached), isStrict, readsAll: reached.hasRefused };
}

/** A plan shows no values but constants, and of tables only what the statement names. */
function planOfPlan(options: TraceOptions, { end, reached }: { end: number; reached: ReachedObjects }): ColumnPlan | undefined {
  const { text, isStrict } = options;
  const from = text.tokens.findIndex((_, i) => i > 0 && beginsQuery(text, i));
  const touched = trace(() => {
    const query = new QueryTrace({ ...options, readsAll: true });
    query.query(Math.max(from, 0), end, new Scope());
    return query.isTouched;
  });
  if (touched === undefined && isStrict) throw refuseUntraceable();
  // Views have conditions of their own.
  return touched === false && !reached.hasViews ? undefined : { verdicts: undefined, origins: {}, hidesConstants: true };
}

function refuseUntraceable() {
  return refuseStrict('the source of the columns cannot be told');
}

const planWords: ReadonlySet<string> = new Set(['EXPLAIN', 'DESCRIBE', 'DESC', 'ANALYZE']);

/** Whether a view shows a column that the account may not see in its table, such as one that is computed. */
function showsHidden(catalog: ColumnCatalog, { tables, schema: own }: Place, reached: ReachedObjects): boolean {
  if (!reached.hasViews) return false;
  const trace = createTraceCatalog(catalog, reached);
  return tables.some(({ schema = own, name }) => {
    if (schema === undefined || reached.findView({ schema, name }) === undefined) return false;
    const columns = trace.findRelation({ schema, name })?.columns;
    return columns === undefined || columns.some(({ taint }) => taint !== undefined);
  });
}

/** A table that was read a moment ago, and of which nothing is protected. */
function isShown(catalog: ColumnCatalog, schema: string | undefined, name: string): boolean {
  return schema !== undefined && catalog.known({ schema, name })?.isProtected === false;
}

/** SHOW WARNINGS repeats values of the statement before, and logs have statements of others. */
function refuseMessages(tokens: readonly Token[]): void {
  if (tokens[0]?.word !== 'SHOW') return;
  const found = tokens.slice(1, 6).find(({ word }) => messageWords.has(word));
  if (found === undefined) return;
  throw refuseColumn(`SHOW ${found.word} may show values of protected columns`, found.start + 1);
}

const messageWords: ReadonlySet<string> = new Set(['WARNINGS', 'ERRORS', 'BINLOG', 'RELAYLOG']);

export function refuseKeeping(reached: ReachedObjects): void {
  if (reached.routines.every(({ keepsValues }) => !keepsValues)) return;
  throw refuseColumn('a stored function of the statement may keep values of protected columns for a later one');
}

export function trace<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isUntraceable(error) && !isRefusal(error)) return undefined;
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === 'E_PROTECTED_COLUMN';
}

export function judgeColumns(columns: readonly SourceColumn[], isStrict: boolean): readonly (ColumnVerdict | null)[] {
  return columns.map(({ taint }) => (taint === undefined ? null : judgeTaint(taint, isStrict)));
}

function judgeTaint(taint: Taint, isStrict: boolean): ColumnVerdict {
  if (isStrict && isUnknown(taint)) throw refuseStrict('the source of a column cannot be told');
  if (taint.action === 'refuse') throw refuseRead(taint);
  return toVerdict(taint.action, taint);
}
