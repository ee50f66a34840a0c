import { type CheckReport, type Finding, formatShare, joinFacts } from '@dbmole/core';
import { groupBy } from '../../../answer/group-by.ts';
import { buildPath } from '../../../call/path.ts';
import { formatBytes } from '../../../indices/index-table.ts';
import { groupByPattern } from '../../../indices/name-pattern.ts';
import type { CheckRun } from '../../check-run.ts';
import type { CheckScope } from '../../diagnosis.ts';
import {
  type IndexCounters,
  type IndexFacts,
  listRows,
  readCounters,
  readFigure,
  readIndexFacts,
  readIndexSettings,
} from '../../read-facts.ts';
import { checkAliases } from './aliases.ts';
import { checkIngest } from './ingest.ts';
import { checkLifecycle } from './lifecycle.ts';
import { checkRepositories } from './repositories.ts';
import { formatGrowth, type Growth, judgeGrowth, measureGrowth } from './series-growth.ts';
import { checkSnapshots } from './snapshots.ts';
import { judgeSettings } from './table-settings.ts';
import { checkTemplates } from './templates.ts';

const gigabyte = 1024 ** 3;
/** A shard below this is tiny, and from this many of one index or series they are too many. */
const tiny = { bytes: gigabyte, shardsOfIndex: 4, meanOfSeries: gigabyte / 10, shardsOfSeries: 50, many: 500 };
const large = { bytes: 50 * gigabyte, alarming: 200 * gigabyte };
/** Lucene takes 2,147,483,519 documents in a shard, nested ones included. */
const maxDocs = { medium: 1_500_000_000, high: 2_000_000_000 };
/** The largest shard of an index against the mean of all. */
const skew = { factor: 2, minDocs: 1_000, minBytes: gigabyte };
const deleted = { share: 0.4, minBytes: gigabyte };
/** The share of the documents that were to be indexed. Conflicts of versions are among them. */
const failed = { share: 0.01, minCount: 100 };

interface Shard {
  index: string;
  number: string;
  isPrimary: boolean;
  docs: number;
  bytes: number;
  node: string;
}

export async function checkTables(run: CheckRun, { limit }: CheckScope): Promise<CheckReport> {
  const shardParams = { format: 'json', bytes: 'b', h: 'index,shard,prirep,docs,store,node' };
  const [facts, rows, counters, settings, lifecycle, snapshots, hidden] = await Promise.all([
    readIndexFacts(run),
    run.read({ path: buildPath('_cat', 'shards', run.index), params: shardParams }),
    readCounters(run),
    readIndexSettings(run),
    checkLifecycle(run),
    checkSnapshots(run),
    run.describeHidden('monitor', 'view_index_metadata'),
  ]);
  const more = await Promise.all([
    checkAliases(run, settings),
    checkIngest(run, settings),
    checkTemplates(run, facts),
    checkRepositories(run),
  ]);
  const known = new Set(facts.map(({ name }) => name));
  const shards = listRows(rows)
    .map(readShard)
    .filter(({ index }) => known.has(index));
  const nodes = new Set(shards.map(({ node }) => node).filter((node) => node !== '')).size;
  const total = sumCounters([...counters.values()]);
  const series = listSeries(facts, counters);
  return {
    findings: [
      ...lifecycle,
      ...snapshots,
      ...more.flat(),
      ...judgeSizes(shards),
      ...judgeSkew(shards),
      ...judgeTiny(facts),
      ...judgeSeries(facts),
      ...series.flatMap(({ pattern, growth }) => judgeGrowth(pattern, growth)),
      ...facts.flatMap(judgeDeleted),
      ...facts.flatMap(({ name }) => judgeFailed(name, counters.get(name))),
      ...judgeSettings(facts, settings, nodes),
    ],
    listing: series.slice(0, limit).map((one) => format(one, total)),
    hidden,
    notes: series.length > limit ? [`${series.length - limit} smaller indices or series are not listed.`] : [],
  };
}

function readShard(row: Record<string, unknown>): Shard {
  return {
    index: String(row.index),
    number: String(row.shard),
    isPrimary: row.prirep === 'p',
    docs: readFigure(row.docs),
    bytes: readFigure(row.store),
    node: typeof row.node === 'string' ? row.node : '',
  };
}

type Times = Pick<IndexCounters, 'queryMs' | 'indexingMs'>;

function sumCounters(all: readonly Times[]): Times {
  const sum = (key: keyof Times) => all.reduce((so, one) => so + one[key], 0);
  return { queryMs: sum('queryMs'), indexingMs: sum('indexingMs') };
}

interface Series {
  pattern: string;
  members: readonly IndexFacts[];
  bytes: number;
  times: Times;
  growth: Growth | undefined;
}

/** One line for indices that differ only in a number or date; the largest first. */
function listSeries(facts: readonly IndexFacts[], counters: ReadonlyMap<string, IndexCounters>): Series[] {
  return groupByPattern(facts, ({ name }) => name)
    .map(({ pattern, members }) => ({
      pattern,
      members,
      bytes: sumUp(members, 'bytes'),
      times: sumCounters(members.flatMap(({ name }) => counters.get(name) ?? [])),
      growth: members.length > 1 ? measureGrowth(members) : undefined,
    }))
    .toSorted((a, b) => b.bytes - a.bytes);
}

function sumUp(facts: readonly IndexFacts[], key: 'bytes' | 'docs' | 'primaries'): number {
  return facts.reduce((sum, one) => sum + one[key], 0);
}

function format({ pattern, members, bytes, times, growth }: Series, total: Times): string {
  const docs = sumUp(members, 'docs');
  const closed = members.filter(({ isClosed }) => isClosed).length;
  const share = (key: keyof Times, what: string) =>
    total[key] > 0 && times[key] / total[key] >= 0.05 && `${formatShare(times[key] / total[key])} of the time of ${what}`;
  const figures = joinFacts(
    members.length > 1 && `${members.length} indices`,
    closed > 0 && (members.length > 1 ? `${closed} closed` : 'closed'),
    closed < members.length && `${formatBytes(bytes)}, ${docs} ${docs === 1 ? 'doc' : 'docs'}`,
    growth !== undefined && formatGrowth(growth),
    formatShards(sumUp(members, 'primaries')),
    formatReplicas([...new Set(members.map(({ replicas }) => replicas))]),
    share('queryMs', 'searches'),
    share('indexingMs', 'indexing'),
  );
  return `${pattern}: ${figures}`;
}

function formatReplicas(counts: readonly number[]): string {
  const [count = 0] = counts;
  if (counts.length > 1) return `${Math.min(...counts)} to ${Math.max(...counts)} replicas of each`;
  return count === 0 ? 'no replica' : `${count} ${count === 1 ? 'replica' : 'replicas'} of each`;
}

function formatShards(primaries: number): string {
  return `${primaries} ${primaries === 1 ? 'shard' : 'shards'}`;
}

/** The largest shard of each index. */
function judgeSizes(shards: readonly Shard[]): Finding[] {
  return [...groupBy(shards, ({ index }) => index)].flatMap(([index, all]): Finding[] => {
    const bytes = Math.max(...all.map((one) => one.bytes));
    const docs = Math.max(...all.map((one) => one.docs));
    const isFull = docs >= maxDocs.medium;
    if (!isFull && bytes < large.bytes) return [];
    return [
      {
        severity: docs >= maxDocs.high || bytes >= large.alarming ? 'high' : 'medium',
        weight: isFull ? docs : bytes,
        evidence: `the largest shard of ${index} has ${formatBytes(bytes)} and ${docs} docs`,
        consequence: isFull
          ? 'A shard takes 2147483519 docs, nested ones included; then every write to it fails.'
          : 'It takes long to move or recover, and one thread searches all of it.',
        next: `Roll over at max_primary_shard_size 50gb, or divide what is there with _split.`,
      },
    ];
  });
}

function judgeSkew(shards: readonly Shard[]): Finding[] {
  const primaries = groupBy(
    shards.filter(({ isPrimary }) => isPrimary),
    ({ index }) => index,
  );
  return [...primaries].flatMap(([index, all]): Finding[] => {
    const docs = all.reduce((sum, one) => sum + one.docs, 0);
    const [most] = all.toSorted((a, b) => b.docs - a.docs);
    if (most === undefined || all.length < 2 || most.docs < skew.minDocs) return [];
    if (most.docs < (skew.factor * docs) / all.length || (all.length === 2 && most.docs < 0.9 * docs)) return [];
    return [
      {
        severity: most.bytes >= skew.minBytes ? 'medium' : 'low',
        weight: most.bytes,
        evidence: `shard ${most.number} of the ${all.length} shards of ${index} has ${formatShare(most.docs / docs)} of its docs (${most.docs} of ${docs}, ${formatBytes(most.bytes)})`,
        consequence: 'One node does most of the work of its searches and writes; the other shards wait for it.',
        next: `Documents are written with a routing, or ids, of few values: POST /${index}/_search {"size":5,"_source":false} shows _routing; use one with more values in a new index.`,
      },
    ];
  });
}

/** One index with more shards than its size needs. */
function judgeTiny(facts: readonly IndexFacts[]): Finding[] {
  return facts.flatMap(({ name, primaries, bytes, isClosed, docs }): Finding[] => {
    if (isClosed || docs === 0 || primaries < tiny.shardsOfIndex || bytes / primaries >= tiny.bytes) return [];
    const isClear = bytes < tiny.bytes;
    return [
      {
        severity: 'low',
        weight: primaries,
        evidence: `${name} has ${primaries} shards for ${formatBytes(bytes)}, ${formatBytes(bytes / primaries)} each`,
        consequence: 'Each shard costs heap and files, and every search asks all of them; shards of 10 to 50 GB are usual.',
        next: `${isClear ? 'One shard is enough' : `${Math.max(1, Math.ceil(bytes / (30 * gigabyte)))} would do`}: PUT /${name}/_settings {"index.blocks.write":true}, then POST /${name}/_shrink/${name}-shrunk, or fewer in its template.`,
      },
    ];
  });
}

/** Many small indices that differ in a date or number. */
function judgeSeries(facts: readonly IndexFacts[]): Finding[] {
  return groupByPattern(facts, ({ name }) => name).flatMap(({ pattern, members }): Finding[] => {
    const open = members.filter(({ isClosed }) => !isClosed);
    const shards = sumUp(open, 'primaries');
    const bytes = sumUp(open, 'bytes');
    if (open.length < 2 || shards < tiny.shardsOfSeries || bytes / shards >= tiny.meanOfSeries) return [];
    return [
      {
        severity: shards >= tiny.many ? 'medium' : 'low',
        weight: shards,
        evidence: `${pattern}: ${open.length} indices with ${shards} shards hold ${formatBytes(bytes)}, ${formatBytes(bytes / shards)} a shard`,
        consequence: 'Each shard costs heap and files on its node, and a search of the series asks all of them.',
        next: 'Write to longer periods, or roll over by size (max_primary_shard_size 50gb); old ones can be joined by _reindex.',
      },
    ];
  });
}

function judgeDeleted({ name, docs, deleted: gone, bytes }: IndexFacts): Finding[] {
  const share = gone / Math.max(1, docs + gone);
  if (bytes < deleted.minBytes || share < deleted.share) return [];
  return [
    {
      severity: 'low',
      weight: share * bytes,
      evidence: `${formatShare(share)} of the docs of ${name} (${formatBytes(bytes)}) are deleted or old versions`,
      consequence: 'They take disk, and searches step over them until segments are merged.',
      next: `If it is written rarely: POST /${name}/_forcemerge?only_expunge_deletes=true, when the cluster is quiet.`,
    },
  ];
}

function judgeFailed(name: string, counters: IndexCounters | undefined): Finding[] {
  const { failed: count = 0, indexed = 0 } = counters ?? {};
  if (count < failed.minCount || count < failed.share * (indexed + count)) return [];
  return [
    {
      severity: 'low',
      weight: count,
      evidence: `${count} documents for ${name} failed to be indexed, against ${indexed} that were, since its shards were put on their nodes`,
      consequence: 'They are missing, unless the client sent them again. Conflicts of versions count as well.',
      next: 'See the errors that the client gets in the answers of _bulk: a field of another type, or a full limit of fields.',
    },
  ];
}
