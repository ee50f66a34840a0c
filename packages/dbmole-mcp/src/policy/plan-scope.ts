import { bareName } from '../catalog/nearest-tables.ts';
import { flattenPlan, type PlanNode } from '../plan/plan-tree.ts';
import type { Call } from '../tool.ts';
import { outOfScope } from './scope.ts';

/** A plan shows the tables behind a view. One that leads outside of the scope is not shown. */
export async function refusePlanOutside({ backend, options }: Call, plan: string, sql: string): Promise<void> {
  const { scope, catalog } = backend;
  if (scope === undefined) return;
  const inside = new Set((await catalog.relations(backend.catalogRun(options))).map(({ name }) => name));
  const isInside = ({ schema, table }: PlanNode) => {
    if (table === undefined) return true;
    return schema === undefined
      ? inside.has(bareName(backend.plan.findTable?.(table, sql) ?? table))
      : scope.allows(schema, table);
  };
  if (flattenPlan(backend.plan.parse(plan, sql)).every(isInside)) return;
  throw outOfScope(`the plan shows what is outside of the scope of this connection, which is ${scope.text}`);
}
