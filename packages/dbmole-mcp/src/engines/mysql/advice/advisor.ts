import type { AdviceReads, IndexAdvisor, OpenAdvisor } from '../../../advice/advisor.ts';
import type { Candidate, KeyWriter } from '../../../advice/candidates.ts';
import { readContext } from '../catalog/context.ts';
import { inTurns } from '../guard/in-turns.ts';
import { tooComplex } from '../guard/refuse.ts';
import { tokenize } from '../guard/text/lexer.ts';
import { parseMode } from '../guard/text/sql-mode.ts';
import { plan } from '../plan/plan.ts';
import { findTables } from './find-tables.ts';
import { listSlow } from './list-slow.ts';
import { readShape } from './read-shape.ts';

export const advisor: IndexAdvisor = { open };

/** Reading more than this takes longer than other calls should wait. */
const maxTokens = 10_000;

async function open({ run }: AdviceReads): Promise<OpenAdvisor> {
  const [{ maria }, [mode = []]] = await Promise.all([readContext(run), run('select @@sql_mode')]);
  return {
    async readShape(sql) {
      const tokens = await inTurns(tokenize(sql, parseMode(mode[0] ?? '')));
      if (tokens.length > maxTokens) throw tooComplex(`more than ${maxTokens} tokens`);
      return readShape(sql, tokens.at(-1)?.word === ';' ? tokens.slice(0, -1) : tokens);
    },
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
