import { Failure } from '@dbmole/core';
import { flattenPlan, type PlanNode } from '../plan/plan-tree.ts';
import type { Advised } from './advised.ts';
import type { AdviceReads, OpenAdvisor } from './advisor.ts';
import { matchesUse } from './choose-structural.ts';
import { type FilterPart, splitFilter } from './filter-parts.ts';
import type { Choice, Key, TableUse } from './resolve-shape.ts';
import { planTrials } from './try-indexes.ts';

/** Plans at most for one call. */
const maxPlans = 60;

/** A part of a filter, whose share of the rows the planner is asked for. */
interface Question {
  use: TableUse;
  /** The columns of the conditions. */
  columns: string;
  explain: string;
}

/**
 * The uses with the shares that the planner expects of single conditions. The plan of a whole statement tells only what all conditions
 * leave together, of which an index finds a part.
 */
export async function refineUses(
  reads: AdviceReads,
  open: OpenAdvisor,
  statements: readonly Advised[],
): Promise<ReadonlyMap<TableUse, TableUse>> {
  const questions = statements.flatMap((one) => one.uses.flatMap((use) => listQuestions(open, use, one))).slice(0, maxPlans);
  const plans = await planTrials(
    { ...reads },
    { trial: undefined, parsePlan: open.parsePlan },
    questions.map(({ explain }) => ({ sql: explain, explain, values: [], indexes: [] })),
  );
  const shares = new Map<TableUse, Map<string, number>>();
  for (const [i, { use, columns }] of questions.entries()) {
    const plan = plans[i];
    const rows = plan === undefined || plan instanceof Failure ? undefined : plan.tree.roots[0]?.estimatedRows;
    if (rows === undefined) continue;
    shares.set(use, (shares.get(use) ?? new Map()).set(columns, Math.min(1, rows / Math.max(1, use.table.rows))));
  }
  return new Map([...shares].map(([use, known]) => [use, withShares(use, known)]));
}

function listQuestions(open: OpenAdvisor, use: TableUse, { before }: Advised): Question[] {
  const nodes = before === undefined ? [] : flattenPlan(before.tree);
  const scan = nodes.find((node) => node.fullScan && node.filter !== undefined && matchesUse(node, use));
  if (scan === undefined || open.formatSelection === undefined) return [];
  const parts = splitFilter(scan.filter ?? '', new Set(use.table.columns.keys()));
  const wanted = new Set([
    ...[...use.equal, ...use.range, ...use.prefix, ...use.infix, ...use.contains].map((key) => identifyColumns(use, [key])),
    ...use.choices.map(({ keys }) => identifyColumns(use, keys)),
  ]);
  return [...wanted].flatMap((columns) => ask(open, { use, scan, columns }, parts) ?? []);
}

function ask(
  open: OpenAdvisor,
  { use, scan, columns }: { use: TableUse; scan: PlanNode; columns: string },
  parts: readonly FilterPart[],
): Question | undefined {
  const own = parts.filter((part) => identifyNames([...part.columns]) === columns);
  if (own.length === 0) return undefined;
  const explain = open.formatSelection?.(use.table, scan.alias ?? use.alias, own.map(({ text }) => text).join(' AND '));
  return explain === undefined ? undefined : { use, columns, explain };
}

function identifyColumns({ table }: TableUse, keys: readonly Key[]): string {
  const names = new Map([...table.columns].map(([name, column]) => [column, name]));
  return identifyNames(keys.map(({ column }) => names.get(column) ?? ''));
}

function identifyNames(names: readonly string[]): string {
  return JSON.stringify([...new Set(names)].sort());
}

function withShares(use: TableUse, shares: ReadonlyMap<string, number>): TableUse {
  const refine = <K extends Key>(key: K): K => ({ ...key, fraction: shares.get(identifyColumns(use, [key])) ?? key.fraction });
  const refineChoice = ({ keys, fraction }: Choice): Choice => ({
    keys: keys.map(refine),
    fraction: shares.get(identifyColumns(use, keys)) ?? fraction,
  });
  return {
    ...use,
    equal: use.equal.map(refine),
    range: use.range.map(refine),
    prefix: use.prefix.map(refine),
    infix: use.infix.map(refine),
    contains: use.contains.map(refine),
    choices: use.choices.map(refineChoice),
  };
}
