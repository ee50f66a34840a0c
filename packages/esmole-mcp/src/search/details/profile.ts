import { Turns, truncateRows } from '@dbmole/core';
import { isObject } from '../hit-table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Characters of the table, its rows, and the characters of one description. */
const maxLength = 3_000;
const maxRows = 10;
const maxDescription = 120;
/** More are not compared. */
const maxParts = 20_000;
const columns = ['part', 'type', 'description', 'shards', 'ms', 'slowest shard ms'];

interface Part {
  readonly shard: string;
  readonly kind: string;
  readonly timing: Fields;
}

/** The same part of a search in all shards. */
interface Summary {
  readonly kind: string;
  readonly type: string;
  readonly description: string;
  readonly byShard: Map<string, number>;
}

/** Where the time went: kinds of work, the slowest shard, and the slowest parts over all shards without what is inside of them. */
export async function formatProfile(profile: unknown): Promise<string> {
  const shards = listObjects(isObject(profile) ? profile.shards : undefined);
  if (shards.length === 0) return '';
  const parts = shards.flatMap(listParts);
  const summaries = await summarize(parts);
  const writer = truncateRows({ columns, budget: maxLength, rowLimit: maxRows, cellLimit: maxDescription });
  const rows = summaries
    .map(({ kind, type, description, byShard }) => {
      const times = [...byShard.values()];
      return [kind, type, description, times.length, toMilliseconds(sum(times)), toMilliseconds(Math.max(...times))] as const;
    })
    .toSorted((a, b) => b[4] - a[4])
    .filter(([, , , , time], at, [slowest]) => at === 0 || time * 100 >= (slowest?.[4] ?? 0));
  for (const row of rows) if (!writer.add(row)) break;
  const { body, shownRows } = writer.finish();
  return `profile: ${formatTotals(shards, parts)} Slowest ${shownRows} of ${summaries.length} parts, without their inner parts:\n${body}`;
}

/** `[node][index][0]`, which may have a cluster in front of the index. */
function nameShard({ id }: Fields): string {
  const names = [...String(id).matchAll(/\[([^\]]{1,255})\]/g)].map(([, name]) => name);
  return names.length < 2 ? String(id).slice(0, 255) : `${names.slice(1, -1).join(':')}[${names.at(-1)}]`;
}

function listParts(shard: Fields): Part[] {
  const name = nameShard(shard);
  const list = (kind: string, value: unknown) => listObjects(value).map((timing) => ({ shard: name, kind, timing }));
  const rewrites = listObjects(shard.searches).map(({ rewrite_time }) => ({ type: 'rewrite', time_in_nanos: rewrite_time }));
  return [
    ...listObjects(shard.searches).flatMap(({ query, collector }) => [...list('query', query), ...list('collect', collector)]),
    ...list('rewrite', rewrites),
    ...list('aggregation', shard.aggregations),
    ...list('fetch', [shard.fetch]),
    ...list(
      'dfs',
      listObjects(isObject(shard.dfs) ? shard.dfs.knn : undefined).flatMap(({ query }) => query),
    ),
  ];
}

/** Collecting includes aggregations, so these are not counted twice. */
function formatTotals(shards: readonly Fields[], parts: readonly Part[]): string {
  const byKind = new Map<string, number>();
  const byShard = new Map<string, number>();
  for (const { shard, kind, timing } of parts) {
    const time = readTime(timing);
    byKind.set(kind, (byKind.get(kind) ?? 0) + time);
    if (kind !== 'aggregation') byShard.set(shard, (byShard.get(shard) ?? 0) + time);
  }
  const total = sum([...byShard.values()]);
  const shares = [...byKind].filter(([, time]) => time > total / 200).map(([kind, time]) => formatShare(kind, time / total));
  const [slowest] = [...byShard].toSorted(([, a], [, b]) => b - a);
  const where =
    slowest === undefined || shards.length < 2 ? '' : ` Slowest shard: ${slowest[0]}, ${toMilliseconds(slowest[1])} ms.`;
  const count = shards.length === 1 ? '1 shard' : `${shards.length} shards`;
  return `${count}, ${toMilliseconds(total)} ms: ${shares.join(', ')}.${where}`;
}

function formatShare(kind: string, share: number): string {
  return `${kind} ${Math.round(100 * share)} %${kind === 'aggregation' ? ' (within collect)' : ''}`;
}

async function summarize(parts: readonly Part[]): Promise<Summary[]> {
  const turns = new Turns();
  const open = [...parts];
  const found = new Map<string, Summary>();
  for (let count = 0; open.length > 0 && count < maxParts; count++) {
    const part = open.pop();
    if (part === undefined) break;
    await turns.next();
    const { shard, kind, timing } = part;
    const inner = listObjects(timing.children).map((child) => ({ shard, kind, timing: child }));
    open.push(...inner);
    // What aggregations collect is listed as their own.
    if (kind === 'collect' && timing.reason === 'aggregation') continue;
    const own = readTime(timing) - sum(inner.map((one) => readTime(one.timing)));
    const type = String(timing.type ?? timing.name ?? '');
    const description = String(timing.description ?? timing.reason ?? '').slice(0, 1_000);
    const key = JSON.stringify([kind, type, description]);
    const known = found.get(key) ?? { kind, type, description, byShard: new Map<string, number>() };
    found.set(key, known);
    known.byShard.set(shard, (known.byShard.get(shard) ?? 0) + Math.max(0, own));
  }
  return [...found.values()];
}

function readTime({ time_in_nanos }: Fields): number {
  return typeof time_in_nanos === 'number' ? time_in_nanos : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function toMilliseconds(nanoseconds: number): number {
  return Math.round(nanoseconds / 1e4) / 100;
}

function listObjects(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
