import { Failure } from '@dbmole/core';
import type { PlanReader } from '../../../catalog/catalog.ts';
import { findTable } from './find-table.ts';
import { readPlan } from './read-plan.ts';

/** SQLite tells which indexes it would use, in which order, and estimates nothing. */
export const plan: PlanReader = {
  line: 'Plan; SQLite says neither rows nor costs.',
  async statement(_run, { sql, analyze }) {
    if (analyze)
      throw new Failure('input', 'SQLite cannot measure the steps of a plan', {
        hint: { tool: 'Leave analyze out; query tells how long the statement takes.', cli: 'Leave --analyze out.' },
      });
    return `EXPLAIN QUERY PLAN ${sql}`;
  },
  parse: readPlan,
  findUnlikeJoins: async () => [],
  ddl: async () => (await import('../ddl/ddl.ts')).ddl,
  forecaster: async () => (await import('./forecast.ts')).forecaster,
  findTable,
};
