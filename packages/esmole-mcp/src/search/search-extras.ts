import { truncateJsonBudget, truncateRows } from '@dbmole/core';
import { isObject } from './hit-table.ts';

/** Characters of the suggestions, and of the profile. */
const maxLength = 6_000;
const maxRows = 25;
/** More are not compared. */
const maxParts = 10_000;
const maxDescription = 120;
const columns = ['shard', 'part', 'type', 'description', 'ms'];

type Row = readonly [shard: string, part: string, type: string, description: string, ms: number];

/** Formats suggestions and profile, where the body asked for them. */
export function formatExtras({ suggest, profile }: Readonly<Record<string, unknown>>): string {
  const suggestions = isObject(suggest) ? `suggest: ${truncateJsonBudget(suggest, maxLength).text}` : '';
  return [suggestions, formatProfile(profile)].filter((text) => text !== '').join('\n\n');
}

/** The slowest parts. A part includes the time of its inner ones. */
function formatProfile(profile: unknown): string {
  const shards = listObjects(isObject(profile) ? profile.shards : undefined);
  const rows = listRows(shards.flatMap(listParts));
  if (rows.length === 0) return '';
  const writer = truncateRows({ columns, budget: maxLength, rowLimit: maxRows, cellLimit: maxDescription });
  for (const row of rows.toSorted((a, b) => b[4] - a[4])) if (!writer.add(row)) break;
  const { body, shownRows } = writer.finish();
  return `profile (slowest ${shownRows} of ${rows.length} parts, ${shards.length} shards):\n${body}`;
}

interface Part {
  readonly shard: string;
  readonly kind: string;
  readonly timing: Readonly<Record<string, unknown>>;
}

function listParts({ id, searches, aggregations, fetch }: Readonly<Record<string, unknown>>): Part[] {
  const shard = String(id).replace(/^\[[^\]]{0,100}\]/, '');
  const list = (kind: string, value: unknown) => listObjects(value).map((timing) => ({ shard, kind, timing }));
  return [
    ...listObjects(searches).flatMap(({ query, collector }) => [...list('query', query), ...list('collector', collector)]),
    ...list('aggregation', aggregations),
    ...list('fetch', [fetch]),
  ];
}

/** A row for each part and each of its inner ones. */
function listRows(parts: Part[]): Row[] {
  const rows: Row[] = [];
  for (let part = parts.pop(); part !== undefined && rows.length < maxParts; part = parts.pop()) {
    const { shard, kind, timing } = part;
    const { type = timing.name, description = timing.reason, time_in_nanos, children } = timing;
    rows.push([shard, kind, String(type), String(description ?? ''), toMilliseconds(time_in_nanos)]);
    for (const inner of listObjects(children)) parts.push({ shard, kind, timing: inner });
  }
  return rows;
}

function toMilliseconds(nanoseconds: unknown): number {
  return typeof nanoseconds === 'number' ? Math.round(nanoseconds / 1e4) / 100 : 0;
}

function listObjects(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
