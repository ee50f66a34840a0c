import type { Finding } from '@dbmole/core';
import { formatBytes } from '../../../indices/index-table.ts';
import type { IndexFacts } from '../../read-facts.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const week = 7 * dayMs;
/** A week against the one before it. */
const faster = { factor: 2, minBytesPerDay: 100 * 1024 ** 2 };

/** Bytes that a series of indices grows by on a day. */
export interface Growth {
  readonly perDay: number;
  /** The last week and the one before it, of a series that has both. */
  readonly weeks?: { readonly last: number; readonly before: number };
}

type Member = Pick<IndexFacts, 'name' | 'bytes' | 'created'>;

/** The newest index is still being written, so it only ends the time of those before it. Undefined for less than a day. */
export function measureGrowth(members: readonly Member[]): Growth | undefined {
  const dated = members
    .map(({ name, bytes, created }) => ({ bytes, time: readDate(name) ?? created }))
    .toSorted((a, b) => a.time - b.time);
  const [oldest, newest] = [dated[0], dated.at(-1)];
  if (oldest === undefined || newest === undefined || oldest.time <= 0 || newest.time - oldest.time < dayMs) return undefined;
  const sumFrom = (from: number, to: number) =>
    dated.reduce((sum, { bytes, time }) => (time >= from && time < to ? sum + bytes : sum), 0);
  const end = newest.time;
  const perDay = sumFrom(0, end) / ((end - oldest.time) / dayMs);
  if (end - oldest.time < 2 * week) return { perDay };
  return { perDay, weeks: { last: sumFrom(end - week, end) / 7, before: sumFrom(end - 2 * week, end - week) / 7 } };
}

/** `web-2026.10.03`: the day says more than when the index was restored or written again. */
function readDate(name: string): number | undefined {
  const [, year, month, day] = /(?<!\d)(20\d\d)[.-]?(\d\d)[.-]?(\d\d)(?!\d)/.exec(name) ?? [];
  const time = year === undefined ? Number.NaN : Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : time;
}

export function formatGrowth({ perDay, weeks }: Growth): string {
  const trend =
    weeks === undefined ? '' : ` (last week ${formatBytes(weeks.last)}, the week before ${formatBytes(weeks.before)})`;
  return `grows by ${formatBytes(perDay)} a day${trend}`;
}

export function judgeGrowth(pattern: string, growth: Growth | undefined): Finding[] {
  const { last, before } = growth?.weeks ?? { last: 0, before: 0 };
  if (last < faster.minBytesPerDay || last < faster.factor * before) return [];
  return [
    {
      severity: 'low',
      weight: last,
      evidence: `${pattern} grew by ${formatBytes(last)} a day in the last week, and by ${formatBytes(before)} in the week before`,
      consequence: `At this rate 30 days take ${formatBytes(30 * last)} on disk, and as much again for each replica.`,
      next: `es_search of ${pattern} with aggs over its hosts or services shows what writes more; else keep it for a shorter time.`,
    },
  ];
}
