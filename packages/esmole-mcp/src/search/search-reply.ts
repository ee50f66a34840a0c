import { Failure, respond, type ToolReply, truncateJsonBudget, truncateRows } from '@dbmole/core';
import { formatIncomplete } from '../answer/incomplete.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import type { SearchArgs } from '../tools/search.ts';
import { AggregationText, type FormattedAggregations } from './aggregations/aggregations.ts';
import { formatTotal, type Hit, isObject, tabulate } from './hit-table.ts';
import { budget, type Page } from './read-hits.ts';
import { readPage } from './read-page.ts';
import { maxCellOffset, resultWindow } from './result-window.ts';
import { findUnknownNames, withNearestFields } from './unknown-fields.ts';

/** Characters of the first line. */
const lineReserve = 600;
const gap = '\n\n';

export async function search(call: ClusterCall, given: SearchArgs): Promise<ToolReply> {
  const size = given.aggs_only || given.agg_offset > 0 ? 0 : given.size;
  // Aggregations visit all matches anyway, so counting them costs nothing.
  const track_total_hits = given.track_total_hits ?? (given.aggs === undefined ? undefined : true);
  const args = { ...given, size, track_total_hits };
  checkWindow(args);
  const page = await readPage(call, args).catch(async (error: unknown) => {
    throw await withNearestFields(call, args.index, error);
  });
  const answer = isObject(page.answer.json) ? page.answer.json : {};
  const aggregationText = await AggregationText.read(answer.aggregations, {
    offset: args.agg_offset,
    cellLimit: args.cell_limit,
    cellOffset: args.cell_offset,
  });
  const extras = formatExtras(answer);
  const room = extras === '' ? budget : budget - extras.length - gap.length;
  const { table, aggregations } = await fitBoth(aggregationText, page.hits, { args, room });
  const incomplete = formatIncomplete(answer, { terminateAfter: args.body?.terminate_after !== undefined });
  const cut =
    page.answer.isPartial === true && page.areAll
      ? 'The answer was too long to keep completely: ask for fewer buckets or fields.'
      : '';
  const covers = answer.aggregations !== undefined && incomplete.length === 0 ? 'Aggregations cover all matches.' : '';
  const collapsed = isObject(args.body?.collapse) ? 'The total counts documents, not the groups of collapse.' : '';
  const extent = formatExtent(answer, { args, page, shown: table.shown, more: await page.readOn(table.shown) });
  const unknown = await findUnknownNames(call, args, { page, isEmpty: aggregationText.isEmpty });
  const notes = [...unknown, table.cuts, cut, collapsed, covers, ...aggregations.notes, ...incomplete, ...call.news(page.answer)];
  const line = [extent, ...notes].filter((part) => part !== '').join(' ');
  const text = [table.body, aggregations.body, extras].filter((part) => part !== '').join(gap);
  return respond.text(text, { line, budget });
}

function checkWindow({ from, size, cursor }: SearchArgs): void {
  if (from < resultWindow || size === 0 || cursor !== undefined) return;
  throw new Failure('input', `from=${from} is beyond the ${resultWindow} hits that a cluster pages through`, {
    hint: 'Start over with a large size and follow the cursor of each page, or narrow the query.',
  });
}

interface Parts {
  table: HitText;
  aggregations: FormattedAggregations;
}

/** Aggregations take half of the room where there are hits as well, and then what the hits leave. */
async function fitBoth(
  text: AggregationText,
  hits: readonly Hit[],
  { args, room }: { args: SearchArgs; room: number },
): Promise<Parts> {
  const bodyRoom = room - lineReserve;
  const aggregations = await text.format(hits.length === 0 ? bodyRoom : Math.floor(bodyRoom / 2));
  const table = await formatHits(hits, args, room - aggregations.body.length - gap.length);
  const left = bodyRoom - table.body.length - gap.length;
  return { table, aggregations: aggregations.isCut && left > bodyRoom / 2 ? await text.format(left) : aggregations };
}

interface HitText {
  body: string;
  shown: number;
  cuts: string;
}

async function formatHits(hits: readonly Hit[], args: SearchArgs, room: number): Promise<HitText> {
  if (hits.length === 0) return { body: '', shown: 0, cuts: '' };
  const isOneIndex = indexOfAll(hits) !== undefined;
  const options = { isOneIndex, computed: findComputed(args.sort), room, cellLimit: args.cell_limit };
  const { columns, rows } = await tabulate(hits, options);
  const { cell_limit: cellLimit, cell_offset: cellOffset, size: rowLimit } = args;
  const writer = truncateRows({ columns, budget: room, cellLimit, cellOffset, maxCellOffset, rowLimit });
  for (const row of rows) if (!writer.add(row)) break;
  const { body, shownRows, cuts } = writer.finish();
  return { body, shown: shownRows, cuts };
}

/** Finds sort values that are in no field: a distance, or the result of a script. */
function findComputed(sort: readonly unknown[] = []): (string | undefined)[] {
  return sort.map((one) => (isObject(one) ? ['_geo_distance', '_script'].find((name) => Object.hasOwn(one, name)) : undefined));
}

function indexOfAll(hits: readonly Hit[]): string | undefined {
  const names = new Set(hits.map((hit) => String(hit._index)));
  return names.size === 1 ? [...names][0] : undefined;
}

function nameOfAll(hits: readonly Hit[]): string {
  const name = indexOfAll(hits);
  return name === undefined ? 'several indices' : quoteRemoteName(name);
}

interface Extent {
  args: SearchArgs;
  page: Page;
  shown: number;
  more: string;
}

function formatExtent(answer: Readonly<Record<string, unknown>>, { args, page, shown, more }: Extent): string {
  const { hits, areAll, count } = page;
  const total = formatTotal(answer);
  const where = hits.length === 0 ? '' : ` in ${nameOfAll(hits)}`;
  const took = typeof answer.took === 'number' ? `, ${answer.took} ms` : '';
  if (args.size === 0) return `Total ${total}${took}.`;
  if (shown === 0)
    return `No hits${count === undefined || count === 0 ? '' : ` after the first ${count}`}, total ${total}${took}.`;
  const cut = shown < hits.length ? `, cut at ${budget} characters` : areAll ? '' : ', the others were not kept';
  return `${formatRange(count, shown)} of ${total}${where}${took}${more === '' ? '' : `${cut}; more: ${more}`}.`;
}

function formatRange(count: number | undefined, shown: number): string {
  if (count === undefined) return `${shown} ${shown === 1 ? 'hit' : 'hits'}`;
  return shown === 1 ? `Hit ${count + 1}` : `Hits ${count + 1}-${count + shown}`;
}

/** Characters of the suggestions, and of the profile. */
const maxLength = 6_000;
const maxRows = 25;
/** More are not compared. */
const maxParts = 10_000;
const maxDescription = 120;
const columns = ['shard', 'part', 'type', 'description', 'ms'];

type Row = readonly [shard: string, part: string, type: string, description: string, ms: number];

/** Formats suggestions and profile, if the body requests them. */
function formatExtras({ suggest, profile }: Readonly<Record<string, unknown>>): string {
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
