import { Failure } from '@dbmole/core';
import type { SessionStep, TextRows } from '../engine.ts';
import { flattenPlan, type PlanTree } from '../plan/plan-tree.ts';
import type { AdviceReads, IndexTrial, OpenAdvisor } from './advisor.ts';
import type { Candidate } from './candidates.ts';

/** Planning is quick, unless it waits for a lock. */
const maxPlanMs = 5_000;

/** A statement with a plan. */
export interface Explained {
  sql: string;
  explain: string;
  /** Values of its placeholders. */
  values: readonly string[];
}

interface Trial extends Explained {
  /** The indexes that its plan may use, in addition to those that exist. */
  indexes: readonly Candidate[];
}

export interface TrialPlan {
  tree: PlanTree;
  /** The cost of the whole, in the engine's own unit. */
  cost: number;
  /** Those of the indexes that the plan uses. */
  used: readonly Candidate[];
  /** Estimated bytes of each index. */
  sizes: ReadonlyMap<Candidate, number>;
}

/**
 * Plans of statements, each with the given indexes. All in one session, which ends without any of them. A failure takes the place of a
 * plan that could not be made.
 */
export async function planTrials(
  reads: AdviceReads,
  { trial, parsePlan }: Pick<OpenAdvisor, 'trial' | 'parsePlan'>,
  trials: readonly Trial[],
): Promise<(TrialPlan | Failure)[]> {
  if (trials.length === 0) return [];
  const parts = trials.map((one) => listSteps(one, trial, Math.min(reads.timeoutMs, maxPlanMs)));
  const steps = parts.flat();
  const end: SessionStep[] = trial === undefined ? [] : [{ own: trial.reset, params: [], timeoutMs: maxPlanMs }];
  const answers = [...(await reads.runSteps([...steps, ...end]))];
  return trials.map((one, i) => readTrial(one, answers.splice(0, parts[i]?.length ?? 0), parsePlan));
}

function listSteps({ explain, values, indexes }: Trial, trial: IndexTrial | undefined, timeoutMs: number): SessionStep[] {
  const plan: SessionStep = { sql: explain, params: values, timeoutMs };
  if (trial === undefined) return [plan];
  const created = indexes.map((index): SessionStep => ({ ...trial.formatCreate(index), timeoutMs }));
  return [{ own: trial.reset, params: [], timeoutMs }, ...created, plan];
}

function readTrial(
  { sql, indexes }: Trial,
  answers: readonly (TextRows | Failure)[],
  parsePlan: OpenAdvisor['parsePlan'],
): TrialPlan | Failure {
  const plan = answers.at(-1);
  if (plan === undefined || plan instanceof Failure) return plan ?? new Failure('internal', 'the plan was not asked for');
  const created = answers.slice(1, -1);
  const names = new Map<string, Candidate>();
  const sizes = new Map<Candidate, number>();
  for (const [i, index] of indexes.entries()) {
    const rows = created[i];
    const [name, bytes] = rows === undefined || rows instanceof Failure ? [] : (rows[0] ?? []);
    if (!name) continue;
    names.set(name, index);
    sizes.set(index, Number(bytes));
  }
  const tree = parsePlan(plan.map((cells) => cells.map((cell) => cell ?? '').join('\t')).join('\n'), sql);
  const labels = flattenPlan(tree).map(({ label }) => label);
  const used = [...names].flatMap(([name, index]) => (labels.some((label) => label.includes(name)) ? [index] : []));
  return { tree, cost: tree.roots.reduce((sum, { cost }) => sum + (cost ?? 0), 0), used, sizes };
}
