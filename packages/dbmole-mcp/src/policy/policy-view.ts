import { formatColumnPolicy, listPolicies, viewWritePolicy } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import { formatCostLimits } from '../cost/cost-limits.ts';
import { formatScope } from './scope.ts';

/** What a person allows on a connection, in a few words for lists. */
export function policyView(config: Connection) {
  const scope = formatScope(listPolicies(config));
  return {
    ...viewWritePolicy(config),
    cost: formatCostLimits(config),
    scope: scope === '' ? undefined : scope,
    columns: formatColumnPolicy(config),
  };
}
