import { Failure } from '@dbmole/core';
import type { ColumnStats, TableStats } from '../catalog/catalog.ts';
import type { ColumnPlan } from '../guard/read-statement.ts';
import type { Call } from '../tool.ts';

/** Statistics have values of the rows. Those of protected columns are left out. */
export async function hideProtectedStats({ backend, options }: Call, tables: readonly TableStats[]): Promise<TableStats[]> {
  if (!backend.protectsColumns) return [...tables];
  return await Promise.all(
    tables.map(async (stats) => {
      if (stats.columns.length === 0) return stats;
      const sql = `select ${stats.columns.map(({ column }) => column).join(', ')} from ${stats.table}`;
      const plan = await backend.check(sql, options).catch(asRefused);
      return { ...stats, columns: stats.columns.map((column, i) => (isShown(plan, i) ? column : hideValues(column))) };
    }),
  );
}

/** What must not be read is not shown either. */
function asRefused(error: unknown): ColumnPlan {
  if (error instanceof Failure && error.kind === 'refused') return { verdicts: undefined, origins: {} };
  throw error;
}

function isShown(plan: ColumnPlan | undefined, place: number): boolean {
  return plan === undefined || plan.verdicts?.[place] === null;
}

function hideValues({ column, nulls, distinct }: ColumnStats): ColumnStats {
  return { column, nulls, distinct, common: [], min: undefined, max: undefined };
}
