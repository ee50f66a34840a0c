import type { AdviceReads, IndexAdvisor, OpenAdvisor } from '../../../advice/advisor.ts';
import type { Candidate, KeyWriter } from '../../../advice/candidates.ts';
import { readContext } from '../catalog/context.ts';
import { plan } from '../plan/plan.ts';
import { findTables } from './find-tables.ts';
import { listSlow } from './list-slow.ts';
import { parseShape } from './read-shape.ts';

export const advisor: IndexAdvisor = { open };

async function open({ run }: AdviceReads): Promise<OpenAdvisor> {
  const [{ maria }, [mode = []]] = await Promise.all([readContext(run), run('select @@sql_mode')]);
  return {
    readShape: (sql) => parseShape(sql, mode[0] ?? ''),
    findTables: (names) => findTables(run, names),
    writer,
    listSlow: (limit) => listSlow(run, limit),
    formatExplain: (sql) => `EXPLAIN FORMAT=${maria ? 'JSON' : 'TREE'} ${sql}`,
    parsePlan: plan.parse,
    formatIndex: ({ table, keys }) => `ALTER TABLE ${table.label} ADD INDEX (${keys.join(', ')}), ALGORITHM=INPLACE, LOCK=NONE;`,
    describeBuilding,
    scanWord: 'type ALL',
    // Columns without an index have no statistics, except for histograms.
    hasStatistics: false,
    trial: undefined,
    withoutTrial: 'this server cannot plan with indexes that do not exist.',
  };
}

function describeBuilding(_candidate: Candidate): string {
  return 'Built in place: reads and writes go on, except for a short exclusive metadata lock at its start and end.';
}

const writer: KeyWriter = {
  format: ({ column: { label }, expression }) => (expression === undefined ? label : undefined),
  formatInfix: () => undefined,
  withoutInfix: undefined,
  stores: false,
  inverts: false,
};
