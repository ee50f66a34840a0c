import type { PlanReader } from '../../../catalog/catalog.ts';
import { detectFlavour } from '../flavour.ts';
import { findTable } from './find-table.ts';
import { parseAnalysis } from './mariadb.ts';
import { parseTree } from './tree-text.ts';

/**
 * Reads the plan as text on MySQL, whose tree is the same with and without running the statement; its JSON has had two forms, and
 * times only in recent versions. MariaDB has one JSON for both.
 */
export const plan: PlanReader = {
  async statement(run, { sql, analyze, raw }) {
    const [row] = await run('select version()');
    const maria = detectFlavour(row?.[0] ?? '').product === 'MariaDB';
    if (maria) return `${analyze ? 'ANALYZE' : 'EXPLAIN'} FORMAT=JSON ${sql}`;
    if (analyze) return `EXPLAIN ANALYZE ${sql}`;
    return `EXPLAIN FORMAT=${raw ? 'JSON' : 'TREE'} ${sql}`;
  },
  parse: (answer, sql) => (answer.trimStart().startsWith('{') ? parseAnalysis(answer, sql) : parseTree(answer)),
  findUnlikeJoins: async (...args) => await (await import('./unlike-joins.ts')).findUnlikeJoins(...args),
  ddl: async () => (await import('../ddl/ddl.ts')).ddl,
  forecaster: async () => (await import('./forecast.ts')).forecaster,
  findTable,
};
