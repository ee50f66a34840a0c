import { Failure } from '@dbmole/core';
import { jsonText } from '../search/hit-table.ts';
import { maxRows } from './page.ts';
import type { SentTable } from './query-rows.ts';
import type { RowReader, SentRows } from './row-reader.ts';
import { findSortKeys, formatAfter, isComparable, type SortKey } from './sort-keys.ts';

/** A sort key that is a column of the table. */
export interface PlacedKey extends SortKey {
  readonly at: number;
  readonly type: string;
}

/** The keys of an ES|QL query by which it can be read on; undefined where it is not sorted by columns of its table. */
export function findKeys({ query, language }: RowReader, { columns, types }: SentTable): readonly PlacedKey[] | undefined {
  const keys = findSortKeys(query, language)?.map((key): PlacedKey => {
    const at = columns.indexOf(key.column);
    return { ...key, at, type: types[at] ?? '' };
  });
  return keys?.every(({ at, type }) => at !== -1 && isComparable(type)) ? keys : undefined;
}

interface Keyed {
  readonly first: SentRows;
  readonly keys: readonly PlacedKey[];
  readonly total: number;
}

/**
 * Reads on behind the last row of each page. Rows that share their key with the last row come with the next page, which has all of
 * them: so each row comes once, although rows with equal keys have no order.
 */
export async function* readByKey(reader: RowReader, { first, keys, total }: Keyed): AsyncGenerator<SentRows> {
  const formatBehind = (row: readonly unknown[] | undefined) =>
    `\n| WHERE ${formatAfter(keys.map((key) => ({ key, value: row?.[key.at] ?? null })))}`;
  let page = first;
  let size = maxRows;
  for (let count = 0; ; ) {
    const { list, isCut } = page.table;
    const seemsLast = !isCut && list.length < size;
    // A cluster may have a lower limit for rows, and rows may have been deleted.
    const isLast = seemsLast && (count + list.length >= total || !(await hasMore(reader, formatBehind(list.at(-1)))));
    const whole = isLast ? list : dropTies(list, keys);
    if (!isLast && whole.length === 0) throw tieFailure(list.length, keys);
    count += whole.length;
    yield { ...page, table: { ...page.table, list: whole } };
    if (isLast) return;
    // What did not fit in memory would not fit the next time.
    if (isCut) size = Math.max(list.length, 1);
    page = await reader.first(formatBehind(whole.at(-1)), size);
  }
}

async function hasMore(reader: RowReader, commands: string): Promise<boolean> {
  return (await reader.first(commands, 1)).table.list.length > 0;
}

/** Drops the last row, and those before it that have the same key. */
function dropTies(list: SentTable['list'], keys: readonly PlacedKey[]): SentTable['list'] {
  const format = (row: readonly unknown[] | undefined) => jsonText(keys.map(({ at }) => row?.[at]));
  const last = format(list.at(-1));
  return list.slice(0, list.findLastIndex((row) => format(row) !== last) + 1);
}

function tieFailure(count: number, keys: readonly PlacedKey[]): Failure {
  const names = keys.map(({ text }) => text).join(', ');
  return new Failure('limit', `${count} rows or more have the same ${names}, so the rows after them cannot be reached`, {
    code: 'E_EXPORT_INCOMPLETE',
    hint: 'Sort by a column that is unique as well, as in FROM logs METADATA _id | SORT @timestamp, _id.',
  });
}
