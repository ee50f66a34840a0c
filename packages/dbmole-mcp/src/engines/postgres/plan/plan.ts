import type { PlanReader } from '../../../catalog/catalog.ts';
import { parsePlan } from './parse-plan.ts';

export const plan: PlanReader = {
  async statement(_run, { sql, analyze, namesSchemas }) {
    return `EXPLAIN (FORMAT JSON${namesSchemas ? ', VERBOSE' : ''}${analyze ? ', ANALYZE, BUFFERS' : ''}) ${sql}`;
  },
  parse: parsePlan,
  findUnlikeJoins: async (...args) => await (await import('./unlike-joins.ts')).findUnlikeJoins(...args),
  ddl: async () => (await import('../ddl/ddl.ts')).ddl,
  forecaster: async () => (await import('./forecast.ts')).forecaster,
};
