import { type CheckReport, type Finding, formatMilliseconds, formatShare, joinFacts } from '@dbmole/core';
import { formatNames, formatTarget } from '../../indices/name-pattern.ts';
import type { CheckRun } from '../check-run.ts';
import type { CheckScope } from '../diagnosis.ts';
import { type IndexCounters, type IndexSettings, readCounters, readIndexSettings } from '../read-facts.ts';

/** The mean time of the query phase on one shard: a slower shard is worth a look. */
const minMeanMs = 50;
const alarmingMeanMs = 1_000;
const noticeableShare = 0.1;
const largeShare = 0.3;
/** Fewer queries are one run of a job, not a pattern. */
const minQueries = 10;
const minTotalMs = 1_000;
/** A slow log from here on logs what is not slow. */
const minLoggedMs = 10;
const maxNames = 5;

export async function checkSlowQueries(run: CheckRun, { limit }: CheckScope): Promise<CheckReport> {
  const [counters, settings, hidden] = await Promise.all([
    readCounters(run),
    readIndexSettings(run),
    run.describeHidden('monitor', 'view_index_metadata'),
  ]);
  const all = [...counters].filter(([, { queries }]) => queries > 0).toSorted(([, a], [, b]) => b.queryMs - a.queryMs);
  const total = all.reduce((sum, [, { queryMs }]) => sum + queryMs, 0);
  const slow = all.filter(([, one]) => isSlow(one, total));
  return {
    findings: [...slow.map(([name, one]) => judge(name, one, total, isLogged(settings, name))), ...judgeLogs(settings)],
    listing: all.slice(0, limit).map(([name, one]) => `${name}: ${format(one, total)}`),
    hidden,
    notes: [
      ...(all.length === 0 ? [] : ['A query counts once on each shard, since the shard was put on its node.']),
      ...(all.length > limit ? [`${all.length - limit} more indices with queries are not listed.`] : []),
      ...([...settings.keys()].some((name) => isLogged(settings, name)) ? [] : ['No index has a slow log of searches.']),
    ],
  };
}

function isSlow({ queries, queryMs }: IndexCounters, total: number): boolean {
  return queries >= minQueries && queryMs >= minTotalMs && queryMs / queries >= minMeanMs && queryMs >= noticeableShare * total;
}

function judge(name: string, counters: IndexCounters, total: number, logged: boolean): Finding {
  const { queries, queryMs } = counters;
  const mean = queryMs / queries;
  const levels = '{"index.search.slowlog.threshold.query.warn":"1s","index.search.slowlog.threshold.query.info":"200ms"}';
  return {
    severity: mean >= alarmingMeanMs && queryMs >= largeShare * total ? 'high' : 'medium',
    weight: queryMs,
    evidence: `searches of ${name}: ${format(counters, total)}`,
    consequence: `A shard is busy for ${formatMilliseconds(mean)} with each of them, and other searches wait for its threads.`,
    next: logged
      ? `Its slow log, a file of each node, has the queries; POST /${name}/_search with "profile":true explains one.`
      : `Log what is slow: PUT /${name}/_settings ${levels}; then POST /${name}/_search with "profile":true explains one.`,
  };
}

function format({ queries, queryMs, fetchMs }: IndexCounters, total: number): string {
  return joinFacts(
    total > 0 && `${formatShare(queryMs / total)} of the time`,
    `${queries} queries`,
    `mean ${formatMilliseconds(queryMs / queries)}`,
    `total ${formatMilliseconds(queryMs)}`,
    fetchMs > queryMs && `and ${formatMilliseconds(fetchMs)} for fetching documents`,
  );
}

const searchLog = 'index.search.slowlog.threshold.';

function isLogged(settings: IndexSettings, index: string): boolean {
  return Object.entries(settings.get(index) ?? {}).some(([name, value]) => name.startsWith(searchLog) && readMs(value) >= 0);
}

/** One finding for each setting, however many indices have it. */
function judgeLogs(all: IndexSettings): Finding[] {
  const low = new Map<string, string[]>();
  for (const [index, settings] of all) {
    for (const [name, value] of Object.entries(settings)) {
      if (!name.includes('.slowlog.threshold.')) continue;
      const ms = readMs(value);
      if (ms < 0 || ms >= minLoggedMs) continue;
      low.set(name, [...(low.get(name) ?? []), index]);
    }
  }
  return [...low].map(([name, names]) => ({
    severity: 'medium' as const,
    weight: names.length,
    evidence: `${name} is below ${minLoggedMs} ms for ${formatNames(names, maxNames)}`,
    consequence: 'Nearly every request is written to the log, which slows the requests and fills the disk.',
    next: `PUT /${formatTarget(names)}/_settings {"${name}":"1s"}`,
  }));
}

const units: Readonly<Record<string, number>> = { nanos: 1e-6, micros: 1e-3, ms: 1, s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7 };

/** -1 where the log is off. */
function readMs(value: unknown): number {
  const [, digits = '-1', unit = ''] = /^(-?\d{1,12}(?:\.\d{1,6})?)(nanos|micros|ms|s|m|h|d)?$/.exec(String(value)) ?? [];
  const number = Number(digits);
  return number < 0 ? -1 : number * (units[unit] ?? 1);
}
