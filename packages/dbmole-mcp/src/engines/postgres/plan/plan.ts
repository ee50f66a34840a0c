import type { PlanReader } from '../../../catalog/catalog.ts';
import { parsePlan } from './parse-plan.ts';

export const plan: PlanReader = {
  async statement(_run, { sql, analyze }) {
    return `EXPLAIN (FORMAT JSON${analyze ? ', ANALYZE, BUFFERS' : ''}) ${sql}`;
  },
  parse: parsePlan,
  ddl: async () => (await import('../ddl/ddl.ts')).ddl,
};
