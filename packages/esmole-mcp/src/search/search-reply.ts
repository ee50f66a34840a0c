import { Failure, respond, type ToolReply, truncateRows } from '@dbmole/core';
import { formatIncomplete } from '../answer/incomplete.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import type { SearchCallArgs } from '../tools/search.ts';
import { AggregationText, type FormattedAggregations } from './aggregations/aggregations.ts';
import { formatProfile } from './details/profile.ts';
import { formatSuggestions } from './details/suggestions.ts';
import { formatTotal, type Hit, isObject, tabulate } from './hit-table.ts';
import { withPartHint } from './part-hints.ts';
import { budget, type Page } from './read-hits.ts';
import { readPage } from './read-page.ts';
import { readSeveral } from './read-several.ts';
import { maxCellOffset, resultWindow } from './result-window.ts';
import type { SearchArgs } from './search-body.ts';
import { findUnknownNames, withNearestFields } from './unknown-fields.ts';

/** Characters of the first line. */
const lineReserve = 600;
const gap = '\n\n';

export async function search(call: ClusterCall, given: SearchArgs): Promise<ToolReply> {
  const args = completeArgs(given);
  checkWindow(args);
  const page = await readPage(call, args).catch(async (error: unknown) => {
    throw await explain(call, args, error);
  });
  return await formatPage(call, args, { page, again: 'same call', room: budget });
}

type Compose = (given: Readonly<Record<string, unknown>>) => SearchArgs;

/** Several searches in one request. Each has its own first line, and takes from the call what it does not say itself. */
export async function searchSeveral(call: ClusterCall, called: SearchCallArgs, compose: Compose): Promise<ToolReply> {
  const { connection: _connection, timeout_ms: _time, searches = [], cursor, ...rest } = called;
  if (cursor !== undefined) throw new Failure('input', 'a cursor belongs to one search', { hint: 'Put it into that search.' });
  const all = searches.map((own) => completeArgs(compose({ ...rest, ...own })));
  all.forEach(checkWindow);
  const room = Math.floor(budget / all.length) - severalReserve;
  const replies: ToolReply[] = [];
  for (const [at, found] of (await readSeveral(call, all)).entries()) {
    const args = all[at];
    if (args === undefined) continue;
    if (found instanceof Failure) replies.push(respond.failure(await explain(call, args, found)));
    else replies.push(await formatPage(call, args, { page: found, again: 'this search', room }));
  }
  return respond.several(replies);
}

/** Adds to the words of the cluster what it leaves out. */
async function explain(call: ClusterCall, { index }: SearchArgs, error: unknown): Promise<unknown> {
  return withPartHint(await withNearestFields(call, index, error), call.identity);
}

/** Characters of the line between two searches. */
const severalReserve = 30;

function completeArgs(given: SearchArgs): SearchArgs {
  const size = given.aggs_only || given.agg_offset > 0 ? 0 : given.size;
  // Aggregations visit all matches anyway, so counting them costs nothing.
  const track_total_hits = given.track_total_hits ?? (given.aggs === undefined ? undefined : true);
  return { ...given, size, track_total_hits };
}

interface PlacedPage {
  page: Page;
  /** What to call with the next cursor. */
  again: string;
  /** Characters of the answer. */
  room: number;
}

async function formatPage(call: ClusterCall, args: SearchArgs, { page, again, room }: PlacedPage): Promise<ToolReply> {
  const answer = isObject(page.answer.json) ? page.answer.json : {};
  const aggregationText = await AggregationText.read(answer.aggregations, {
    offset: args.agg_offset,
    cellLimit: args.cell_limit,
    cellOffset: args.cell_offset,
  });
  const extras = [formatSuggestions(answer.suggest), await formatProfile(answer.profile)].filter((text) => text !== '').join(gap);
  const left = extras === '' ? room : Math.max(minRoom, room - extras.length - gap.length);
  const { table, aggregations } = await fitBoth(aggregationText, page.hits, { args, room: left });
  const incomplete = formatIncomplete(answer, { terminateAfter: args.body?.terminate_after !== undefined });
  const cut =
    page.answer.isPartial === true && page.areAll
      ? 'The answer was too long to keep completely: ask for fewer buckets or fields.'
      : '';
  const covers = answer.aggregations !== undefined && incomplete.length === 0 ? 'Aggregations cover all matches.' : '';
  const collapsed = isObject(args.body?.collapse) ? 'The total counts documents, not the groups of collapse.' : '';
  const more = (await page.readOn(table.shown)).replace('same call', again);
  const extent = formatExtent(answer, { args, page, shown: table.shown, more, room });
  const unknown = await findUnknownNames(call, args, { page, isEmpty: aggregationText.isEmpty });
  const notes = [...unknown, table.cuts, cut, collapsed, covers, ...aggregations.notes, ...incomplete, ...call.news(page.answer)];
  const line = [extent, ...notes].filter((part) => part !== '').join(' ');
  const text = [table.body, aggregations.body, extras].filter((part) => part !== '').join(gap);
  return respond.text(text, { line, budget: room });
}

/** What hits and aggregations get in any case. */
const minRoom = 1_200;

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
  const options = { isOneIndex, computed: findComputed(args), room, cellLimit: args.cell_limit };
  const { columns, rows } = await tabulate(hits, options);
  const { cell_limit: cellLimit, cell_offset: cellOffset, size: rowLimit } = args;
  const writer = truncateRows({ columns, budget: room, cellLimit, cellOffset, maxCellOffset, rowLimit });
  for (const row of rows) if (!writer.add(row)) break;
  const { body, shownRows, cuts } = writer.finish();
  return { body, shown: shownRows, cuts };
}

/** Finds sort values that are in no document: a distance, the result of a script, or a field that the search itself defines. */
function findComputed({ sort = [], fields = [], body }: SearchArgs): (string | undefined)[] {
  const defined = Object.keys({ ...Object(body?.runtime_mappings), ...Object(body?.derived) });
  const names = ['_geo_distance', '_script', ...defined.filter((name) => !fields.includes(name))];
  return sort.map((one) =>
    names.find((name) => (isObject(one) ? Object.hasOwn(one, name) : typeof one === 'string' && one.split(':')[0] === name)),
  );
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
  room: number;
}

function formatExtent(answer: Readonly<Record<string, unknown>>, { args, page, shown, more, room }: Extent): string {
  const { hits, areAll, count } = page;
  const total = formatTotal(answer);
  const where = hits.length === 0 ? '' : ` in ${nameOfAll(hits)}`;
  const took = typeof answer.took === 'number' ? `, ${answer.took} ms` : '';
  if (args.count === true) return `Count ${total}${took}.`;
  if (args.size === 0) return `Total ${total}${took}.`;
  if (shown === 0)
    return `No hits${count === undefined || count === 0 ? '' : ` after the first ${count}`}, total ${total}${took}.`;
  const cut = shown < hits.length ? `, cut at ${room} characters` : areAll ? '' : ', the others were not kept';
  return `${formatRange(count, shown)} of ${total}${where}${took}${more === '' ? '' : `${cut}; more: ${more}`}.`;
}

function formatRange(count: number | undefined, shown: number): string {
  if (count === undefined) return `${shown} ${shown === 1 ? 'hit' : 'hits'}`;
  return shown === 1 ? `Hit ${count + 1}` : `Hits ${count + 1}-${count + shown}`;
}
