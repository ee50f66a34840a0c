import { groupBy } from '../answer/group-by.ts';

/** Names that differ in numbers and dates alone, and the pattern that finds them. */
export interface NameGroup<T> {
  /** The name itself where there is only one. */
  pattern: string;
  members: readonly T[];
}

/** Fewer are as short when they are written out. */
const minFolded = 4;
/** A request takes so many names, before they are a pattern. */
const maxTargets = 5;

/** No index has a longer name, so what has one is left alone. */
const maxLength = 255;

/** `2024.01.31`, `2024.01.31-000007`, `12`: what changes from one index of a series to the next. */
const number = /\d+(?:[._-]\d+)*/g;

/** Groups are sorted by name; a name that is not part of a series stays alone. */
export function groupByPattern<T>(items: readonly T[], readName: (item: T) => string): NameGroup<T>[] {
  const groups = groupBy(sortByName(items, readName), (item) => toShape(readName(item)));
  return [...groups.values()].flatMap((members) => {
    if (members.length < minFolded) return members.map((item) => ({ pattern: readName(item), members: [item] }));
    return [{ pattern: formatPattern(members.map(readName)), members }];
  });
}

/** Whether all of them differ in numbers and dates alone. */
export function isSeries(names: readonly string[]): boolean {
  return names.length > 1 && new Set(names.map(toShape)).size === 1;
}

function toShape(name: string): string | symbol {
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

/** Names as a request takes them: all of a few, or the pattern of a series, or the first. */
export function formatTarget(names: readonly string[]): string {
  if (names.length <= maxTargets) return names.join(',');
  const [group, ...others] = groupByPattern(names, (name) => name);
  if (group !== undefined && others.length === 0) return group.pattern;
  return names.slice(0, maxTargets).join(',');
}

/** `v9` before `v10`. */
export function sortByName<T>(items: readonly T[], readName: (item: T) => string): T[] {
  collator ??= new Intl.Collator('en', { numeric: true });
  const { compare } = collator;
  return items.toSorted((a, b) => compare(readName(a), readName(b)));
}

let collator: Intl.Collator | undefined;

/** Keeps the common start of the numbers: `logs-2024.*`. All names have the same words between their numbers. */
function formatPattern(names: readonly string[]): string {
  const words = (names[0] ?? '').split(number);
  const numbers = names.map((name) => name.match(number) ?? []);
  return words
    .map((word, at) => word + (at === words.length - 1 ? '' : sameNumbers(numbers.map((all) => all[at] ?? ''))))
    .join('');
}

/** The parts of a date that all names begin with. */
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
