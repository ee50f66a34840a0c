import type { ForeignKey } from './catalog.ts';

/** One step from a table to the next over a foreign key, in either direction. */
interface Join {
  from: string;
  to: string;
  /** `books.id = reviews.book_id` */
  condition: string;
}

/** More paths of the same length are no help. */
const maxPaths = 5;
export const maxJoins = 12;

/** The shortest ways to join two tables over foreign keys, as clauses of FROM; empty without any. */
export function findJoinPaths(keys: readonly ForeignKey[], from: string, to: string): string[] {
  const joins = new Map<string, Join[]>();
  const add = (join: Join) => joins.set(join.from, [...(joins.get(join.from) ?? []), join]);
  for (const { from: own, table, columns, targets } of keys.filter((key) => key.from !== key.table)) {
    const pairs = columns.map((column, i) => [`${own}.${column}`, `${table}.${targets[i] ?? ''}`] as const);
    add({ from: own, to: table, condition: pairs.map(([mine, theirs]) => `${theirs} = ${mine}`).join(' AND ') });
    add({ from: table, to: own, condition: pairs.map(([mine, theirs]) => `${mine} = ${theirs}`).join(' AND ') });
  }
  const left = measureDistances(joins, to);
  const paths: Join[][] = [];
  const follow = (table: string, path: Join[]) => {
    if (paths.length >= maxPaths) return;
    if (table === to) paths.push(path);
    const next = (joins.get(table) ?? []).filter((join) => left.get(join.to) === (left.get(table) ?? 0) - 1);
    for (const join of next) follow(join.to, [...path, join]);
  };
  if (left.has(from)) follow(from, []);
  return paths.map((path) => [from, ...path.map((join) => `JOIN ${join.to} ON ${join.condition}`)].join(' '));
}

/** How many joins each table is away from this one. */
function measureDistances(joins: ReadonlyMap<string, readonly Join[]>, to: string): Map<string, number> {
  const distances = new Map([[to, 0]]);
  let border = [to];
  for (let distance = 1; border.length > 0 && distance <= maxJoins; distance += 1) {
    const next = new Set(border.flatMap((table) => (joins.get(table) ?? []).map((join) => join.to)));
    border = [...next].filter((table) => !distances.has(table));
    for (const table of border) distances.set(table, distance);
  }
  return distances;
}
