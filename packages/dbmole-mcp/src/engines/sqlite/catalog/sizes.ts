import { joinFacts } from '@dbmole/core';
import { formatBytes } from '../../../catalog/schema-text.ts';
import type { CatalogRun } from '../../../engine.ts';
import { quoteName } from '../values/identifiers.ts';
import { toKey } from './schema-facts.ts';

/** The file is small enough to be read as a whole for rows and sizes, which takes some milliseconds. */
const maxCountedBytes = 32 * 1024 * 1024;
/** Terms of one compound SELECT. */
const maxTerms = 200;

export interface TableSize {
  rows: number | undefined;
  bytes: number | undefined;
}

/** The path of the file. Undefined: the database is in memory. */
export async function readFilePath(run: CatalogRun): Promise<string | undefined> {
  const [row] = await run("select file from pragma_database_list where name = 'main'");
  return row?.[0] || undefined;
}

export async function readFileSize(run: CatalogRun): Promise<number> {
  const [row] = await run('select page_count * page_size from pragma_page_count, pragma_page_size');
  return Number(row?.[0] ?? 0);
}

/** Rows and sizes, with indexes, of tables by their names in small letters: exact in a small file, by its statistics in a large one. */
export async function readSizes(run: CatalogRun, tables: readonly string[]): Promise<ReadonlyMap<string, TableSize>> {
  const isSmall = (await readFileSize(run)) <= maxCountedBytes;
  const [rows, bytes] = isSmall
    ? await Promise.all([countRows(run, tables), readBytes(run)])
    : [await readStatistics(run), new Map<string, number>()];
  return new Map(tables.map((table) => [toKey(table), { rows: rows.get(toKey(table)), bytes: bytes.get(toKey(table)) }]));
}

/** `~20 rows, 8 kB`. */
export function formatSize({ rows, bytes }: TableSize = { rows: undefined, bytes: undefined }): string {
  return joinFacts(rows !== undefined && `~${rows} rows`, bytes !== undefined && formatBytes(bytes)) || 'size not known';
}

async function countRows(run: CatalogRun, tables: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let from = 0; from < tables.length; from += maxTerms) {
    const some = tables.slice(from, from + maxTerms);
    const sql = some.map((table) => `select ?, (select count(*) from main.${quoteName(table)})`).join(' union all ');
    // One table that cannot be read, such as one of an extension, leaves the others without a count.
    for (const [table, count] of await run(sql, some).catch(() => [])) counts.set(toKey(table), Number(count));
  }
  return counts;
}

const bytesSql = `select s.tbl_name, sum(d.pgsize) from sqlite_schema s join dbstat d on d.name = s.name and d.aggregate = true
where s.type in ('table', 'index') group by 1 limit 20000`;

/** Builds without this table report no sizes. */
async function readBytes(run: CatalogRun): Promise<Map<string, number>> {
  const rows = await run(bytesSql).catch(() => []);
  return new Map(rows.map(([table, bytes]) => [toKey(table), Number(bytes)]));
}

/** What ANALYZE has counted: the first number of any line of a table. */
async function readStatistics(run: CatalogRun): Promise<Map<string, number>> {
  const rows = await run('select tbl, max(cast(stat as integer)) from sqlite_stat1 group by tbl limit 20000').catch(() => []);
  return new Map(rows.map(([table, count]) => [toKey(table), Number(count)]));
}

/** Of a table that cannot be counted: what a row takes on average. */
export const usualRowBytes = 64;

/** A large file is not read to be counted: without statistics, the largest rowid is about the number of rows. */
export async function readCounts(
  own: CatalogRun,
  names: readonly string[],
): Promise<Map<string, { rows: number; rowBytes: number }>> {
  const [sizes, fileBytes] = await Promise.all([readSizes(own, names), readFileSize(own)]);
  const counts = await Promise.all(
    names.map(async (name) => {
      const { rows, bytes } = sizes.get(toKey(name)) ?? {};
      const known = rows ?? (await readLastRowid(own, name)) ?? Math.ceil(fileBytes / usualRowBytes);
      const rowBytes = bytes === undefined || known === 0 ? usualRowBytes : bytes / known;
      return [name, { rows: known, rowBytes }] as const;
    }),
  );
  return new Map(counts);
}

async function readLastRowid(own: CatalogRun, name: string): Promise<number | undefined> {
  const rows = await own(`select max(rowid) from main.${quoteName(name)}`).catch(() => []);
  const last = rows[0]?.[0];
  return last === null || last === undefined ? undefined : Number(last);
}
