import { type CellValue, type RowWriter, truncateRows } from '@dbmole/core';
import { formatNames, groupByPattern, type NameGroup, sortByName } from './name-pattern.ts';
import type { Sort } from './sorts.ts';

/** What the list shows of an index or a data stream. Unknown values are undefined. */
export interface IndexItem {
  name: string;
  health: Health | undefined;
  /** The number of indices that it represents, and how many of them are closed. */
  indices: number;
  closed: number;
  docs: number | undefined;
  bytes: number | undefined;
  aliases: readonly string[];
  /** The indices of a data stream, in their order. */
  backing?: readonly string[] | undefined;
}

export const healths = ['green', 'yellow', 'red'] as const;
type Health = (typeof healths)[number];

export function worstHealth(items: readonly Pick<IndexItem, 'health'>[]): Health | undefined {
  return healths.findLast((health) => items.some((item) => item.health === health));
}

/** The sum; undefined when no number is known. Closed indices have none. */
export function sumUp(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}

/** Three digits are enough to see what is large. */
export function formatBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const size = bytes / 1024 ** step;
  const digits = step === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return `${Number(size.toFixed(digits))} ${units[step]}`;
}

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

export interface TableWish {
  /** The names that the caller gave: what matches them is listed one by one. */
  index?: string | undefined;
  sort: Sort;
  limit: number;
  offset: number;
}

type Group = NameGroup<IndexItem>;

const columns = ['index', 'health', 'docs', 'size', 'note'];
const budget = 32_000;
/** Long notes are cut where they are made, because a cell of this table cannot be read on. */
const cellLimit = 30_000;
const aliasesShown = 20;

/** Formats one line for each index, and one for all that match a pattern, with the sums of their numbers. */
export function formatIndexTable(items: readonly IndexItem[], wish: TableWish): { rows: RowWriter; summary: string } {
  const groups = sortGroups(foldItems(items, wish.index), wish.sort);
  // One row more shows that there are further rows.
  const page = groups.slice(wish.offset, wish.offset + wish.limit + 1).map(formatRow);
  const shown = columns.flatMap((_, at) => (at === 0 || page.some((row) => row[at] !== '') ? [at] : []));
  const names = shown.map((at) => columns[at] ?? '');
  const rows = truncateRows({ columns: names, budget, cellLimit, rowLimit: wish.limit, offset: wish.offset, names: true });
  for (const row of page) if (!rows.add(shown.map((at) => row[at] ?? null))) break;
  const isFolded = groups.some(({ members }) => members.length > 1);
  return {
    rows,
    summary: `${formatTotals(items)}${isFolded ? ' A line with * is a group: pass it as index to list its members.' : ''}`,
  };
}

/** A group is not folded if it was requested by name, or is all that was found. */
function foldItems(items: readonly IndexItem[], asked: string | undefined): Group[] {
  const streams = items.filter(({ backing }) => backing !== undefined);
  const others = items.filter(({ backing }) => backing === undefined);
  const groups = [others, streams].flatMap((part) => groupByPattern(part, ({ name }) => name));
  if (asked !== undefined && groups.length === 1) return groups.flatMap(unfold);
  const named = new Set(asked?.split(','));
  return groups.flatMap((group) => (named.has(group.pattern) ? unfold(group) : [group]));
}

function unfold({ members }: Group): Group[] {
  return members.map((item) => ({ pattern: item.name, members: [item] }));
}

function sortGroups(groups: readonly Group[], sort: Sort): readonly Group[] {
  if (sort === 'name') return sortByName(groups, ({ pattern }) => pattern);
  const rank = ({ members }: Group): number => {
    if (sort === 'health') return healths.indexOf(worstHealth(members) ?? 'green');
    return sumUp(members.map((item) => (sort === 'docs' ? item.docs : item.bytes))) ?? -1;
  };
  return groups.toSorted((a, b) => rank(b) - rank(a));
}

function formatRow({ pattern, members }: Group): CellValue[] {
  const docs = sumUp(members.map((item) => item.docs));
  const bytes = sumUp(members.map((item) => item.bytes));
  const health = worstHealth(members) ?? '';
  return [pattern, health, docs ?? '', bytes === undefined ? '' : formatBytes(bytes), listNotes(members).join('; ')];
}

function listNotes(members: readonly IndexItem[]): string[] {
  const [first] = members;
  const isOne = members.length === 1;
  const aliases = [...new Set(members.flatMap((item) => item.aliases))];
  const indices = members.reduce((sum, item) => sum + item.indices, 0);
  const closed = members.reduce((sum, item) => sum + item.closed, 0);
  return [
    isOne ? '' : `${members.length}: ${first?.name} … ${members.at(-1)?.name}`,
    first?.backing === undefined ? '' : `data stream${isOne ? '' : 's'} of ${count(indices)}`,
    isOne ? '' : mixedHealth(members),
    closed === 0 ? '' : closed === indices && isOne ? 'closed' : `${closed} closed`,
    aliases.length === 0 ? '' : `alias${aliases.length === 1 ? '' : 'es'} ${formatNames(aliases, aliasesShown)}`,
  ].filter((note) => note !== '');
}

/** Counts indices that are not green, unless all are alike. */
function mixedHealth(members: readonly IndexItem[]): string {
  const counts = (['red', 'yellow'] as const).map((health) => ({
    health,
    number: members.filter((item) => item.health === health).length,
  }));
  return counts
    .filter(({ number }) => number > 0 && number < members.length)
    .map(({ health, number }) => `${number} ${health}`)
    .join(', ');
}

function formatTotals(items: readonly IndexItem[]): string {
  const streams = items.filter(({ backing }) => backing !== undefined).length;
  const docs = sumUp(items.map((item) => item.docs));
  const bytes = sumUp(items.map((item) => item.bytes));
  const parts = [
    `${count(items.reduce((sum, item) => sum + item.indices, 0))}`,
    streams === 0 ? '' : `${streams} data stream${streams === 1 ? '' : 's'}`,
    docs === undefined ? '' : `${docs} docs`,
    bytes === undefined ? '' : formatBytes(bytes),
  ];
  return `${parts.filter((part) => part !== '').join(', ')} in all.`;
}

function count(indices: number): string {
  return `${indices} ${indices === 1 ? 'index' : 'indices'}`;
}
