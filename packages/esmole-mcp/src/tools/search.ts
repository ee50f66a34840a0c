import { defineTool, LeftOut, respond, type Tool, type ToolReply, truncateRows } from '@dbmole/core';
import * as z from 'zod';
import type { Answer } from '../answer.ts';
import { readWithPlace } from '../error-place.ts';
import { formatAggregations } from '../search/aggregations.ts';
import { type Hit, isObject, tabulate } from '../search/hit-table.ts';
import { searchBody } from '../search/search-body.ts';
import { formatIncomplete, formatTotal } from '../search/search-summary.ts';
import { type ClusterTools, connectionArgument, indexArgument, pathOf, timeoutArgument } from '../tool.ts';

const budget = 32_000;
/** Of which aggregations may take this much. */
const aggregationRoom = 16_000;
/** Beyond this, a cluster gives no page by its number. */
const resultWindow = 10_000;

const anyObject = z.looseObject({});

const input = z.strictObject({
  connection: connectionArgument,
  index: indexArgument,
  query: anyObject.optional(),
  q: z.string().optional(),
  source: z.array(z.string()).optional(),
  fields: z.array(z.string()).optional(),
  sort: z.array(z.unknown()).optional(),
  size: z.int().min(0).max(resultWindow).default(10),
  from: z.int().min(0).max(resultWindow).default(0),
  aggs: anyObject.optional(),
  aggs_only: z.boolean().optional(),
  track_total_hits: z.union([z.boolean(), z.int().min(0)]).optional(),
  search_after: z.array(z.unknown()).optional(),
  highlight: z.array(z.string()).optional(),
  cell_limit: z.int().min(1).max(30_000).default(500),
  cell_offset: z.int().min(0).max(100_000).default(0),
  timeout_ms: timeoutArgument,
});

type Args = z.output<typeof input>;

export function searchTool(tools: ClusterTools): Tool {
  return defineTool({
    name: 'es_search',
    title: 'Search',
    description:
      'Query DSL, or q in Lucene syntax, over an index or pattern. One hit per line, aggregations as small tables; the first line says the total, ' +
      'what is missing, and how to read on.',
    effect: 'read',
    input,
    handler: (args, context) =>
      tools.use(args.connection, context, async (call) => {
        const size = args.aggs_only ? 0 : args.size;
        const body = searchBody({ ...args, size });
        const params = args.q === undefined ? {} : { q: args.q };
        const answer = await readWithPlace(call, { method: 'POST', path: pathOf(args.index, '_search'), params, body });
        return replyTo(answer, { args: { ...args, size }, news: call.news(answer) });
      }),
  });
}

function replyTo({ json }: Answer, { args, news }: { args: Args; news: readonly string[] }): ToolReply {
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

function formatHits(hits: readonly Hit[], args: Args, room: number): { body: string; shown: number; cuts: string } {
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
  args: Args;
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
