import { groupBy } from '../group-by.ts';

/** Names that differ in numbers and dates alone, and the pattern that finds them. */
export interface NameGroup<T> {
  /** The name itself where there is only one. */
  pattern: string;
  members: readonly T[];
}

/** Fewer are as short when they are written out. */
const leastFolded = 4;

/** No index has a longer name, so what has one is left alone. */
const maxLength = 255;

/** `2024.01.31`, `2024.01.31-000007`, `12`: what changes from one index of a series to the next. */
const number = /\d+(?:[._-]\d+)*/g;

/** In the order of their names; what makes no series stays alone. */
export function groupByPattern<T>(items: readonly T[], nameOf: (item: T) => string): NameGroup<T>[] {
  const groups = groupBy(sortByName(items, nameOf), (item) => shapeOf(nameOf(item)));
  return [...groups.values()].flatMap((members) => {
    if (members.length < leastFolded) return members.map((item) => ({ pattern: nameOf(item), members: [item] }));
    return [{ pattern: formatPattern(members.map(nameOf)), members }];
  });
}

function shapeOf(name: string): string | symbol {
  return name.length > maxLength ? Symbol() : name.replace(number, '*');
}

/** Names as a text: series as a pattern with their count, and no more than some. */
export function formatNames(names: readonly string[], limit = 20): string {
  const groups = groupByPattern(names, (name) => name);
  const shown = groups.slice(0, limit).map(({ pattern, members }) => formatSeries(pattern, members));
  return [...shown, ...(groups.length > limit ? [`and ${groups.length - limit} more`] : [])].join(', ');
}

function formatSeries(pattern: string, names: readonly string[]): string {
  return names.length === 1 ? pattern : `${pattern} (${names.length}: ${names[0]} … ${names.at(-1)})`;
}

/** `v9` before `v10`. */
export function sortByName<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  collator ??= new Intl.Collator('en', { numeric: true });
  const { compare } = collator;
  return items.toSorted((a, b) => compare(nameOf(a), nameOf(b)));
}

let collator: Intl.Collator | undefined;

/** What is the same in all numbers stays: `logs-2024.*`. All names have the same words between their numbers. */
function formatPattern(names: readonly string[]): string {
  const words = (names[0] ?? '').split(number);
  const numbers = names.map((name) => name.match(number) ?? []);
  return words
    .map((word, at) => word + (at === words.length - 1 ? '' : sameNumbers(numbers.map((all) => all[at] ?? ''))))
    .join('');
}

/** Of dates, the parts that all begin with. */
function sameNumbers(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  if (others.every((text) => text === first)) return first;
  const parts = first.match(/\d+[._-]?/g) ?? [];
  let same = '';
  for (const part of parts) {
    const longer = same + part;
    if (/\d$/.test(part) || !others.every((text) => text.startsWith(longer))) break;
    same = longer;
  }
  return `${same}*`;
}
