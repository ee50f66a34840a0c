import { excerptAt, Failure, failureWith, nearestNames, quoteRemote, withDeadline } from '@dbmole/core';
import type { SqlBackend } from '../backend/backend.ts';
import type { CatalogRun, SqlGrammar } from '../engine.ts';
import type { Call } from '../tool.ts';
import type { Description } from './catalog.ts';
import { bareName, nearestTables } from './nearest-tables.ts';

/** The time for looking up what exists: the caller waits for an error that is already known. */
const lookupMs = 2_000;

/** Does the work of a call with one statement: a refusal says that nothing else was done either. */
export async function withNameSuggestions<T>(call: Call, sql: string, work: () => Promise<T>): Promise<T> {
  try {
    return await withNameSuggestionsOnly(call, sql, work);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'E_NOT_A_READ') throw error;
    throw failureWith(error, { message: `${error.message}; nothing was run` });
  }
}

/** Does the work; when it fails, the error gets what the statement and the catalog can say of a way out. */
export async function withNameSuggestionsOnly<T>(call: Call, sql: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? await withAdvice(error, call, sql) : error;
  }
}

interface Lookup extends Pick<Call, 'options'> {
  backend: Pick<SqlBackend, 'catalog' | 'catalogRun' | 'grammar'>;
}

/** The error with what the statement and the catalog can say of a way out. */
export async function withAdvice(error: Failure, call: Lookup, sql: string): Promise<Failure> {
  const advised = (await advise(error, call, sql)) ?? error;
  return failureWith(advised, { excerpt: advised.excerpt ?? excerptAt(sql, advised.position) });
}

async function advise(error: Failure, call: Lookup, sql: string): Promise<Failure | undefined> {
  if (needsTables(error)) return await lookUp(call, async (run) => adviseFrom(error, await describeNamed(call, run, sql)));
  const find = finders[error.code];
  const wanted = find === undefined ? undefined : wantedName(error, sql, call.backend.grammar);
  if (find === undefined || wanted === undefined || error.nearest.length > 0) return undefined;
  const { catalog } = call.backend;
  return await lookUp(call, async (run) => await find({ error, ...wanted, sql, catalog, run }));
}

interface Unknown {
  error: Failure;
  /** The name, without quotes and qualifiers. */
  wanted: string;
  isQualified: boolean;
  sql: string;
  catalog: SqlBackend['catalog'];
  run: CatalogRun;
}

/** What the catalog says of a name, by the code of the error. */
const finders: Readonly<Record<string, (unknown: Unknown) => Promise<Failure | undefined>>> = {
  E_UNKNOWN_TABLE: async ({ error, wanted, catalog, run }) =>
    withNearest(error, nearestTables(wanted, await catalog.tableNames(run))),
  E_UNKNOWN_COLUMN: async ({ error, wanted, sql, catalog, run }) =>
    // Columns, too, are compared without the quotes that they need.
    withNearest(error, nearestTables(wanted, await readColumns(catalog, { run, tables: await catalog.tableNames(run), sql }))),
  E_OUT_OF_SCOPE: async (unknown) => adviseInside(unknown, await unknown.catalog.tableNames(unknown.run)),
  E_UNKNOWN_FUNCTION: findFunction,
  E_SYNTAX: findReserved,
};

function withNearest(error: Failure, nearest: readonly string[]): Failure | undefined {
  return nearest.length === 0 ? undefined : failureWith(error, { nearest });
}

/** A plain name means what the search path finds first, which may be no table of the scope. The catalog lists only what is inside. */
function adviseInside({ error, wanted, isQualified }: Unknown, tables: readonly string[]): Failure | undefined {
  const same = tables.filter((name) => bareName(name).toLowerCase() === wanted.toLowerCase()).slice(0, maxTables);
  return isQualified || same.length === 0
    ? withNearest(error, nearestTables(wanted, tables))
    : failureWith(error, { hint: `Write ${same.join(' or ')}.` });
}

/** A function of that very name takes other arguments. */
async function findFunction({ error, wanted, catalog, run }: Unknown): Promise<Failure | undefined> {
  if (!/^[\p{L}_]/u.test(wanted)) return undefined;
  const names = (await catalog.functionNames?.(run)) ?? [];
  if (names.some((name) => bareName(name) === wanted.toLowerCase()))
    return failureWith(error, { hint: 'There is a function of this name for other arguments: cast them, as in f(a::text).' });
  return withNearest(error, nearestTables(wanted, names));
}

/** A table or column that is named like a word of the grammar. */
async function findReserved({ error, wanted, sql, catalog, run }: Unknown): Promise<Failure | undefined> {
  const tables = await catalog.tableNames(run);
  const isMeant = (name: string) => bareName(name).toLowerCase() === wanted.toLowerCase();
  const found = tables.find(isMeant) ?? (await readColumns(catalog, { run, tables, sql })).find(isMeant);
  if (found === undefined || found === bareName(found)) return undefined;
  return failureWith(error, { hint: `To name ${found}, write it in quotes, as here: the bare word has a meaning of its own.` });
}

/** Best effort: a failure here matters less than the original error. */
async function lookUp<T>({ backend, options }: Lookup, work: (run: CatalogRun) => Promise<T>): Promise<T | undefined> {
  const onTimeout = () => new Failure('timeout', 'looking up names took too long');
  try {
    return await withDeadline({ signals: [options.signal], ms: lookupMs, onTimeout }, (signal) =>
      work(backend.catalogRun({ ...options, signal })),
    );
  } catch {
    return undefined;
  }
}

const maxDescribed = 20;

async function describeNamed({ backend: { catalog } }: Lookup, run: CatalogRun, sql: string): Promise<Description> {
  const names = namedIn(sql, await catalog.tableNames(run)).slice(0, maxDescribed);
  if (names.length === 0) return { tables: [], types: [], missing: [] };
  return await catalog.describeTables(run, { names, schema: undefined });
}

interface Statement {
  run: CatalogRun;
  tables: readonly string[];
  sql: string;
}

/** Reads the columns of the tables that the statement names. */
async function readColumns(catalog: Call['backend']['catalog'], { run, tables, sql }: Statement): Promise<string[]> {
  const named = namedIn(sql, tables);
  return named.length === 0 ? [] : await catalog.columnNames(run, named);
}

function namedIn(sql: string, tables: readonly string[]): string[] {
  const text = sql.toLowerCase();
  const words = new Set(text.match(/[\p{L}\p{N}_$]+/gu) ?? []);
  return tables.filter((table) => {
    const bare = bareName(table).toLowerCase();
    // A name of one word is not looked for inside of others.
    return words.has(bare) || (/[^\p{L}\p{N}_$]/u.test(bare) && text.includes(bare));
  });
}

/** The name in the statement that the engine points at, else the first that it quotes. Qualifiers are left away. */
function wantedName(
  { message, position }: Failure,
  sql: string,
  { readName }: SqlGrammar,
): Pick<Unknown, 'wanted' | 'isQualified'> | undefined {
  const pointed = position === undefined ? undefined : readName(sql, position);
  const name = (pointed ?? readQuoted(message)[0] ?? '').replace(/["`]/g, '');
  const wanted = name.slice(name.lastIndexOf('.') + 1);
  return wanted === '' ? undefined : { wanted, isQualified: wanted !== name };
}

/** The codes that engines give to errors whose solution is in the catalog. */
const ambiguousColumn = 'E_AMBIGUOUS_COLUMN';
const invalidValue = 'E_INVALID_VALUE';

const maxTables = 5;
const maxText = 600;

function needsTables({ code }: Failure): boolean {
  return code === ambiguousColumn || code === invalidValue;
}

/** The failure with a next step out of the tables that its statement names; undefined where they do not help. */
function adviseFrom(failure: Failure, description: Description): Failure | undefined {
  return failure.code === ambiguousColumn ? adviseColumn(failure, description) : adviseValue(failure, description);
}

function adviseColumn(failure: Failure, { tables }: Description): Failure | undefined {
  const column = readQuoted(failure.message)[0]?.split('.').at(-1)?.toLowerCase();
  const holders = tables.filter(({ columns }) => columns.some(({ name }) => bareName(name).toLowerCase() === column));
  if (column === undefined || holders.length < 2) return undefined;
  const names = holders.slice(0, maxTables).map(({ name }) => name);
  const message = `${failure.message}; it is in ${quoteRemote(names.join(', '), maxText)}`;
  return failureWith(failure, { message, hint: 'Qualify the column with its table or alias.' });
}

interface EnumType {
  /** The type, or the column. */
  name: string;
  values: string;
}

function adviseValue(failure: Failure, description: Description): Failure | undefined {
  const quoted = readQuoted(failure.message).map((name) => name.split('.').at(-1) ?? '');
  const words = new Set([...quoted, ...(failure.message.match(/[\p{L}\p{N}_]+/gu) ?? [])].map((word) => word.toLowerCase()));
  const found = findEnums(description).find(({ name }) => words.has(name.toLowerCase()));
  if (found === undefined) return undefined;
  const [wanted = ''] = readQuoted(failure.message).filter((text) => text.toLowerCase() !== found.name.toLowerCase());
  const labels = [...found.values.matchAll(/'((?:[^']|'')*)'/g)].map(([, label = '']) => label.replaceAll("''", "'"));
  const message = `${failure.message}; its values are ${quoteRemote(found.values, maxText)}`;
  return failureWith(failure, { message, nearest: nearestNames(wanted, labels), hint: 'Use one of these values.' });
}

/** Types of their own, and columns that have their values in their type. */
function findEnums({ tables, types }: Description): EnumType[] {
  const ofTypes = types.map(({ name, definition }) => ({ name, type: definition }));
  const ofColumns = tables.flatMap(({ columns }) => columns);
  return [...ofTypes, ...ofColumns].flatMap(({ name, type }) => {
    const values = /^(?:enum|set)[ (](.*?)\)?$/s.exec(type)?.[1];
    return values === undefined ? [] : [{ name: bareName(name), values }];
  });
}

/** What the server quotes in its message, in any of its languages; the message itself is in our quotes. */
export function readQuoted(message: string): string[] {
  const said = message.slice(message.indexOf('“') + 1);
  const quotes = /"([^"]{1,200})"|'([^']{1,200})'|(?:`[^`]{1,200}`\.){0,2}`([^`]{1,200})`|«([^»]{1,200})»|„([^“”]{1,200})[“”]/g;
  return [...said.matchAll(quotes)].map(([, ...found]) => found.find((one) => one !== undefined)?.trim() ?? '');
}
