import { LeftOut, respond, type ToolReply, truncateRows } from '@dbmole/core';
import type { Answer } from '../answer.ts';
import { type Call, pathOf } from '../call.ts';
import { readWithPlace } from '../error-place.ts';
import type { SearchArgs } from '../tools/search.ts';
import { formatAggregations } from './aggregations.ts';
import { type Hit, isObject, tabulate } from './hit-table.ts';
import { resultWindow } from './result-window.ts';
import { searchBody } from './search-body.ts';
import { formatIncomplete, formatTotal } from './search-summary.ts';

const budget = 32_000;
/** Of which aggregations may take this much. */
const aggregationRoom = 16_000;

export async function search(call: Call, args: SearchArgs): Promise<ToolReply> {
  const size = args.aggs_only ? 0 : args.size;
  const body = searchBody({ ...args, size });
  const params = args.q === undefined ? {} : { q: args.q };
  const answer = await readWithPlace(call, { method: 'POST', path: pathOf(args.index, '_search'), params, body });
  return replyTo(answer, { args: { ...args, size }, news: call.news(answer) });
}

function replyTo({ json }: Answer, { args, news }: { args: SearchArgs; news: readonly string[] }): ToolReply {
  const answer = isObject(json) ? json : {};
  const hits = hitsOf(answer);
  const aggregations = formatAggregations(answer.aggregations, aggregationRoom);
  const table = formatHits(hits, args, budget - aggregations.length);
  const notes = [...formatIncomplete(answer), ...news];
  const line = [formatExtent(answer, { args, hits, shown: table.shown }), table.cuts, ...notes]
    .filter((part) => part !== '')
    .join(' ');
  const text = [table.body, aggregations].filter((part) => part !== '').join('\n\n');
  return respond.text(text, { line, budget });
}

/** Those that were kept of a very long answer. */
function hitsOf(answer: Readonly<Record<string, unknown>>): Hit[] {
  const list = isObject(answer.hits) && Array.isArray(answer.hits.hits) ? answer.hits.hits : [];
  return list.filter((hit): hit is Hit => !(hit instanceof LeftOut) && isObject(hit));
}

function formatHits(hits: readonly Hit[], args: SearchArgs, room: number): { body: string; shown: number; cuts: string } {
  if (hits.length === 0) return { body: '', shown: 0, cuts: '' };
  const { columns, rows } = tabulate(hits, indexOfAll(hits) !== undefined);
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

interface Extent {
  args: SearchArgs;
  hits: readonly Hit[];
  shown: number;
}

function formatExtent(answer: Readonly<Record<string, unknown>>, { args, hits, shown }: Extent): string {
  const total = formatTotal(answer);
  const where = hits.length === 0 ? '' : ` in ${indexOfAll(hits) ?? 'several indices'}`;
  const took = typeof answer.took === 'number' ? `, ${answer.took} ms` : '';
  if (args.size === 0) return `Total ${total}${took}.`;
  if (shown === 0) return `No hits${args.from > 0 ? ` from ${args.from}` : ''}, total ${total}${took}.`;
  const first = args.search_after === undefined ? args.from + 1 : undefined;
  const range = first === undefined ? `${shown} hits` : shown === 1 ? `Hit ${first}` : `Hits ${first}-${first + shown - 1}`;
  return `${range} of ${total}${where}${took}${readOn({ args, hits, shown }, total)}.`;
}

/** By the sort values of the last hit where there is an order, else by its number. */
function readOn({ args, hits, shown }: Extent, total: string): string {
  const next = args.from + shown;
  const cut = shown < hits.length ? `, cut at ${budget} characters` : '';
  const isLast = cut === '' && shown < args.size;
  if (isLast || (args.search_after === undefined && total === String(next))) return '';
  const after = hits[shown - 1]?.sort;
  if (args.sort !== undefined && Array.isArray(after))
    return `${cut}; more: same call with search_after=${JSON.stringify(after.map(plain))}`;
  if (next >= resultWindow) return `${cut}; more only with sort and search_after`;
  return `${cut}; more: same call with from=${next}`;
}

/** As it can be given back. */
function plain(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
}
