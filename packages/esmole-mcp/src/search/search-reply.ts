import { CutString, LeftOut, respond, type ToolReply, truncateRows } from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer.ts';
import { type Call, pathOf } from '../call.ts';
import { readWithPlace } from '../error-place.ts';
import { formatSaidName } from '../said.ts';
import type { SearchArgs } from '../tools/search.ts';
import { formatAggregations } from './aggregations.ts';
import { createRoom, type Hit, isObject, tabulate } from './hit-table.ts';
import { resultWindow } from './result-window.ts';
import { searchBody } from './search-body.ts';
import { formatIncomplete, formatTotal } from './search-summary.ts';

const budget = 32_000;
/** Of which aggregations may take this much. */
const aggregationRoom = 16_000;
const gap = '\n\n';

export async function search(call: Call, args: SearchArgs): Promise<ToolReply> {
  const size = args.aggs_only ? 0 : args.size;
  const body = searchBody({ ...args, size });
  const params = args.q === undefined ? {} : { q: args.q };
  const request = { method: 'POST', path: pathOf(args.index, '_search'), params, body } as const;
  const answer = await readWithPlace(call, request, limitsFor(args));
  return replyTo(answer, { args: { ...args, size }, news: call.news(answer) });
}

/** What can be shown of a search, and not much more: most of a large answer is hits that nobody sees. */
function limitsFor({ cell_offset, cell_limit, aggs, track_total_hits }: SearchArgs): AnswerLimits {
  const room = createRoom(budget, cell_limit);
  return {
    bytes: 256 * 1024,
    json: {
      // The part of each text that is shown, and enough around it to tell a secret that is cut in two.
      string: cell_offset + cell_limit + 4 * 1024,
      list: 4 * 1024 * 1024,
      innerList: 512 * 1024,
      total: 8 * 1024 * 1024,
      watch: { path: 'hits.hits', isFull: (hit) => isObject(hit) && !room.take(hit) },
    },
    // Aggregations are the only thing we ask for that follows the hits. Clusters write all the rest before them.
    ...(aggs === undefined ? { isEnough: (json) => hasHead(json, track_total_hits !== false) } : {}),
  };
}

function hasHead(json: unknown, isCounted: boolean): boolean {
  const { timed_out, _shards, hits } = isObject(json) ? json : {};
  const isFound = isObject(hits) && Array.isArray(hits.hits) && (!isCounted || hits.total !== undefined);
  return isFound && timed_out !== undefined && _shards !== undefined;
}

function replyTo({ json }: Answer, { args, news }: { args: SearchArgs; news: readonly string[] }): ToolReply {
  const answer = isObject(json) ? json : {};
  const found = foundIn(answer);
  const { hits } = found;
  const aggregations = formatAggregations(answer.aggregations, aggregationRoom);
  const table = formatHits(hits, args, budget - aggregations.length - gap.length);
  const notes = [...formatIncomplete(answer), ...news];
  const line = [formatExtent(answer, { args, found, shown: table.shown }), table.cuts, ...notes]
    .filter((part) => part !== '')
    .join(' ');
  const text = [table.body, aggregations].filter((part) => part !== '').join(gap);
  return respond.text(text, { line, budget });
}

interface Found {
  hits: readonly Hit[];
  /** Of a very long answer some are not kept. */
  areAll: boolean;
}

function foundIn(answer: Readonly<Record<string, unknown>>): Found {
  const list = isObject(answer.hits) && Array.isArray(answer.hits.hits) ? answer.hits.hits : [];
  return {
    hits: list.filter((hit): hit is Hit => !(hit instanceof LeftOut) && isObject(hit)),
    areAll: !list.some((hit) => hit instanceof LeftOut),
  };
}

function formatHits(hits: readonly Hit[], args: SearchArgs, room: number): { body: string; shown: number; cuts: string } {
  if (hits.length === 0) return { body: '', shown: 0, cuts: '' };
  const isOneIndex = indexOfAll(hits) !== undefined;
  const { columns, rows } = tabulate(hits, { isOneIndex, room, cellLimit: args.cell_limit });
  const options = { cellLimit: args.cell_limit, cellOffset: args.cell_offset, rowLimit: args.size };
  const writer = truncateRows({ columns, budget: room, ...options });
  for (const row of rows) if (!writer.add(row)) break;
  const { body, shownRows, cuts } = writer.finish();
  return { body, shown: shownRows, cuts };
}

function indexOfAll(hits: readonly Hit[]): string | undefined {
  const names = new Set(hits.map((hit) => String(hit._index)));
  return names.size === 1 ? [...names][0] : undefined;
}

function nameOfAll(hits: readonly Hit[]): string {
  const name = indexOfAll(hits);
  return name === undefined ? 'several indices' : formatSaidName(name);
}

interface Extent {
  args: SearchArgs;
  found: Found;
  shown: number;
}

function formatExtent(answer: Readonly<Record<string, unknown>>, extent: Extent): string {
  const { args, found, shown } = extent;
  const { hits } = found;
  const total = formatTotal(answer);
  const where = hits.length === 0 ? '' : ` in ${nameOfAll(hits)}`;
  const took = typeof answer.took === 'number' ? `, ${answer.took} ms` : '';
  if (args.size === 0) return `Total ${total}${took}.`;
  if (shown === 0) return `No hits${args.from > 0 ? ` from ${args.from}` : ''}, total ${total}${took}.`;
  const first = args.search_after === undefined ? args.from + 1 : undefined;
  const range = first === undefined ? `${shown} hits` : shown === 1 ? `Hit ${first}` : `Hits ${first}-${first + shown - 1}`;
  return `${range} of ${total}${where}${took}${readOn(extent, total)}.`;
}

/** By the sort values of the last hit where there is an order, else by its number. */
function readOn({ args, found: { hits, areAll }, shown }: Extent, total: string): string {
  const next = args.from + shown;
  const cut = shown < hits.length ? `, cut at ${budget} characters` : areAll ? '' : ', the others are too long to be kept';
  const isLast = cut === '' && shown < args.size;
  if (isLast || (args.search_after === undefined && total === String(next))) return '';
  const after = hits[shown - 1]?.sort;
  if (args.sort !== undefined && Array.isArray(after) && after.some((value) => value instanceof CutString))
    return `${cut}; more only with a sort by shorter values`;
  if (args.sort !== undefined && Array.isArray(after))
    return `${cut}; more: same call with search_after=${JSON.stringify(after.map(plain))}`;
  if (next >= resultWindow) return `${cut}; more only with sort and search_after`;
  return `${cut}; more: same call with from=${next}`;
}

/** As it can be given back. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
}
