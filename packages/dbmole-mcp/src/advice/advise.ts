import { type CheckReport, Failure, reportUnavailable } from '@dbmole/core';
import { formatAdvice, formatVerdict } from './advice-text.ts';
import type { Advised } from './advised.ts';
import type { AdviceReads, IndexAdvisor, OpenAdvisor, SlowStatement } from './advisor.ts';
import { type Candidate, identify, type KeyWriter, listCandidates, replaces } from './candidates.ts';
import { chooseCosted, isClearlyLess } from './choose-costed.ts';
import { chooseStructural } from './choose-structural.ts';
import { refineUses } from './refine-uses.ts';
import { resolveShape, type TableUse } from './resolve-shape.ts';
import type { StatementShape } from './statement-shape.ts';
import { minRows } from './table-facts.ts';
import { type Explained, planTrials, type TrialPlan } from './try-indexes.ts';

/** The maximum number of statements, of those that take the most time. */
const maxSlow = 10;

/** Advises on the given statements, or on those that take the most time. None of them is run. */
export async function adviseIndexes(
  advisor: IndexAdvisor,
  reads: AdviceReads,
  given: readonly string[] | undefined,
): Promise<CheckReport> {
  const open = await advisor.open(reads);
  const slow = given === undefined ? await open.listSlow(maxSlow) : given.map((sql) => ({ sql, calls: 0, meanMs: 0 }));
  if (!isList(slow))
    return reportUnavailable(
      'the server does not report which statements are slow (see slow_queries)',
      'diagnose with sql advises on given statements.',
    );
  const statements = await Promise.all(
    slow.map((one, i) => readStatement({ open, reads }, { ...one, number: i + 1, isSlow: given === undefined })),
  );
  await choose(open, reads, statements);
  return formatReport(open, statements, given === undefined);
}

function isList(slow: readonly SlowStatement[] | CheckReport): slow is readonly SlowStatement[] {
  return Array.isArray(slow);
}

interface Tools {
  open: OpenAdvisor;
  reads: AdviceReads;
}

async function readStatement(
  { open, reads }: Tools,
  { number, isSlow, ...slow }: SlowStatement & { number: number; isSlow: boolean },
): Promise<Advised> {
  const { sql } = slow;
  const none = { number, sql, slow: isSlow ? slow : undefined, before: undefined, after: undefined, indexes: [] };
  const without = (reason: string): Advised => ({ ...none, reason, uses: [], candidates: [], values: undefined });
  const shape = await readShape({ open, reads }, sql);
  if (typeof shape === 'string') return without(shape);
  const { uses, values } = await resolveShape(shape, open.findTables);
  if (uses.every(({ table }) => table.rows < minRows)) return without(`it reads no table of ${minRows} rows or more`);
  const locked = uses.find(({ table }) => table.isLocked);
  if (locked !== undefined) return without(`${locked.table.label} is locked by another session`);
  const { fresh, areCovered } = listCandidates(uses, open.writer);
  if (fresh.length === 0) return without(areCovered ? 'its indexes exist' : findObstacle(uses, open.writer));
  return { ...none, reason: undefined, uses, candidates: fresh, values };
}

function findObstacle(uses: readonly TableUse[], { withoutInfix }: KeyWriter): string {
  const isInfix = uses.some(({ infix }) => infix.length > 0);
  return isInfix && withoutInfix !== undefined ? withoutInfix : 'it has no condition, join or order that an index would serve';
}

/** Returns the reason where the guard refuses the statement or it cannot be parsed. */
async function readShape({ open, reads }: Tools, sql: string): Promise<StatementShape | string> {
  try {
    await reads.check(sql);
    return await open.readShape(sql);
  } catch (error) {
    if (error instanceof Failure && ofStatement.has(error.kind)) return error.message;
    throw error;
  }
}

const ofStatement: ReadonlySet<string> = new Set(['refused', 'input', 'unknown', 'engine'] satisfies Failure['kind'][]);

interface Planned extends Explained {
  candidates: readonly Candidate[];
  advised: Advised;
}

/** Fills in plans and indexes. */
async function choose(open: OpenAdvisor, reads: AdviceReads, statements: Advised[]): Promise<void> {
  const planned = statements.flatMap((advised): Planned[] => {
    const { reason, values, sql, candidates } = advised;
    return reason === undefined && values !== undefined
      ? [{ sql, values, explain: open.formatExplain(sql), candidates, advised }]
      : [];
  });
  if (open.trial === undefined) await readPlans(open, reads, planned);
  else await chooseByCost(open, reads, planned);
  const undecided = statements.filter(({ reason, indexes }) => reason === undefined && indexes.length === 0);
  const refined = await refineUses(reads, open, undecided);
  for (const one of undecided) chooseWithoutCost(open, refine(open, one, refined));
  mergeIndexes(statements);
  if (open.trial !== undefined) await readGains(open, reads, planned);
}

async function readPlans(open: OpenAdvisor, reads: AdviceReads, planned: readonly Planned[]): Promise<void> {
  const plans = await planTrials(
    reads,
    open,
    planned.map((one) => ({ ...one, indexes: [] })),
  );
  for (const [i, { advised }] of planned.entries()) takePlan(advised, plans[i]);
}

async function chooseByCost(open: OpenAdvisor, reads: AdviceReads, planned: readonly Planned[]): Promise<void> {
  const choices = await chooseCosted(reads, open, planned);
  for (const [i, { advised }] of planned.entries()) {
    const choice = choices[i];
    takePlan(advised, choice instanceof Failure ? choice : choice?.before);
    if (choice !== undefined && !(choice instanceof Failure)) advised.indexes = choice.chosen;
  }
}

/** The costs with the indexes that are left after all statements were looked at together. */
async function readGains(open: OpenAdvisor, reads: AdviceReads, planned: readonly Planned[]): Promise<void> {
  const chosen = planned.filter(({ advised }) => advised.indexes.some(({ kind }) => kind === 'ordered'));
  const plans = await planTrials(
    reads,
    open,
    chosen.map((one) => ({ ...one, indexes: one.advised.indexes })),
  );
  for (const [i, { advised }] of chosen.entries()) takeGain(advised, plans[i]);
}

function takePlan(advised: Advised, plan: TrialPlan | Failure | undefined): void {
  if (plan instanceof Failure) advised.reason = plan.message;
  else advised.before = plan;
}

function takeGain(advised: Advised, plan: TrialPlan | Failure | undefined): void {
  const { before } = advised;
  if (plan === undefined || plan instanceof Failure || before === undefined || !isClearlyLess(plan.cost, before.cost)) {
    advised.indexes = [];
    advised.reason = 'no index clearly lowers its cost';
    return;
  }
  advised.after = plan;
  advised.indexes = plan.used;
}

/** Changes the statement: what a condition finds decides which indexes are the best. */
function refine(open: OpenAdvisor, advised: Advised, refined: ReadonlyMap<TableUse, TableUse>): Advised {
  advised.uses = advised.uses.map((use) => refined.get(use) ?? use);
  advised.candidates = listCandidates(advised.uses, open.writer).fresh;
  return advised;
}

/** All candidates, where there are no costs; else those of a kind that has none, or of a statement without a plan. */
function chooseWithoutCost(open: OpenAdvisor, advised: Advised): void {
  const { before, uses, candidates } = advised;
  const isCosted = open.trial !== undefined && before !== undefined;
  const left = isCosted ? candidates.filter(({ kind }) => kind === 'inverted') : candidates;
  advised.indexes = chooseStructural(uses, left, { plan: before?.tree, hasStatistics: open.hasStatistics });
  if (advised.indexes.length > 0) return;
  advised.reason = isCosted
    ? `none of ${candidates.length} indexes that it could use clearly lowers its cost of ${Math.round(before.cost)}`
    : 'it uses its indexes, or reads too much of its tables for an index to pay off';
}

/** One index for several statements, where one of those that are advised does the work of another, or differs only in what it stores. */
function mergeIndexes(statements: readonly Advised[]): void {
  const several = statements.flatMap(({ indexes }) => indexes);
  for (const one of statements) one.indexes = one.indexes.map((index) => withoutStored(index, several));
  const all = statements.flatMap(({ indexes }) => indexes);
  for (const one of statements) {
    const merged = one.indexes.map(
      (index) => all.find((other) => other !== index && identify(other) !== identify(index) && replaces(other, index)) ?? index,
    );
    one.indexes = [...new Map(merged.map((index) => [identify(index), index])).values()];
  }
}

/** Two that are searched in the same way are one, which then stores nothing. */
function withoutStored(index: Candidate, all: readonly Candidate[]): Candidate {
  const plain = { ...index, included: [] };
  const isSame = (other: Candidate) =>
    identify({ ...other, included: [] }) === identify(plain) && identify(other) !== identify(index);
  return all.some(isSame) ? plain : index;
}

function formatReport(open: OpenAdvisor, statements: readonly Advised[], isSlow: boolean): CheckReport {
  const indexes = new Map(statements.flatMap((one) => one.indexes.map((index) => [identify(index), index] as const)));
  const { trial } = open;
  const isUncosted = statements.some(({ after, indexes: own }) => own.length > 0 && after === undefined);
  return {
    findings: [...indexes.values()].map((index) => formatAdvice(open, index, statements)),
    listing: statements.map(formatVerdict),
    notes: [
      ...(isSlow ? [`The ${statements.length} statements that took the most time.`] : []),
      trial === undefined ? `Structural, not costed: ${open.withoutTrial}` : `Costed with ${trial.name}; no index was created.`,
      ...(trial !== undefined && isUncosted ? ['Those without a cost are structural.'] : []),
      ...(statements.some(({ values }) => values !== undefined && values.length > 0)
        ? ['Placeholders were replaced by common values of their columns.']
        : []),
      `Tables with fewer than ${minRows} rows get no advice.`,
    ],
  };
}
