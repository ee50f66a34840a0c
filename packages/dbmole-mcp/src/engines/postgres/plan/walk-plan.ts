import type { Extent } from '../../../cost/forecast.ts';
import type { JsonObject } from '../../../json-object.ts';

/** A step that reads a table. */
export interface TableStep {
  json: JsonObject;
  schema: string | undefined;
  table: string;
  /** Below a Gather, about how many processes share the work. A row count of the plan is that of one of them. */
  processes: number;
}

interface Walk extends Extent {
  processes: number;
}

interface Found {
  step: TableStep;
  /** How often the rows of one run are read. */
  times: number;
}

type CountRows = (step: TableStep) => number;

export function listTableSteps(root: JsonObject): TableStep[] {
  return walkPlan(root, { runs: 1, fraction: 1 }, () => 1).map(({ step }) => step);
}

/** All steps that read a table, with how often and how far they run. `countRows` gives what one run reads, in all processes. */
export function walkPlan(root: JsonObject, extent: Extent, countRows: CountRows): Found[] {
  return walk(root, { ...extent, processes: 1 }, countRows);
}

function walk(json: JsonObject, above: Walk, countRows: CountRows): Found[] {
  const here = { ...above, processes: above.processes * countProcesses(json) };
  const step = toStep(json, above.processes);
  const own = step === undefined ? [] : [{ step, times: above.runs * above.fraction }];
  const children = json
    .objects('Plans')
    .flatMap((child) => walk(child, extendTo(child, { json, step, here, countRows }), countRows));
  return [...own, ...children];
}

function toStep(json: JsonObject, processes: number): TableStep | undefined {
  const table = json.text('Relation Name');
  // What a bitmap finds is read by the step above it.
  if (table === undefined) return undefined;
  return { json, table, schema: json.text('Schema'), processes };
}

/** The leader helps its workers the less, the more there are. */
function countProcesses(json: JsonObject): number {
  const workers = json.number('Workers Planned') ?? 0;
  if (workers === 0 || json.value['Single Copy'] === true) return 1;
  return workers + Math.max(0, 1 - 0.3 * workers);
}

interface Parent {
  json: JsonObject;
  step: TableStep | undefined;
  here: Walk;
  countRows: CountRows;
}

function extendTo(child: JsonObject, parent: Parent): Walk {
  const { here, json } = parent;
  const relationship = child.text('Parent Relationship');
  if (relationship === 'InitPlan') return { ...here, fraction: 1 };
  if (relationship === 'SubPlan') return extendToSubPlan(child, parent);
  const type = json.text('Node Type') ?? '';
  if (type === 'Limit') return { ...here, fraction: here.fraction * readLimit(json, child) };
  // The side that ends first stops the other one; the cost of the join is an upper bound of what is read.
  if (type === 'Merge Join') return { ...here, fraction: here.fraction * readLimit(json, child) };
  if (isBlocking(json)) return { ...here, fraction: 1 };
  if (relationship !== 'Inner') return type === 'Recursive Union' ? { ...here, fraction: 1 } : here;
  if (type === 'Recursive Union') return { ...here, runs: here.runs * recursions, fraction: 1 };
  return type === 'Nested Loop' ? { ...here, runs: here.runs * countLoops(json, child, here.fraction), fraction: 1 } : here;
}

/** The planner's own guess. */
const recursions = 10;
/** They read all of their input before they give their first row. */
const blocking = new Set(['Sort', 'Hash']);
const blockingStrategies = new Set(['Plain', 'Hashed', 'Mixed']);

/** Window functions that need no row behind the current one. */
const streaming = /^\(?(?:row_number|rank|dense_rank)\(\) OVER /;

function isBlocking(json: JsonObject): boolean {
  const type = json.text('Node Type') ?? '';
  if (type === 'WindowAgg') return json.texts('Output').some((text) => / OVER /.test(text) && !streaming.test(text));
  return blocking.has(type) || (/^(?:Aggregate|SetOp)$/.test(type) && blockingStrategies.has(json.text('Strategy') ?? ''));
}

/** The part of the input that a LIMIT takes, which its cost tells, with that of an OFFSET. */
function readLimit(json: JsonObject, child: JsonObject): number {
  const [, total] = readCosts(json);
  const [from, to] = readCosts(child);
  return to <= from ? 1 : Math.min(1, Math.max(0, (total - from) / (to - from)));
}

function readCosts(json: JsonObject): [startup: number, total: number] {
  return [json.number('Startup Cost') ?? 0, json.number('Total Cost') ?? 0];
}

/** How often the inner side is read in full: for each outer row, unless the cost says that it is cached or left early. */
function countLoops(json: JsonObject, inner: JsonObject, fraction: number): number {
  const outer = json.objects('Plans').find((child) => child.text('Parent Relationship') === 'Outer');
  const rows = Math.max(1, outer?.number('Plan Rows') ?? 1);
  // It is made once, and read again from memory.
  if (inner.text('Node Type') === 'Materialize') return 1;
  const [, total] = readCosts(json);
  const [, outerTotal] = outer === undefined ? [0, 0] : readCosts(outer);
  const [, innerTotal] = readCosts(inner);
  const byCost = innerTotal <= 0 ? rows : (total - outerTotal) / innerTotal;
  return Math.max(1, Math.min(rows, byCost) * fraction);
}

/** A correlated subquery runs for each row that its condition is evaluated on. */
function extendToSubPlan(child: JsonObject, { json, step, here, countRows }: Parent): Walk {
  const name = child.text('Subplan Name') ?? '';
  const texts = Object.values(json.value).flatMap((value) => (Array.isArray(value) ? value : [value]));
  const mentions = (text: string) => texts.some((value) => typeof value === 'string' && value.includes(text));
  if (mentions(`hashed ${name}`)) return { ...here, fraction: 1 };
  const isInFilter = json.text('Filter')?.includes(name) === true;
  const rows = isInFilter && step !== undefined ? countRows(step) / here.processes : (json.number('Plan Rows') ?? 1);
  const each = Math.max(1, rows * here.fraction);
  const found = mentions(`EXISTS(${name})`) ? 1 / Math.max(1, child.number('Plan Rows') ?? 1) : 1;
  return { ...here, runs: here.runs * each, fraction: found };
}
