import { listPolicies } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import { costKeys } from '../policy/policy-schema.ts';

export type CostKey = (typeof costKeys)[number];

export interface CostLimit {
  key: CostKey;
  max: number;
  /** The read runs all the same, and its answer says so. */
  onlyWarns: boolean;
}

type Policies = Pick<Connection, CostKey | 'warn'> & { alsoHolds?: readonly object[] | undefined };

/** The smallest limits of all policies that hold. One that only warns does not loosen another one that refuses. */
export function readCostLimits(config: Policies): readonly CostLimit[] {
  const all = listPolicies(config as Connection).flatMap((policy) =>
    costKeys.flatMap((key): CostLimit[] => {
      const max = policy[key];
      return max === undefined ? [] : [{ key, max, onlyWarns: policy.warn === true }];
    }),
  );
  return all.filter((one, i) => !all.some((other, j) => other.key === one.key && i !== j && makesNeedless(other, one, j < i)));
}

/** Whether a read that the other limit lets pass is let pass by this one, with no more to say. */
function makesNeedless(other: CostLimit, one: CostLimit, isEarlier: boolean): boolean {
  if (other.onlyWarns && !one.onlyWarns) return false;
  if (other.max !== one.max) return other.max < one.max;
  return other.onlyWarns === one.onlyWarns ? isEarlier : one.onlyWarns;
}

/** The limits in a few words, for lists; undefined where there are none. */
export function formatCostLimits(config: Policies): string | undefined {
  const limits = readCostLimits(config).map(({ key, max, onlyWarns }) => `${key} ${max}${onlyWarns ? ' (warns)' : ''}`);
  return limits.length === 0 ? undefined : limits.join(', ');
}
