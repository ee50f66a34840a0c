import { Failure, nearestNames, respond, type ToolReply, truncateRows } from '@dbmole/core';
import { seeDatabases, seeTables } from '../next-steps.ts';
import type { Call } from '../tool.ts';
import type { Page } from './catalog.ts';
import { bareName, nearestTables } from './nearest-tables.ts';

interface NamesTable extends Page {
  columns: readonly string[];
  /** One more than the page has, where more follow. */
  rows: readonly (readonly string[])[];
  /** On all pages, where that is known. */
  total?: number | undefined;
  /** The caller cannot read on with other arguments. */
  once?: boolean | undefined;
}

/** Shorter than an empty text, which CSV has to quote. */
const blank = '-';

/** A table of names of the schema. Columns that are empty on this page are omitted. */
export function respondNames({ columns, rows, limit, offset, total, once = false }: NamesTable): ToolReply {
  const shown = rows.slice(0, limit);
  const kept = columns.map((_, index) => index).filter((index) => index === 0 || shown.some((row) => row[index] !== ''));
  const pick = (row: readonly string[]) => kept.map((index) => row[index] || blank);
  const writer = truncateRows({
    columns: kept.map((index) => columns[index] ?? ''),
    rowLimit: limit,
    offset,
    names: true,
    once,
    ...(total === undefined ? {} : { total }),
  });
  for (const row of rows) if (!writer.add(pick(row))) break;
  return respond.table(writer.finish());
}

interface Looked {
  /** What the names are of: `tables and views`. */
  what: string;
  names: readonly string[];
  wanted: readonly string[];
  /** A sentence about the request. */
  advice?: string | undefined;
}

/** Answers instead of a table without rows: how much was looked at, and which names resemble those that were not found. */
export function respondNothing({ what, names, wanted, advice }: Looked): ToolReply {
  const bare = names.map((name) => bareName(name).toLowerCase());
  const missing = wanted.filter((word) => !bare.some((name) => name.includes(word.toLowerCase())));
  const apart = wanted.length > 1 && missing.length === 0 ? ' Each word is in some name: search for fewer at once.' : '';
  const found = names.length === 0 ? `No ${what.replace(' and ', ' or ')}.` : `No rows, of ${names.length} ${what}.${apart}`;
  const line = advice === undefined ? found : `${found} ${advice}`;
  const nearest = missing.flatMap((word) => {
    const near = nearestTables(word, names);
    return near.length === 0 ? [] : [`nearest to ${word}: ${near.join(', ')}`];
  });
  return nearest.length === 0 ? respond.text(line) : respond.text(nearest.join('\n'), { line });
}

/** Distinguishes an empty schema from a missing one when an answer has no rows. */
export async function refuseUnknownSchema({ backend, options }: Call, schema: string | undefined): Promise<void> {
  if (schema === undefined) return;
  const names = await backend.catalog.schemaNames(backend.catalogRun(options));
  if (names.includes(schema)) return;
  const { database } = await backend.identify(options);
  const where = database === undefined || database === schema ? '' : ` in database ${database}`;
  throw new Failure('unknown', `there is no schema ${schema}${where}`, {
    code: 'E_UNKNOWN_SCHEMA',
    nearest: nearestNames(schema, names),
    hint: ['Give the name unquoted, in its exact case.', { ...seeTables, to: 'see the tables of all schemas' }, seeDatabases],
  });
}
