import { Failure } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import { formatIncomplete } from '../answer/incomplete.ts';
import { textAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { maxRows } from './page.ts';
import type { SentTable } from './query-rows.ts';
import { findKeys, type PlacedKey, readByKey } from './read-by-key.ts';
import { type AskedQuery, createRowReader, type RowReader, type SentRows } from './row-reader.ts';

/** Some rows of a query, in its order. All pages have the columns of the first one. */
interface RowPage {
  readonly table: SentTable;
  readonly answer: Answer;
  /** All rows, as the cluster has counted them at the beginning. */
  readonly total: number | undefined;
  /** What failed in the cluster, as a sentence. */
  readonly problem: string | undefined;
  /** Why there may be more rows than this last page has, and how to get them, as sentences. */
  readonly missing: string | undefined;
}

/** Rows that SQL sends at a time. A page of a cursor cannot be read again, so it is small. */
const cursorRows = 1_000;
/** No plugin of OpenSearch has a lower limit of its own. */
const minLimit = 200;

/**
 * Reads all rows of a query, page by page: ES|QL behind the sort key of the last row, SQL of Elasticsearch by its cursor. Where that is
 * not possible, there is one page, and `missing` says what is not in it. A caller that wants at most `limit` rows stops after them.
 */
export async function* readAllRows(
  call: ClusterCall,
  args: AskedQuery,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<RowPage> {
  const reader = createRowReader(call, args);
  const first = await reader.first('', Math.min(limit, reader.language.paging === 'cursor' ? cursorRows : maxRows));
  if (reader.language.paging === 'cursor') yield* readByCursor(reader, first);
  else if (limit <= maxRows && !first.table.isCut) yield toPage(first);
  else yield* readCounted(reader, first);
}

function toPage({ table, answer }: SentRows, more: Partial<Pick<RowPage, 'total' | 'missing'>> = {}): RowPage {
  const [problem] = formatIncomplete(answer.json, { terminateAfter: false });
  return { table, answer, problem, total: undefined, missing: undefined, ...more };
}

/** The number of all rows tells whether the first page has them. */
async function* readCounted(reader: RowReader, first: SentRows): AsyncGenerator<RowPage> {
  const { list, isCut } = first.table;
  const keys = reader.language.paging === 'key' ? findKeys(reader, first.table) : undefined;
  const [total, ...values] = (await reader.count((keys ?? []).map(({ text }) => text))) ?? [];
  if (total === undefined) {
    const mayHaveMore = isCut || list.length >= minLimit;
    yield toPage(first, { missing: mayHaveMore ? formatMissing(reader, list.length, total) : undefined });
  } else if (list.length >= total && !isCut) yield toPage(first, { total });
  // What has several values in a row cannot be compared with one.
  else if (keys !== undefined && values.every((count) => count <= 1)) yield* readKeyed(reader, { first, keys, total });
  else yield toPage(first, { total, missing: formatMissing(reader, list.length, total) });
}

async function* readKeyed(
  reader: RowReader,
  { total, ...from }: { first: SentRows; keys: readonly PlacedKey[]; total: number },
): AsyncGenerator<RowPage> {
  for await (const sent of readByKey(reader, { ...from, total })) yield toPage(sent, { total });
}

function formatMissing({ language: { title, paging } }: RowReader, kept: number, total: number | undefined): string {
  const found =
    total === undefined
      ? `Perhaps incomplete: ${title} cannot read beyond these ${kept} rows.`
      : `Incomplete: these are ${kept} of ${total} rows.`;
  if (paging !== 'key') return `${found} Narrow the query, or export the hits of a search, which has no limit.`;
  return `${found} For all, end the query with SORT by columns that are unique together and have one value in each row, as in FROM logs METADATA _id | SORT @timestamp, _id.`;
}

async function* readByCursor(reader: RowReader, first: SentRows): AsyncGenerator<RowPage> {
  let page = first;
  let cursor = textAt(page.answer.json, ['cursor']);
  try {
    for (;;) {
      if (page.table.isCut) throw longFailure();
      yield toPage(page);
      if (cursor === undefined) return;
      const request = { method: 'POST', path: '/_sql', params: { format: 'json' }, body: { cursor } } as const;
      page = await reader.continue(request, first.table);
      cursor = textAt(page.answer.json, ['cursor']);
    }
  } finally {
    // This is best effort: the cursor also expires.
    if (cursor !== undefined) await reader.attempt({ method: 'POST', path: '/_sql/close', body: { cursor } });
  }
}

function longFailure(): Failure {
  return new Failure('limit', 'the rows are too long to be read', {
    code: 'E_EXPORT_CELL',
    hint: 'Select fewer or shorter columns.',
  });
}
