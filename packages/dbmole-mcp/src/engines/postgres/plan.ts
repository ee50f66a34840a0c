import type { PlanReader } from '../../catalog.ts';
import { formatPlan } from '../../plan-text.ts';
import { parsePlan } from './plan-nodes.ts';

export const plan: PlanReader = {
  async statement(_run, { sql, analyze }) {
    return `EXPLAIN (FORMAT JSON${analyze ? ', ANALYZE, BUFFERS' : ''}) ${sql}`;
  },
  condense: (answer) => formatPlan(parsePlan(answer)),
};
