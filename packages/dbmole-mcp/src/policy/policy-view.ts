import { formatColumnPolicy, listPolicies } from '@dbmole/core';
import type { Connection } from '../connection/schema.ts';
import { formatCostLimits } from '../cost/cost-limits.ts';
import { formatScope } from './scope.ts';
import { allowsNoWhere, formatWritePolicy, readMaxRows } from './write-policy.ts';

/** What a person allows on a connection, in a few words for lists. */
export function policyView(config: Connection) {
  const scope = formatScope(listPolicies(config));
  return {
    writes: config.readonly ? undefined : formatWritePolicy(config),
    noWhere: !config.readonly && allowsNoWhere(config) ? 'allow' : undefined,
    maxRows: config.readonly ? undefined : readMaxRows(config),
    cost: formatCostLimits(config),
    scope: scope === '' ? undefined : scope,
    columns: formatColumnPolicy(config),
  };
}
