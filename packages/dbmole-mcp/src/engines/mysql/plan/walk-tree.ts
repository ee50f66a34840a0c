import { refuseUnplannable } from '../../../cost/cost-refusal.ts';
import type { Extent } from '../../../cost/forecast.ts';
import { seePlan } from '../../../next-steps.ts';
import type { PlanNode } from '../../../plan/plan-tree.ts';
import type { PlanSteps, TableStep } from './plan-steps.ts';
import { parseTree } from './tree-text.ts';

interface Walk extends Extent {
  /** Rows may end early below, so that a scan in the order of an index is estimated with them. */
  isLimited: boolean;
  /** What a sort above says of its input, which then says nothing itself. */
  inputRows?: number | undefined;
}

/** What MySQL plans to read, by the tree that `EXPLAIN FORMAT=TREE` shows. */
export function walkTree(answer: string): PlanSteps {
  const { roots } = parseTree(answer);
  const [first] = roots;
  if (first === undefined) throw refuseUnplannable('the server does not show the plan', seePlan);
  const whole: Walk = { runs: 1, fraction: 1, isLimited: false };
  const found = roots.map((root) => (root.label.startsWith('Select #') ? walkSubquery(root, whole, first) : walk(root, whole)));
  return { cost: sum(found.map(({ cost }) => cost)), steps: found.flatMap(({ steps }) => steps) };
}

function walk(node: PlanNode, extent: Walk): PlanSteps {
  const own = readStep(node, extent);
  const main = node.children.filter((child) => !child.label.startsWith('Select #'));
  const subqueries = node.children.filter((child) => child.label.startsWith('Select #'));
  const children = main.map((child, index) => walk(child, extendTo(child, { node, index, extent })));
  const nested = subqueries.map((child) => walkSubquery(child, extent, node));
  const below = Math.max(0, ...children.map(({ cost }) => cost));
  // A step with a LIMIT shows the cost without it.
  const cost = isLimit(node) ? below : Math.max((node.cost ?? 0) * extent.fraction, below);
  return {
    cost: cost + sum(nested.map((one) => one.cost)),
    steps: [...own, ...[...children, ...nested].flatMap(({ steps }) => steps)],
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const countedRows = /^Count rows in (\S+)/;
const orderedScan = /index scan/i;

function readStep(node: PlanNode, { runs, fraction, isLimited, inputRows }: Walk): TableStep[] {
  const { label, filter } = node;
  const counted = countedRows.exec(label)?.[1];
  if (counted !== undefined) return [{ label, table: counted, filter: undefined, rows: undefined, times: runs }];
  if (node.table === undefined || label.startsWith('Scan new records')) return [];
  const times = runs * fraction;
  const rows = node.expectedReads ?? node.estimatedRows ?? (filter === undefined ? inputRows : undefined);
  // It is estimated to find what the LIMIT wants soon, which a condition need not meet.
  return [{ label, table: node.table, filter, rows: isLimited && orderedScan.test(label) ? undefined : rows, times }];
}

/** One that depends on the rows of the outer query runs for each of them. */
function walkSubquery(node: PlanNode, extent: Walk, outer: PlanNode): PlanSteps {
  const isOnce = node.label.includes('run only once');
  const [input] = outer.children;
  const rows = outer.expectedReads ?? (outer.label === 'Filter' && input !== undefined ? countRows(input) : countRows(outer));
  const runs = isOnce ? 1 : Math.max(1, rows);
  const found = node.children.map((child) => walk(child, { runs: extent.runs * runs, fraction: 1, isLimited: false }));
  return { cost: sum(found.map(({ cost }) => cost)) * runs, steps: found.flatMap(({ steps }) => steps) };
}

interface Place {
  node: PlanNode;
  index: number;
  extent: Walk;
}

/** They read all of their input before they give their first row. */
const blocking =
  /^(?:Sort|Hash$|Temporary table|Aggregate|(?:Union|Union all|Intersect|Except) materialize|Materialize|Group aggregate.*temporary|Window aggregate with buffering)/;
const nestedLoop = /^(?:Nested loop|Batched key access)/;

function extendTo(child: PlanNode, { node, index, extent: above }: Place): Walk {
  const { label } = node;
  const { inputRows: _ofStep, ...extent } = above;
  const whole = { runs: extent.runs, fraction: 1, isLimited: false };
  // It is filled once for the whole statement, unless it depends on an outer row.
  if (label.startsWith('Materialize')) return label.includes('invalidate on row') ? whole : { ...whole, runs: 1 };
  if (label.startsWith('Sort')) return { ...whole, inputRows: node.estimatedRows };
  if (blocking.test(label)) return whole;
  if (isLimit(node)) return limit(node, child, extent);
  if (!nestedLoop.test(label) || index === 0) return extent;
  const outer = node.children[0];
  const loops = outer === undefined ? 1 : countRows(outer) * extent.fraction;
  return { ...extent, runs: extent.runs * Math.max(1, loops), fraction: 1 };
}

const limitRows = /^Limit(?:\/Offset)?: (\d+)(?:\/(\d+))? row/;

function isLimit({ label }: PlanNode): boolean {
  return limitRows.test(label);
}

/** A LIMIT ends reading early only where nothing filters rows behind the scan: how many a condition keeps is mostly a guess here. */
function limit({ label }: PlanNode, child: PlanNode, extent: Walk): Walk {
  const [, rows, offset] = limitRows.exec(label) ?? [];
  if (label.includes('no early end')) return { ...extent, fraction: 1 };
  if (filters(child)) return { ...extent, isLimited: true, fraction: 1 };
  const wanted = Number(rows ?? 0) + Number(offset ?? 0);
  return { ...extent, fraction: extent.fraction * Math.min(1, wanted / Math.max(1, countRows(child))) };
}

/** Whether rows are thrown away on their way from the scans to this step. */
function filters(node: PlanNode): boolean {
  const { label, filter, children } = node;
  if (filter !== undefined || /^Filter|semijoin|antijoin|aggregate/i.test(label)) return true;
  return !blocking.test(label) && children.some((child) => !child.label.startsWith('Select #') && filters(child));
}

/** Some steps do not say how many rows they give; they give at most those below them. */
function countRows(node: PlanNode): number {
  const wanted = limitRows.exec(node.label)?.[1];
  const below = () => Math.max(1, ...node.children.filter(({ label }) => !label.startsWith('Select #')).map(countRows));
  return node.estimatedRows ?? (wanted === undefined ? below() : Math.min(Number(wanted), below()));
}
