import { Failure } from '@dbmole/core';
import { formatBytes } from '../../../catalog/schema-text.ts';
import { JsonObject } from '../../../json-object.ts';
import type { PlanNode, PlanTree, RowCount } from '../../../plan/plan-tree.ts';

export function parsePlan(answer: string): PlanTree {
  const json = parsePlanJson(answer);
  const planning = json.number('Planning Time');
  const triggers = json
    .objects('Triggers')
    .map((trigger) => `trigger ${trigger.text('Trigger Name')}: ${trigger.number('Time')} ms`);
  return {
    roots: [readNode(json.object('Plan'), { divisor: 1, runs: 1, count: 'complete' })],
    totalMs: json.number('Execution Time'),
    notes: [...(planning === undefined ? [] : [`planning ${planning} ms`]), ...triggers],
  };
}

/** The outermost object of a plan. */
export function parsePlanJson(answer: string): JsonObject {
  const [json = new JsonObject({})] = new JsonObject({ plans: parseJson(answer) }).objects('plans');
  return json;
}

function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch (cause) {
    throw new Failure('engine', 'the plan is not the JSON that was asked for', { cause, hint: 'Ask for it with raw.' });
  }
}

interface Above {
  /** Below a Gather, the processes that share the work: their times add up to more than has passed. */
  divisor: number;
  /** How often the planner thinks that this runs: a cost is that of one run. */
  runs: number;
  count: RowCount;
}

function readNode(json: JsonObject, { divisor, runs, count }: Above): PlanNode {
  const loops = json.number('Actual Loops');
  const time = json.number('Actual Total Time');
  const launched = json.number('Workers Launched');
  const below = launched === undefined ? divisor : divisor * (launched + 1);
  return {
    label: formatLabel(json),
    estimatedRows: json.number('Plan Rows'),
    actualRows: json.number('Actual Rows'),
    loops,
    totalMs: time === undefined || loops === undefined ? undefined : (time * loops) / Math.min(divisor, Math.max(loops, 1)),
    removed: removedBy(json, loops ?? 1),
    spilled: spilledBy(json),
    cost: computeCost(json, runs),
    fullScan: isFullScan(json),
    table: json.text('Relation Name'),
    schema: json.text('Schema'),
    alias: json.text('Alias'),
    filter: json.text('Filter'),
    expectedReads: undefined,
    rowCount: countRows(json, count),
    repeats: runs,
    pairs: countPairs(json, runs),
    details: readDetails(json),
    children: listChildren(json, { divisor: below, runs, count }),
  };
}

function isFullScan(json: JsonObject): boolean {
  const type = json.text('Node Type');
  return type === 'Seq Scan' || (/^Index (?:Only )?Scan$/.test(type ?? '') && !json.has('Index Cond'));
}

function computeCost(json: JsonObject, runs: number): number | undefined {
  const cost = json.number('Total Cost');
  return cost === undefined ? undefined : cost * runs;
}

function listChildren(json: JsonObject, { divisor, runs, count }: Above): PlanNode[] {
  const children = json.objects('Plans');
  const loop = json.text('Node Type') === 'Nested Loop';
  const outer = children.find((child) => child.text('Parent Relationship') === 'Outer')?.number('Plan Rows') ?? 1;
  return children.map((child) => {
    const relationship = child.text('Parent Relationship');
    const each = relationship === 'SubPlan' ? (json.number('Plan Rows') ?? 1) : 1;
    // A materialized inner side is read again and again, but made once.
    const inner = loop && relationship === 'Inner' && child.text('Node Type') !== 'Materialize' ? outer : 1;
    return readNode(child, { divisor, runs: runs * Math.max(1, each * inner), count: countInput(json, child, count) });
  });
}

/** An inner side that is kept in memory is compared with every row of the other one. */
function countPairs(json: JsonObject, runs: number): number | undefined {
  if (json.text('Node Type') !== 'Nested Loop') return undefined;
  const [outer, inner] = ['Outer', 'Inner'].map((side) =>
    json.objects('Plans').find((child) => child.text('Parent Relationship') === side),
  );
  if (inner?.text('Node Type') !== 'Materialize') return undefined;
  return runs * (outer?.number('Plan Rows') ?? 1) * (inner.number('Plan Rows') ?? 1);
}

function formatLabel(json: JsonObject): string {
  const relation = json.text('Relation Name') ?? json.text('Function Name') ?? json.text('CTE Name');
  const alias = json.text('Alias');
  const words = [
    json.text('Subplan Name') === undefined ? undefined : `[${json.text('Subplan Name')}]`,
    json.text('Strategy') === 'Hashed' ? 'Hash' : undefined,
    json.text('Node Type'),
    json.text('Join Type') === 'Inner' ? undefined : json.text('Join Type'),
    json.text('Index Name') === undefined ? undefined : `using ${json.text('Index Name')}`,
    relation === undefined ? undefined : `on ${relation}`,
    alias === undefined || alias === relation ? undefined : alias,
  ];
  return words.filter((word) => word !== undefined).join(' ');
}

/** Counts for one run, as rows do. */
function removedBy(json: JsonObject, loops: number): number | undefined {
  const counts = ['Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck'].map((name) =>
    json.number(name),
  );
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0) * loops;
}

function spilledBy(json: JsonObject): string | undefined {
  if (json.text('Sort Space Type') === 'Disk') return `sort ${formatBytes((json.number('Sort Space Used') ?? 0) * 1024)}`;
  const usage = json.number('Disk Usage') ?? 0;
  if (usage > 0) return formatBytes(usage * 1024);
  const batches = json.number('Hash Batches') ?? 1;
  return batches > 1 ? `hash in ${batches} batches` : undefined;
}

const conditions = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'TID Cond',
  'Filter',
  'One-Time Filter',
];

function readDetails(json: JsonObject): string[] {
  const found = conditions.map((name) => [name, json.text(name)] as const).filter(([, text]) => text !== undefined);
  const keys = [...json.texts('Sort Key'), ...json.texts('Group Key')];
  return [
    ...found.map(([name, text]) => `${name.toLowerCase()} ${text}`),
    ...(keys.length === 0 ? [] : [`by ${keys.join(', ')}`]),
    ...(json.has('Workers Launched') ? [`${json.number('Workers Launched')} of ${json.number('Workers Planned')} workers`] : []),
  ];
}

/** Steps whose estimate is a constant, or is made of one. */
const guesses = new Set(['Function Scan', 'Table Function Scan', 'ProjectSet', 'Recursive Union', 'WorkTable Scan', 'CTE Scan']);
/** They count nothing, or pages, or the rows of their input again each time. */
const uncounted = new Set(['Bitmap Index Scan', 'BitmapAnd', 'BitmapOr', 'Materialize', 'Memoize']);
/** They read all of their input before they give their first row. */
const blocking = new Set(['Sort', 'Hash', 'Bitmap Heap Scan']);
const blockingStrategies = new Set(['Plain', 'Hashed']);

/** Conditions on what is computed from columns, and on patterns: their estimates are mostly constants, also with fresh statistics. */
const guessed = /[\w"]\(|\)::(?!text\b)|\bCASE\b| (?:[-+*/%]|\|\||[-#]>>?|!?~~?\*?) /;
const literals = /'(?:[^']|'')*'/g;

function isGuessed(filter: string | undefined): boolean {
  return filter !== undefined && guessed.test(filter.replace(literals, "''"));
}

function countRows(json: JsonObject, above: RowCount): RowCount {
  const type = json.text('Node Type') ?? '';
  if (guesses.has(type) || isGuessed(json.text('Filter'))) return 'guess';
  return uncounted.has(type) ? 'unknown' : above;
}

interface Input {
  json: JsonObject;
  isInner: boolean;
  /** What is known of the step itself. */
  above: RowCount;
}

/** Steps that may end before one of their inputs has. */
const early: Readonly<Record<string, (input: Input) => boolean>> = {
  Limit: ({ json, above }) => above !== 'complete' || !hasFewerThanLimit(json),
  // The side that ends first stops the other one.
  'Merge Join': () => true,
  'Hash Join': ({ json, isInner }) => !isInner && hasEmptyHash(json),
  'Nested Loop': ({ json, isInner }) => isInner && stopsAtFirst(json),
  WindowAgg: ({ json }) => json.has('Run Condition'),
};

/** Whether this input of a step was read to its end, as far as the plan tells. */
function countInput(json: JsonObject, child: JsonObject, above: RowCount): RowCount {
  const relationship = child.text('Parent Relationship');
  // A subquery may be an EXISTS, and a CTE is read only as far as needed.
  if (relationship === 'SubPlan' || relationship === 'InitPlan') return 'partial';
  if (isBlocking(json)) return 'complete';
  const isInner = relationship === 'Inner';
  const type = json.text('Node Type') ?? '';
  // For equal keys it is read again, which counts twice.
  if (type === 'Merge Join' && isInner) return 'unknown';
  return above === 'unknown' || early[type]?.({ json, isInner, above }) === true ? 'partial' : above;
}

function isBlocking(json: JsonObject): boolean {
  const type = json.text('Node Type') ?? '';
  return blocking.has(type) || (type === 'Aggregate' && blockingStrategies.has(json.text('Strategy') ?? ''));
}

/** The estimate of a LIMIT is its number, or that of its input where this is smaller. A limit out of a subquery is a guess. */
function hasFewerThanLimit(json: JsonObject): boolean {
  const [expected = 0, actual = 0] = [json.number('Plan Rows'), json.number('Actual Rows')];
  return json.objects('Plans').length === 1 && json.number('Actual Loops') === 1 && actual < expected;
}

/** An empty hash table ends the join before the other side is read. */
function hasEmptyHash(json: JsonObject): boolean {
  const inner = json.objects('Plans').find((child) => child.text('Parent Relationship') === 'Inner');
  // One that was never filled means that the other side had no rows.
  return inner?.number('Actual Rows') === 0 && inner.number('Actual Loops') !== 0;
}

function stopsAtFirst(json: JsonObject): boolean {
  const type = json.text('Join Type') ?? '';
  return type.endsWith('Semi') || type.endsWith('Anti') || json.value['Inner Unique'] === true;
}
