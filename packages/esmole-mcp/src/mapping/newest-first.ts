import { groupByPattern } from '../indices/name-pattern.ts';

/** Indices of each series that are looked at in any case. */
const minNewest = 3;
/** Characters of the names in the path of one request; clusters accept a line of 4,096 bytes, in which some characters take three. */
const maxNames = 2_000;

/** Indices in the order in which they are worth looking at: the newest of each series, then the ones before them. */
export function sortNewestFirst(names: readonly string[]): readonly string[] {
  const ranked = groupByPattern(names, (name) => name).flatMap(({ members }) =>
    members.toReversed().map((name, rank) => ({ name, rank })),
  );
  return ranked.sort((one, other) => one.rank - other.rank).map(({ name }) => name);
}

/** How many of these are looked at first, whatever it takes. */
export function countFirst(names: readonly string[]): number {
  const series = groupByPattern(names, (name) => name);
  return fitNames(
    names,
    series.reduce((sum, { members }) => sum + Math.min(members.length, minNewest), 0),
  );
}

/** How many of the first names fit into one request, at most this many. */
export function fitNames(names: readonly string[], most: number): number {
  let length = 0;
  const end = names.slice(0, most).findIndex(({ length: own }) => {
    length += own + 1;
    return length > maxNames;
  });
  return Math.max(1, end === -1 ? Math.min(most, names.length) : end);
}
