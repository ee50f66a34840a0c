import { Failure } from '@dbmole/core';
import type { AdviceReads, OpenAdvisor } from './advisor.ts';
import type { Candidate } from './candidates.ts';
import { type Explained, planTrials, type TrialPlan } from './try-indexes.ts';

/** A statement, and the indexes that it could use. */
interface Question extends Explained {
  candidates: readonly Candidate[];
}

/** The present plan, and the indexes that clearly lower its cost. */
interface Choice {
  before: TrialPlan;
  chosen: readonly Candidate[];
}

/** An index is worth its upkeep if the cost falls by this part, and not by less than this much. */
const minGain = 0.3;
const minSaved = 50;
/** A smaller index is preferred while the cost is not above the best one by this factor. */
const maxLoss = 1.3;
/** Further columns are stored only where this part of the cost would be left without them, or twice the best. */
const minUncovered = { part: 0.1, factor: 2 };
/** Plans at most for the choice among smaller indexes. */
const maxTrials = 24;

/** For each question, in the same order; a failure where it has no plan. */
export async function chooseCosted(
  reads: AdviceReads,
  advisor: OpenAdvisor,
  questions: readonly Question[],
): Promise<(Choice | Failure)[]> {
  const first = await planTrials(
    reads,
    advisor,
    questions.flatMap((one) => [
      { ...one, indexes: [] },
      { ...one, indexes: one.candidates.filter(({ kind }) => kind === 'ordered') },
    ]),
  );
  const pairs = questions.map((question, i) => ({ question, before: first[2 * i], after: first[2 * i + 1] }));
  const open = pairs.flatMap(({ question, before, after }) =>
    isPlan(before) && isPlan(after) && isClearlyLess(after.cost, before.cost) ? [{ question, before, best: after }] : [],
  );
  const smaller = open.map(listSmaller);
  const tried = await planTrials(
    reads,
    advisor,
    smaller.flatMap((sets, i) => sets.map(({ indexes }) => ({ ...(open[i]?.question as Question), indexes }))),
  );
  const chosen = new Map(
    open.map(({ question, before, best }, i) => {
      const sets = smaller[i] ?? [];
      return [question, chooseSmallest({ before, best }, sets, tried.splice(0, sets.length))];
    }),
  );
  return pairs.map(({ question, before, after }) => {
    if (!isPlan(before)) return before ?? new Failure('internal', 'the plan was not asked for');
    return { before, chosen: isPlan(after) ? (chosen.get(question) ?? []) : [] };
  });
}

export function isClearlyLess(after: number, before: number): boolean {
  return before - after >= Math.max(minSaved, before * minGain);
}

function isPlan(plan: TrialPlan | Failure | undefined): plan is TrialPlan {
  return plan !== undefined && !(plan instanceof Failure);
}

interface Smaller {
  /** The index that is left out, or has another in its place. */
  instead: Candidate;
  by: Candidate | undefined;
  indexes: readonly Candidate[];
}

/** The used indexes with one of them left out, or with a smaller one in its place: the smallest first. */
function listSmaller({ question, best }: { question: Question; best: TrialPlan }): Smaller[] {
  return best.used
    .flatMap((instead): Smaller[] => {
      const others = best.used.filter((one) => one !== instead);
      const smaller = question.candidates.filter((one) => one !== instead && isSmaller(one, instead));
      return [undefined, ...smaller.toSorted((a, b) => countColumns(a) - countColumns(b))].map((by) => ({
        instead,
        by,
        indexes: by === undefined ? others : [...others, by],
      }));
    })
    .slice(0, maxTrials);
}

function isSmaller(one: Candidate, than: Candidate): boolean {
  if (one.table.id !== than.table.id || one.kind !== 'ordered' || countColumns(one) >= countColumns(than)) return false;
  return one.keys.every((key) => than.keys.includes(key)) && one.included.length <= than.included.length;
}

function countColumns({ keys, included }: Candidate): number {
  return keys.length + included.length;
}

/** Replaces every index by the smallest one that is nearly as good. */
function chooseSmallest(
  { before, best }: { before: TrialPlan; best: TrialPlan },
  sets: readonly Smaller[],
  plans: readonly (TrialPlan | Failure)[],
): Candidate[] {
  const maxUncovered = Math.max(best.cost * minUncovered.factor, before.cost * minUncovered.part);
  let hasDropped = false;
  return best.used.flatMap((index) => {
    const good = sets.filter((set, i) => {
      const plan = plans[i];
      if (set.instead !== index || !isPlan(plan)) return false;
      // Two that replace each other must not both be left out.
      if (set.by === undefined) return !hasDropped && plan.cost <= best.cost * maxLoss;
      const isUncovered = set.by.included.length < index.included.length;
      return plan.cost <= (isUncovered ? maxUncovered : best.cost * maxLoss) && plan.used.includes(set.by);
    });
    const [smallest] = good;
    if (smallest === undefined) return [index];
    hasDropped ||= smallest.by === undefined;
    return smallest.by === undefined ? [] : [smallest.by];
  });
}
