import { askIfAllowed } from '../../../audit/ask-if-allowed.ts';
import type { ColumnStats, TableDetails, TableStats } from '../../../catalog/catalog.ts';
import { parseNameParts } from '../../../catalog/name-parts.ts';
import type { CatalogRun } from '../../../engine.ts';
import { formatIdentifier } from '../values/identifiers.ts';
import { type CatalogContext, questionMarks, readContext } from './context.ts';
import type { IndexUses, RowsOf } from './definitions.ts';

type Row = readonly (string | null)[];

/** This is far more than is shown, so that no secret is cut in two before it is found. */
const maxValue = 500;
const maxCommon = 5;

/** Sizes and uses of indexes, as rows of the description. Empty where the account may not know. */
export async function readIndexUses(run: CatalogRun, schema: string, tables: readonly string[]): Promise<readonly Row[]> {
  const marks = questionMarks(tables);
  const [sizes, uses] = await Promise.all([
    askIfAllowed(
      run,
      `select 'index size', database_name, table_name, 0, index_name, sum(stat_value * @@innodb_page_size)
        from mysql.innodb_index_stats where database_name = ? and table_name in (${marks}) and stat_name = 'size'
        group by database_name, table_name, index_name`,
      [schema, ...tables],
    ),
    askIfAllowed(
      run,
      `select 'index use', object_schema, object_name, 0, index_name, count_read
        from performance_schema.table_io_waits_summary_by_index_usage
        where @@performance_schema and object_schema = ? and object_name in (${marks}) and index_name is not null`,
      [schema, ...tables],
    ),
  ]);
  return [...(sizes ?? []), ...(uses ?? [])];
}

export function toIndexUses(buildRows: RowsOf): IndexUses {
  const sizes = new Map(buildRows('index size').map(([name, bytes]) => [name ?? '', Number(bytes)]));
  const uses = new Map(buildRows('index use').map(([name, count]) => [name ?? '', Number(count)]));
  const names = new Set([...sizes.keys(), ...uses.keys()]);
  return new Map([...names].map((name) => [name, { bytes: sizes.get(name), uses: uses.get(name) }]));
}

/** MySQL has histograms of columns that someone asked for, MariaDB a table of statistics, and both the cardinality of indexes. */
export async function readStats(run: CatalogRun, tables: readonly TableDetails[]): Promise<TableStats[]> {
  const context = await readContext(run);
  return await Promise.all(tables.map((table) => readTable(run, context, table)));
}

async function readTable(run: CatalogRun, context: CatalogContext, table: TableDetails): Promise<TableStats> {
  const parts = parseNameParts(table.name);
  const place = [parts.at(-2)?.text ?? context.database ?? null, parts.at(-1)?.text ?? ''];
  const [found, cardinalities] = await Promise.all([
    askIfAllowed(run, context.maria ? columnStats : histograms, place),
    run(
      `select column_name, max(cardinality) from information_schema.statistics
        where table_schema = ? and table_name = ? and seq_in_index = 1 and column_name is not null group by column_name`,
      place,
    ),
  ]);
  const known = new Map((found ?? []).map((row) => [row[0], context.maria ? readMaria(row, table) : readHistogram(row)]));
  for (const [column = null, count] of cardinalities) {
    const distinct = count ? Number(count) : undefined;
    const stats = known.get(column) ?? { ...unknown, column: formatIdentifier(column ?? '') };
    known.set(column, { ...stats, distinct: stats.distinct ?? distinct });
  }
  const order = table.columns.map(({ name }) => name);
  const columns = [...known.values()].sort((a, b) => order.indexOf(a.column) - order.indexOf(b.column));
  return { table: table.name, columns, note: formatNote(context, table, found?.length) };
}

function formatNote({ maria }: CatalogContext, { name, kind }: TableDetails, found: number | undefined): string {
  if (/view$/.test(kind)) return 'a view has no statistics';
  if (found === undefined) return 'statistics of indexes; the account may not read those of columns';
  const collect = maria ? `ANALYZE TABLE ${name} PERSISTENT FOR ALL` : `ANALYZE TABLE ${name} UPDATE HISTOGRAM ON …`;
  return found === 0 ? `statistics of indexes; ${collect} collects those of columns` : 'statistics of columns and indexes';
}

const unknown: ColumnStats = { column: '', nulls: undefined, distinct: undefined, common: [], min: undefined, max: undefined };

const columnStats = `select column_name, nulls_ratio, avg_frequency, convert(min_value using utf8mb4), convert(max_value using utf8mb4)
  from mysql.column_stats where db_name = ? and table_name = ? limit 2000`;

function readMaria([column, nulls, frequency, min, max]: Row, { rows }: TableDetails): ColumnStats {
  const each = Number(frequency);
  const share = Number(nulls ?? 0);
  return {
    ...unknown,
    column: formatIdentifier(column ?? ''),
    nulls: nulls === null ? undefined : share,
    distinct: rows === undefined || !(each > 0) ? undefined : Math.round((rows * (1 - share)) / each),
    min: min ?? undefined,
    max: max ?? undefined,
  };
}

const histograms = `select column_name, left(histogram, 1000000) from information_schema.column_statistics
  where schema_name = ? and table_name = ? limit 2000`;

/** `[value, share up to here]`, or `[from, to, share up to here, distinct]`. Texts are in base64. */
type Bucket = readonly unknown[];

function readHistogram([column, json]: Row): ColumnStats {
  const stats = { ...unknown, column: formatIdentifier(column ?? '') };
  const histogram: unknown = JSON.parse(json ?? '{}');
  if (typeof histogram !== 'object' || histogram === null) return stats;
  const buckets: unknown = Reflect.get(histogram, 'buckets');
  const nulls: unknown = Reflect.get(histogram, 'null-values');
  const isSingle = Reflect.get(histogram, 'histogram-type') === 'singleton';
  const all = Array.isArray(buckets) ? buckets.filter((bucket): bucket is Bucket => Array.isArray(bucket)) : [];
  return {
    ...stats,
    nulls: typeof nulls === 'number' ? nulls : undefined,
    distinct: isSingle ? all.length : all.reduce((sum, bucket) => sum + Number(bucket[3]), 0),
    common: isSingle ? listCommon(all) : [],
    min: readValue(all[0]?.[0]),
    max: readValue(all.at(-1)?.[isSingle ? 0 : 1]),
  };
}

function listCommon(buckets: readonly Bucket[]): ColumnStats['common'] {
  const shares = buckets.map(
    (bucket, i) => [readValue(bucket[0]) ?? '', Number(bucket[1]) - Number(buckets[i - 1]?.[1] ?? 0)] as const,
  );
  return shares.toSorted((a, b) => b[1] - a[1]).slice(0, maxCommon);
}

function readValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  const encoded = /^base64:type\d+:(.*)$/s.exec(text)?.[1];
  return (encoded === undefined ? text : Buffer.from(encoded, 'base64').toString('utf8')).slice(0, maxValue);
}
