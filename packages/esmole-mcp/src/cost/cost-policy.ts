import { listPolicies } from '@dbmole/core';
import * as z from 'zod';

const mode = z.enum(['allow', 'refuse']);

/** What a search may cost. A new key here is also one of `costFields`, so that no tool can set it. */
export const costShape = {
  /** A search that reaches more shards is refused, or only noted with `warn`. */
  maxShards: z.int().min(1).max(1_000_000).optional(),
  /** The same for the size of the indices that it reaches. */
  maxBytes: z.int().min(1).max(1e18).optional(),
  warn: z.boolean().optional(),
  leadingWildcards: mode.optional(),
  scripts: mode.optional(),
};

export const costFields = Object.keys(costShape);

export const limitKeys = ['maxShards', 'maxBytes'] as const;
export type LimitKey = (typeof limitKeys)[number];

export interface CostLimit {
  key: LimitKey;
  max: number;
  /** The search runs all the same, and its answer says so. */
  onlyWarns: boolean;
}

export interface CostPolicy {
  limits: readonly CostLimit[];
  refusesWildcards: boolean;
  refusesScripts: boolean;
}

type CostKeys = Partial<z.output<z.ZodObject<typeof costShape>>>;
type Policies = CostKeys & { alsoHolds?: readonly object[] | undefined };

/** What all policies that hold allow together; undefined where they limit nothing. */
export function readCostPolicy(config: Policies): CostPolicy | undefined {
  // The registry reads all of them with the schema of this server.
  const layers: readonly CostKeys[] = listPolicies(config as Parameters<typeof listPolicies>[0]) as readonly CostKeys[];
  const limits = layers.flatMap((layer) =>
    limitKeys.flatMap((key): CostLimit[] => {
      const max = layer[key];
      return max === undefined ? [] : [{ key, max, onlyWarns: layer.warn === true }];
    }),
  );
  const refusesWildcards = layers.some(({ leadingWildcards }) => leadingWildcards === 'refuse');
  const refusesScripts = layers.some(({ scripts }) => scripts === 'refuse');
  if (limits.length === 0 && !refusesWildcards && !refusesScripts) return undefined;
  // A limit that refuses comes before one that warns, and a smaller one before others.
  const inOrder = limits.toSorted((one, other) => Number(one.onlyWarns) - Number(other.onlyWarns) || one.max - other.max);
  return { limits: inOrder, refusesWildcards, refusesScripts };
}

/** The policy in a few words, for lists. */
export function formatCostPolicy(config: Policies): string | undefined {
  const policy = readCostPolicy(config);
  if (policy === undefined) return undefined;
  const limits = policy.limits.map(({ key, max, onlyWarns }) => `${key} ${max}${onlyWarns ? ' (warns)' : ''}`);
  const refused = [policy.refusesWildcards ? 'leadingWildcards refuse' : [], policy.refusesScripts ? 'scripts refuse' : []];
  return [...new Set(limits), ...refused.flat()].join(', ');
}
