import { Failure } from '@dbmole/core';
import { JsonObject } from '../../json-object.ts';
import type { PlanNode, PlanTree } from '../../plan-tree.ts';

/** What stands in this JSON around others and is a step of its own. */
const steps: ReadonlyMap<string, string> = new Map([
  ['filesort', 'Sort'],
  ['temporary_table', 'Temporary table'],
  ['window_functions_computation', 'Window functions'],
  ['union_result', 'Union'],
  ['recursive_union', 'Recursive union'],
  ['materialized', 'Materialize'],
  ['expression_cache', 'Expression cache'],
  ['block-nl-join', 'Block join'],
  ['duplicates_removal', 'Remove duplicates'],
  ['read_sorted_file', 'Read sorted'],
]);

export function parseAnalysis(answer: string): PlanTree {
  const block = new JsonObject(parseJson(answer)).object('query_block');
  const roots = nodesIn(block);
  const measured = roots.some(({ totalMs }) => totalMs !== undefined);
  return { roots, totalMs: block.number('r_total_time_ms') ?? (measured ? totalOf(roots) : undefined), notes: [] };
}

function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch (cause) {
    throw new Failure('engine', 'the plan is not the JSON that was asked for', { cause, hint: 'Ask for it with raw.' });
  }
}

function nodesIn(json: JsonObject): PlanNode[] {
  return Object.keys(json.value).flatMap((key) => nodesOf(key, json));
}

function nodesOf(key: string, parent: JsonObject): PlanNode[] {
  const value = parent.value[key];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => nodesIn(new JsonObject(item)));
  const json = parent.object(key);
  // What a sort is given is on its own account, not on that of the table.
  if (key === 'table') return [tableNode(json, parent.has('r_sort_mode') || parent.has('sort_key'))];
  const step = steps.get(key);
  return step === undefined ? nodesIn(json) : [stepNode(step, json)];
}

function tableNode(json: JsonObject, sorted: boolean): PlanNode {
  const access = json.text('access_type') ?? '';
  // Read while planning: it counts as never run, and yet its row is there.
  const loops = access === 'const' || access === 'system' ? undefined : json.number('r_loops');
  const scanned = json.number('r_rows');
  const kept = percentOf(scanned, json.number('r_filtered'));
  const children = nodesIn(json);
  const condition = json.text('attached_condition');
  return {
    label: labelOf(json, access),
    estimatedRows: percentOf(json.number('rows'), json.number('filtered')),
    actualRows: kept,
    loops,
    totalMs: loops === undefined ? undefined : ownTime(json, sorted) + totalOf(children),
    removed: scanned === undefined || kept === undefined ? undefined : (scanned - kept) * (loops ?? 1),
    spilled: undefined,
    cost: json.number('cost') ?? json.number('rows'),
    fullScan: access === 'ALL' && !/^</.test(json.text('table_name') ?? ''),
    details: condition === undefined ? [] : [`filter ${condition}`],
    children,
  };
}

function ownTime(json: JsonObject, sorted: boolean): number {
  const reading = json.number('r_table_time_ms') ?? 0;
  return sorted ? reading : reading + (json.number('r_other_time_ms') ?? 0);
}

function labelOf(json: JsonObject, access: string): string {
  const name = json.text('table_name');
  if (name === undefined) return json.text('message') ?? 'Table';
  const index = json.text('key');
  return `${accessNames.get(access) ?? access} on ${name}${index === undefined ? '' : ` using ${index}`}`;
}

const accessNames: ReadonlyMap<string, string> = new Map([
  ['ALL', 'Table scan'],
  ['index', 'Index scan'],
  ['range', 'Index range scan'],
  ['ref', 'Index lookup'],
  ['eq_ref', 'Single-row lookup'],
  ['const', 'Constant row'],
  ['system', 'Constant row'],
]);

function stepNode(label: string, json: JsonObject): PlanNode {
  const children = nodesIn(json);
  const loops = json.number('r_loops');
  const own = json.number('r_total_time_ms');
  const passes = json.number('r_sort_passes') ?? 0;
  const key = json.text('sort_key');
  return {
    label,
    estimatedRows: undefined,
    actualRows: json.number('r_output_rows'),
    loops,
    // Its own number includes the reading of what is below.
    totalMs: loops === undefined && own === undefined ? undefined : Math.max(own ?? 0, totalOf(children)),
    removed: undefined,
    spilled: passes > 0 ? `sort, ${passes} merge passes` : undefined,
    cost: undefined,
    fullScan: false,
    details: key === undefined ? [] : [`by ${key}`],
    children,
  };
}

function totalOf(nodes: readonly PlanNode[]): number {
  return nodes.reduce((sum, { totalMs }) => sum + (totalMs ?? 0), 0);
}

function percentOf(rows: number | undefined, percent: number | undefined): number | undefined {
  return rows === undefined ? undefined : (rows * (percent ?? 100)) / 100;
}
