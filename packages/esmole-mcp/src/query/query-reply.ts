import { type CellValue, respond, type ToolReply, truncateRows } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { formatIncomplete } from '../answer/incomplete.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import { formatCell, isObject } from '../search/hit-table.ts';
import type { QueryArgs } from '../tools/query.ts';
import { chooseLanguage, isSorted, type Language, queryLimits } from './language.ts';
import { continueRows, formatCursor, maxRows, openPage, type Page } from './page.ts';
import { queryFailure } from './query-failure.ts';
import { formatProfile } from './query-profile.ts';
import { type QueryRows, readRows } from './query-rows.ts';

const budget = 32_000;
/** Columns without a value that are named. */
const maxNamed = 10;
const gap = '\n\n';

export async function runQuery(call: ClusterCall, args: QueryArgs): Promise<ToolReply> {
  const language = chooseLanguage(call.identity, args);
  const page = openPage(args.cursor, [args.query, args.params, language.title]);
  // One row more tells whether others follow.
  const limit = Math.min(args.limit, maxRows);
  const wanted = Math.min(page.offset + limit + 1, maxRows);
  const query = language.limit === undefined ? args.query : `${args.query}${language.limit(wanted)}`;
  const answer = await call.ask(language.request(query, wanted, args), queryLimits);
  const found = answer.status < 300 ? readRows(answer.json) : undefined;
  if (found === undefined) throw await queryFailure(call, answer, { language, query: args.query });
  await closeCursor(call, answer);
  return formatReply(call, { answer, rows: continueRows(page, found), page, language, args });
}

/** This is best effort: the cursor of SQL also expires. */
async function closeCursor(call: ClusterCall, { json }: Answer): Promise<void> {
  const cursor = isObject(json) ? json.cursor : undefined;
  if (typeof cursor !== 'string' || call.identity.product === 'opensearch') return;
  await call.ask({ method: 'POST', path: '/_sql/close', body: { cursor } }).catch(() => undefined);
}

interface Shown {
  readonly answer: Answer;
  readonly rows: QueryRows;
  readonly page: Page;
  readonly language: Language;
  readonly args: QueryArgs;
}

function formatReply(call: ClusterCall, shown: Shown): ToolReply {
  const { answer, rows, page, args } = shown;
  const profile = formatProfile(answer.json);
  const room = budget - (profile === '' ? 0 : profile.length + gap.length);
  const writer = truncateRows({
    columns: rows.columns,
    budget: room,
    rowLimit: args.limit,
    offset: page.offset,
    growCells: true,
    textCell: profile === '',
    once: true,
  });
  for (const row of rows.list.slice(page.offset)) if (!writer.add(row.map((cell): CellValue => formatCell(cell)))) break;
  const table = writer.finish(rows.isCut ? 'yes' : 'no');
  const notes = [
    ...formatIncomplete(answer.json, { terminateAfter: false }),
    formatReadOn(shown, table),
    formatEmpty(rows.empty),
    ...call.news(answer),
  ].filter((note) => note !== '');
  if (profile === '') return respond.table(table, { notes });
  const line = [table.line, ...notes].join(' ');
  return respond.text([table.shownRows === 0 ? '' : table.body, profile].filter((part) => part !== '').join(gap), {
    line,
    budget,
  });
}

/** How to read the rows that are not shown. */
function formatReadOn({ rows, page, language, args }: Shown, { more, shownRows }: { more: string; shownRows: number }): string {
  const next = page.offset + shownRows;
  if (more === 'no' && next < maxRows) return '';
  if (next >= maxRows) return `${maxRows} rows are the most that ${language.title} returns: narrow the query or aggregate.`;
  if (isSorted(args.query, language)) return `More: same call with cursor=${formatCursor(page, rows, next)}.`;
  const sort = language.unordering.size === 0 ? 'ORDER BY' : 'SORT';
  return `To read on, add ${sort} with a unique key; to read less, aggregate or filter.`;
}

function formatEmpty(names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, maxNamed).map(quoteRemoteName).join(', ');
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `No value in any row: ${shown}${more}.`;
}
