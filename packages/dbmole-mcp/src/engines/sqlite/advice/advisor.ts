import { reportUnavailable } from '@dbmole/core';
import type { AdviceReads, IndexAdvisor, OpenAdvisor } from '../../../advice/advisor.ts';
import type { KeyWriter } from '../../../advice/candidates.ts';
import { readPlan } from '../plan/read-plan.ts';
import { findTables } from './find-tables.ts';
import { parseShape } from './read-shape.ts';

export const advisor: IndexAdvisor = { open };

async function open({ run }: AdviceReads): Promise<OpenAdvisor> {
  return {
    readShape: async (sql) => parseShape(sql),
    findTables: (names) => findTables(run, names),
    writer,
    listSlow: async () =>
      reportUnavailable('SQLite keeps no statistics of statements', 'diagnose with sql advises on given statements.'),
    formatExplain: (sql) => `EXPLAIN QUERY PLAN ${sql}`,
    parsePlan: readPlan,
    formatIndex: ({ table, keys }) => `CREATE INDEX ${formatName(table.label, keys)} ON ${table.label} (${keys.join(', ')});`,
    describeBuilding: () => 'Building it reads the table, and holds the only write lock of the file until it is done.',
    scanWord: 'SCAN',
    // ANALYZE counts only values of indexes that exist.
    hasStatistics: false,
    trial: undefined,
    withoutTrial: 'SQLite cannot plan with indexes that do not exist.',
  };
}

function formatName(table: string, keys: readonly string[]): string {
  const words = [table, ...keys].join(' ').split(/\W/);
  return words.filter((word) => word !== '').join('_');
}

const writer: KeyWriter = {
  format: ({ column: { label }, expression }) => {
    if (expression === undefined) return label;
    return expression.kind === 'function' && (expression.name === 'lower' || expression.name === 'upper')
      ? `${expression.name}(${label})`
      : undefined;
  },
  formatInfix: () => undefined,
  withoutInfix: 'LIKE with a leading wildcard has no index in SQLite; a table of FTS5 with the tokenizer trigram has',
  stores: false,
  inverts: false,
};
