import type { PlanReader } from '../../catalog.ts';
import { formatPlan } from '../../plan-text.ts';
import { flavourOf } from './flavour.ts';
import { parseAnalysis } from './plan-maria.ts';
import { parseTree } from './plan-tree-text.ts';

/**
 * MySQL has the same tree for plans with and without running them, but only as text; its JSON has had two forms, and neither came
 * with times for long. MariaDB has one JSON for both.
 */
export const plan: PlanReader = {
  async statement(run, { sql, analyze, raw }) {
    const [row] = await run('select version()');
    const maria = flavourOf(row?.[0] ?? '').product === 'MariaDB';
    if (maria) return `${analyze ? 'ANALYZE' : 'EXPLAIN'} FORMAT=JSON ${sql}`;
    if (analyze) return `EXPLAIN ANALYZE ${sql}`;
    return `EXPLAIN FORMAT=${raw ? 'JSON' : 'TREE'} ${sql}`;
  },
  condense: (answer) => formatPlan(answer.trimStart().startsWith('{') ? parseAnalysis(answer) : parseTree(answer)),
};
