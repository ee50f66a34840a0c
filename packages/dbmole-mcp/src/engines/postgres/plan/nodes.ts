import { Failure } from '@dbmole/core';
import { formatBytes } from '../../../catalog/schema-text.ts';
import { JsonObject } from '../../../json-object.ts';
import type { PlanNode, PlanTree, RowCount } from '../../../plan/plan-tree.ts';
import { countInput, countRows } from './row-count.ts';

export function parsePlan(answer: string): PlanTree {
  const [json = new JsonObject({})] = new JsonObject({ plans: parseJson(answer) }).objects('plans');
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
    alias: json.text('Alias'),
    filter: json.text('Filter'),
    expectedReads: undefined,
    rowCount: countRows(json, count),
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

/** Counted for one run, as rows are. */
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
