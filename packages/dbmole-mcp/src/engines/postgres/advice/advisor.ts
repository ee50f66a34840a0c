import type { AdviceReads, IndexAdvisor, IndexTrial, OpenAdvisor } from '../../../advice/advisor.ts';
import type { Candidate, KeyWriter } from '../../../advice/candidates.ts';
import type { Key } from '../../../advice/resolve-shape.ts';
import type { StatementShape } from '../../../advice/statement-shape.ts';
import { inspect } from '../guard/thread/guard-thread.ts';
import { plan } from '../plan/plan.ts';
import { formatLiteral } from '../values/literal.ts';
import { findTables } from './find-tables.ts';
import { listSlow } from './list-slow.ts';

export const advisor: IndexAdvisor = { open };

/**
 * The schemas of the extensions, as they are written in a statement. The functions of HypoPG act on the session, so the guard refuses them
 * and cannot check them: the owner of the extension may have replaced its code in C.
 */
const extensionsSql = `
select e.extname::text, pg_catalog.quote_ident(n.nspname), e.extversion
from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace
where e.extname = 'pg_trgm' or (e.extname = 'hypopg' and not exists (
  select from pg_catalog.pg_proc p where p.pronamespace = n.oid
    and p.proname in ('hypopg_reset', 'hypopg_create_index', 'hypopg_relation_size')
    and (p.prolang <> 13 or p.probin is distinct from '$libdir/hypopg')))
union all select 'available', null, null from pg_catalog.pg_available_extensions a where a.name = 'hypopg'`;

async function open({ run, guardedRun }: AdviceReads): Promise<OpenAdvisor> {
  const rows = await run(extensionsSql);
  const find = (extension: string) => rows.find(([name]) => name === extension);
  const [, trialSchema, trialVersion] = find('hypopg') ?? [];
  return {
    // The thread returns what `parseShape` returns there.
    readShape: async (sql) => (await inspect('shape', [sql])) as StatementShape,
    findTables: (names) => findTables(run, names),
    writer: createWriter(find('pg_trgm')?.[1] ?? undefined),
    listSlow: (limit) => listSlow(run, guardedRun, limit),
    formatExplain: (sql) => `EXPLAIN (FORMAT JSON) ${sql}`,
    parsePlan: plan.parse,
    formatIndex: (candidate) =>
      candidate.table.isPartitioned
        ? `${formatIndex('ON ONLY', candidate)}; then the same CONCURRENTLY on each partition, and ALTER INDEX … ATTACH PARTITION.`
        : `${formatIndex('CONCURRENTLY ON', candidate)};${candidate.keys.some((key) => key.includes('(')) ? ` ANALYZE ${candidate.table.label};` : ''}`,
    describeBuilding,
    scanWord: 'Seq Scan',
    hasStatistics: true,
    formatSelection: ({ label }, alias, condition) =>
      `EXPLAIN (FORMAT JSON) SELECT FROM ${label} AS "${alias.replaceAll('"', '""')}" WHERE ${condition}`,
    trial: trialSchema ? createTrial(trialSchema, trialVersion ?? '') : undefined,
    withoutTrial:
      find('available') === undefined
        ? 'the extension hypopg, which lets the planner say what each index would gain, is not on this server.'
        : 'CREATE EXTENSION hypopg lets the planner say what each index would gain.',
  };
}

function formatIndex(words: string, { table, keys, included, kind }: Candidate): string {
  const stored = included.length === 0 ? '' : ` INCLUDE (${included.join(', ')})`;
  return `CREATE INDEX ${words} ${table.label} ${kind === 'inverted' ? 'USING gin ' : ''}(${keys.join(', ')})${stored}`;
}

function describeBuilding({ table }: Candidate): string {
  return table.isPartitioned
    ? 'Built without CONCURRENTLY it takes a SHARE lock, which blocks writes.'
    : 'Built under a SHARE UPDATE EXCLUSIVE lock: reads and writes go on.';
}

function createTrial(schema: string, version: string): IndexTrial {
  return {
    name: `HypoPG ${version}`,
    reset: `select ${schema}.hypopg_reset()`,
    formatCreate: (candidate) => ({
      own: `select h.indexname, ${schema}.hypopg_relation_size(h.indexrelid)::text from ${schema}.hypopg_create_index($1::text) h`,
      params: [formatIndex('ON', candidate)],
    }),
  };
}

function createWriter(trigrams: string | undefined): KeyWriter {
  return {
    format({ column: { label }, expression }: Key) {
      if (expression === undefined) return label;
      return expression.kind === 'function'
        ? `${expression.name}(${label})`
        : `(${label} ->> ${formatLiteral(expression.key)}::text)`;
    },
    formatInfix: ({ column: { label }, expression }) =>
      trigrams === undefined || expression !== undefined ? undefined : `${label} ${trigrams}.gin_trgm_ops`,
    withoutInfix:
      trigrams === undefined
        ? 'LIKE with a leading wildcard has an index only with the extension pg_trgm (CREATE EXTENSION pg_trgm)'
        : undefined,
    stores: true,
    inverts: true,
  };
}
