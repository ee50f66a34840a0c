import { Failure } from '@dbmole/core';
import { JsonObject } from '../../../json-object.ts';
import type { PlanNode, PlanTree, RowCount } from '../../../plan/plan-tree.ts';

/** Members of the JSON that wrap other steps and are a step themselves. */
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

/** This JSON does not show a LIMIT, so all counts of a statement with one count as partial. */
const limitWord = /\b(?:limit|fetch|rownum)\b/i;

export function parseAnalysis(answer: string, sql: string): PlanTree {
  const block = new JsonObject(parseJson(answer)).object('query_block');
  const whole = limitWord.test(sql) ? 'partial' : 'complete';
  const roots = nodesIn(block, { whole, count: whole, repeats: 1, around: 1 });
  const measured = roots.some(({ totalMs }) => totalMs !== undefined);
  return { roots, totalMs: block.number('r_total_time_ms') ?? (measured ? computeTotal(roots) : undefined), notes: [] };
}

function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch (cause) {
    throw new Failure('engine', 'the plan is not valid JSON', { cause, hint: { tool: 'Pass raw.' } });
  }
}

interface Above {
  /** The tables that any SELECT of the statement reads. */
  whole: RowCount;
  count: RowCount;
  /** How often it is expected to be read: rows of the tables before it. */
  repeats: number;
  /** Rows of the statement around, for each of which a subquery that depends on them runs. */
  around: number;
}

function nodesIn(json: JsonObject, above: Above): PlanNode[] {
  let { around } = above;
  return Object.keys(json.value).flatMap((key) => {
    const nodes = readNodes(key, json, { ...above, around });
    around = Math.max(around, ...nodes.map(({ estimatedRows = 1, repeats = 1 }) => estimatedRows * repeats));
    return nodes;
  });
}

function readNodes(key: string, parent: JsonObject, { whole, count, repeats, around }: Above): PlanNode[] {
  const value = parent.value[key];
  if (typeof value !== 'object' || value === null) return [];
  // Only a subquery that depends on the rows around it has a cache of its results.
  const runs = key === 'expression_cache' ? around : repeats;
  const below: Above = { whole, count: countBelow(key, whole) ?? count, repeats: runs, around };
  if (Array.isArray(value)) return listNodes(value, below);
  const json = parent.object(key);
  // The input of a sort counts for the sort, not for the table.
  if (key === 'table') return [tableNode(json, parent.has('r_sort_mode') || parent.has('sort_key'), below)];
  const step = steps.get(key);
  return step === undefined ? nodesIn(json, below) : [stepNode(step, json, below)];
}

function countBelow(key: string, whole: RowCount): RowCount | undefined {
  // They read all of their input before they give their first row.
  if (key === 'filesort' || key === 'temporary_table') return 'complete';
  // A subquery may be an EXISTS, which ends with its first row.
  return key === 'subqueries' ? 'partial' : key === 'materialized' ? whole : undefined;
}

/** Marks of tables in which only the first matching row is searched. */
const firstOnly = ['first_match', 'not_exists', 'distinct', 'loosescan'];

/** The first of the joined tables decides how often the others are read; a jump back to it leaves some of them early. */
function listNodes(values: readonly unknown[], above: Above): PlanNode[] {
  const items = values.map((value) => new JsonObject(value));
  const jumps = items.some((item) => firstOnly.some((mark) => item.object('table').has(mark)));
  let { repeats } = above;
  return items.flatMap((item, index) => {
    const nodes = nodesIn(item, { ...above, repeats, ...(jumps && index > 0 && { count: 'partial' }) });
    // Its children are the tables of a subquery, or of a buffered join.
    repeats *= Math.max(1, ...nodes.flatMap(({ estimatedRows, children }) => estimatedRows ?? children[0]?.estimatedRows ?? 1));
    return nodes;
  });
}

function tableNode(json: JsonObject, sorted: boolean, above: Above): PlanNode {
  const access = json.text('access_type') ?? '';
  // A table that the planner has read counts as never run, but its row is there.
  const loops = access === 'const' || access === 'system' ? undefined : json.number('r_loops');
  const scanned = json.number('r_rows');
  const kept = readPercent(scanned, json.number('r_filtered'));
  const children = nodesIn(json, above);
  const condition = json.text('attached_condition');
  const name = json.text('table_name');
  const table = name === undefined || name.startsWith('<') || children.length > 0 ? undefined : name;
  return {
    label: formatLabel(json, access),
    estimatedRows: readPercent(json.number('rows'), json.number('filtered')),
    actualRows: kept,
    loops,
    totalMs: loops === undefined ? undefined : ownTime(json, sorted) + computeTotal(children),
    removed: scanned === undefined || kept === undefined ? undefined : (scanned - kept) * (loops ?? 1),
    spilled: undefined,
    cost: json.number('cost') ?? json.number('rows'),
    fullScan: (access === 'ALL' || access === 'index') && table !== undefined,
    table,
    alias: table,
    filter: condition,
    expectedReads: json.number('rows'),
    rowCount: table === undefined ? 'guess' : countTable(json, above),
    repeats: above.repeats,
    details: condition === undefined ? [] : [`filter ${condition}`],
    children,
  };
}

/**
 * Where no index or histogram tells what a condition keeps, it is estimated to keep everything. Where one does so for a part of the
 * condition, only more rows than estimated say something about statistics.
 */
function countTable(json: JsonObject, { count }: Above): RowCount {
  if (!json.has('attached_condition')) return count;
  if (json.number('filtered') !== 100) return count === 'complete' ? 'partial' : count;
  return count === 'complete' ? 'reads' : 'guess';
}

function ownTime(json: JsonObject, sorted: boolean): number {
  const reading = json.number('r_table_time_ms') ?? 0;
  return sorted ? reading : reading + (json.number('r_other_time_ms') ?? 0);
}

function formatLabel(json: JsonObject, access: string): string {
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

function stepNode(label: string, json: JsonObject, above: Above): PlanNode {
  // A buffered join reads its table once for many rows.
  const isBuffered = label === 'Block join';
  const children = nodesIn(json, isBuffered ? { ...above, repeats: 1 } : above);
  const isHashed = /H\b/.test(json.text('join_type') ?? '');
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
    totalMs: loops === undefined && own === undefined ? undefined : Math.max(own ?? 0, computeTotal(children)),
    removed: undefined,
    spilled: passes > 0 ? `sort, ${passes} merge passes` : undefined,
    cost: undefined,
    fullScan: false,
    table: undefined,
    alias: undefined,
    filter: undefined,
    expectedReads: undefined,
    rowCount: 'unknown',
    repeats: above.repeats,
    pairs: isBuffered && !isHashed ? above.repeats * (children[0]?.estimatedRows ?? 1) : undefined,
    details: key === undefined ? [] : [`by ${key}`],
    children,
  };
}

function computeTotal(nodes: readonly PlanNode[]): number {
  return nodes.reduce((sum, { totalMs }) => sum + (totalMs ?? 0), 0);
}

function readPercent(rows: number | undefined, percent: number | undefined): number | undefined {
  return rows === undefined ? undefined : (rows * (percent ?? 100)) / 100;
}
