import { Failure, failureWith } from '@dbmole/core';
import type { CatalogRun } from './engine.ts';
import { bareName, nearestTables } from './nearest-tables.ts';
import type { Call } from './tool.ts';

const unknownTable = 'E_UNKNOWN_TABLE';
const unknownColumn = 'E_UNKNOWN_COLUMN';

/** For looking up what exists: the caller waits for an error that is known already. */
const lookupMs = 2_000;

/** Does the work; when it fails because of a name that does not exist, the error gets the names that resemble it. */
export async function offeringNames<T>(call: Call, sql: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw (await withNames(error, call, sql)) ?? error;
  }
}

async function withNames(error: unknown, call: Call, sql: string): Promise<Failure | undefined> {
  if (!(error instanceof Failure) || (error.code !== unknownTable && error.code !== unknownColumn)) return undefined;
  const wanted = wantedName(error, sql);
  if (wanted === undefined || error.nearest.length > 0) return undefined;
  const existing = await candidates(error, call, sql);
  // Columns, too, are compared without the quotes that they need.
  const nearest = nearestTables(wanted, existing);
  return nearest.length === 0 ? undefined : failureWith(error, { nearest });
}

/** Best effort: whatever goes wrong here is less than what went wrong before. */
async function candidates(error: Failure, { backend, options }: Call, sql: string): Promise<string[]> {
  const limit = new AbortController();
  const abort = () => limit.abort(options.signal.reason);
  const timer = setTimeout(() => limit.abort(new Failure('timeout', 'looking up names took too long')), lookupMs);
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    const run = backend.catalogRun({ ...options, signal: limit.signal });
    const tables = await backend.catalog.tableNames(run);
    return error.code === unknownTable ? tables : await columnsOf(backend.catalog, { run, tables, sql });
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', abort);
  }
}

interface Statement {
  run: CatalogRun;
  tables: readonly string[];
  sql: string;
}

/** Of the tables that the statement names. */
async function columnsOf(catalog: Call['backend']['catalog'], { run, tables, sql }: Statement): Promise<string[]> {
  const text = sql.toLowerCase();
  const words = new Set(text.match(/[\p{L}\p{N}_$]+/gu) ?? []);
  const named = tables.filter((table) => {
    const bare = bareName(table).toLowerCase();
    // A name of one word is not looked for inside of others.
    return words.has(bare) || (/[^\p{L}\p{N}_$]/u.test(bare) && text.includes(bare));
  });
  return named.length === 0 ? [] : await catalog.columnNames(run, named);
}

/** Where the engine points: words and quoted names, with dots between them. */
const pointedName = /^(?:[\p{L}\p{N}_$.]|"[^"]*"|`[^`]*`)+/u;

/** The name in the statement that the engine points at, else the first that it quotes. Qualifiers are left away. */
function wantedName({ message, position }: Failure, sql: string): string | undefined {
  const pointed = position === undefined ? undefined : pointedName.exec(sql.slice(position - 1))?.[0];
  // The message quotes what the server says.
  const said = message.slice(message.indexOf('“') + 1);
  const quoted = /["'`«„“]([^"'`»“”]+)["'`»“”]/.exec(said)?.[1];
  const name = lastPart((pointed ?? quoted ?? '').replace(/["`]/g, ''));
  return name === '' ? undefined : name;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
