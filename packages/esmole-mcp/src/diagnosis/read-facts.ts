import { RawNumber } from '@dbmole/core';
import { valueAt } from '../call/answer-failure.ts';
import { buildPath } from '../call/path.ts';
import { isObject } from '../search/hit-table.ts';
import type { CheckRun } from './check-run.ts';

/** Reads a number of JSON, or of a table, whose cells are texts; 0 where it is missing. */
export function readFigure(value: unknown): number {
  const found = value instanceof RawNumber ? Number(value.text) : typeof value === 'string' ? Number(value) : value;
  return typeof found === 'number' && Number.isFinite(found) ? found : 0;
}

export function figureAt(value: unknown, ...path: readonly string[]): number {
  return readFigure(valueAt(value, path));
}

export function listRows(json: unknown): Record<string, unknown>[] {
  return Array.isArray(json) ? json.filter(isObject) : [];
}

export function listEntries(json: unknown): [string, unknown][] {
  return isObject(json) ? Object.entries(json) : [];
}

export interface IndexFacts {
  name: string;
  isClosed: boolean;
  primaries: number;
  replicas: number;
  docs: number;
  deleted: number;
  /** The size of the primaries. */
  bytes: number;
  /** Milliseconds since 1970; 0 where the cluster does not say it. */
  created: number;
}

/** The indices that may be named, the largest first; those of data streams are among them. */
export async function readIndexFacts(run: CheckRun): Promise<IndexFacts[]> {
  const h = 'index,status,pri,rep,docs.count,docs.deleted,pri.store.size,creation.date';
  const params = { format: 'json', bytes: 'b', h, expand_wildcards: 'open,closed' };
  const rows = listRows(await run.read({ path: buildPath('_cat', 'indices', run.index), params }));
  return rows
    .map((row) => ({
      name: String(row.index),
      isClosed: row.status === 'close',
      primaries: readFigure(row.pri),
      replicas: readFigure(row.rep),
      docs: readFigure(row['docs.count']),
      deleted: readFigure(row['docs.deleted']),
      bytes: readFigure(row['pri.store.size']),
      created: readFigure(row['creation.date']),
    }))
    .filter(({ name }) => run.mayName(name))
    .toSorted((a, b) => b.bytes - a.bytes);
}

/** Every index setting that a check looks at, so that one request serves all of them. */
const settingNames = [
  'index.blocks.*',
  'index.verified_before_close',
  'index.lifecycle.name',
  'index.*.rollover_alias',
  'index.default_pipeline',
  'index.final_pipeline',
  'index.max_result_window',
  'index.store.type',
  'index.search.slowlog.*',
  'index.indexing.slowlog.*',
  'index.mapping.total_fields.*',
  'index.translog.durability',
  'index.refresh_interval',
];

export type IndexSettings = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Only settings that were given; an index without any of them is not in it. Of one whose metadata is blocked, only that is known. */
export async function readIndexSettings(run: CheckRun): Promise<IndexSettings> {
  const path = buildPath(run.index, '_settings', settingNames.join(','));
  const json = await run.read({ path, params: { flat_settings: true, expand_wildcards: 'open,closed' } });
  const known = listEntries(json)
    .filter(([name]) => run.mayName(name))
    .map(([name, value]) => [name, Object.fromEntries(listEntries(valueAt(value, ['settings'])))] as const);
  const blocked = run.blocked().map((name) => [name, { 'index.blocks.metadata': 'true' }] as const);
  return new Map<string, Readonly<Record<string, unknown>>>([...known, ...blocked]);
}

export interface IndexCounters {
  queries: number;
  queryMs: number;
  fetchMs: number;
  indexed: number;
  indexingMs: number;
  failed: number;
}

const counterPaths = [
  'search.query_total',
  'search.query_time_in_millis',
  'search.fetch_time_in_millis',
  'indexing.index_total',
  'indexing.index_time_in_millis',
  'indexing.index_failed',
];

/** Reads what each shard has counted since it was put on its node. */
export async function readCounters(run: CheckRun): Promise<ReadonlyMap<string, IndexCounters>> {
  const filter = counterPaths.map((path) => `indices.*.total.${path}`).join(',');
  const json = await run.read({ path: buildPath(run.index, '_stats', 'search,indexing'), params: { filter_path: filter } });
  return new Map(
    listEntries(valueAt(json, ['indices']))
      .filter(([name]) => run.mayName(name))
      .map(([name, value]) => {
        const [queries = 0, queryMs = 0, fetchMs = 0, indexed = 0, indexingMs = 0, failed = 0] = counterPaths.map((path) =>
          figureAt(value, 'total', ...path.split('.')),
        );
        return [name, { queries, queryMs, fetchMs, indexed, indexingMs, failed }];
      }),
  );
}
