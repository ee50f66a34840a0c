import { groupBy } from '../answer/group-by.ts';

/** A part of an index that is not where it should be. */
export interface Shard {
  index: string;
  shard: number;
  isPrimary: boolean;
  state: 'unassigned' | 'initializing';
  /** The reason as the cluster names it: `NODE_LEFT`. */
  reason: string | undefined;
  since: string | undefined;
  details: string | undefined;
}

/** Shards that are missing for the same reason. */
export interface ShardProblem {
  state: Shard['state'];
  isPrimary: boolean;
  reason: string | undefined;
  shards: readonly Shard[];
  /** The shard that represents its group. */
  first: Shard;
}

/** Missing primaries come first: they are what cannot be read. */
export function shardProblems(shards: readonly Shard[]): ShardProblem[] {
  const problems = groupBy(shards, ({ state, isPrimary, reason }) => JSON.stringify([state, isPrimary, reason]));
  return [...problems.values()]
    .flatMap((all) => {
      const [first] = all;
      return first === undefined ? [] : [{ ...first, shards: all, first }];
    })
    .map(({ state, isPrimary, reason, shards: all, first }) => ({ state, isPrimary, reason, shards: all, first }))
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || b.shards.length - a.shards.length);
}

/** An index is red without one of its primaries, and yellow without a copy. */
export function unhealthyIndices(shards: readonly Shard[]): { red: readonly string[]; yellow: readonly string[] } {
  const red = new Set(shards.filter(({ isPrimary }) => isPrimary).map(({ index }) => index));
  const yellow = new Set(shards.map(({ index }) => index).filter((index) => !red.has(index)));
  return { red: [...red], yellow: [...yellow] };
}
