import type { PlanNode, PlanTree, RowCount } from '../../../plan/plan-tree.ts';

interface Building extends PlanNode {
  children: Building[];
}

/** `-> Filter: (o.id < 5)  (cost=0.6 rows=1.3) (actual time=0.02..0.03 rows=4 loops=1)`, indented by four for each level. */
export function parseTree(answer: string): PlanTree {
  const roots: Building[] = [];
  const open: { indent: number; node: Building }[] = [];
  for (const { indent, text } of arrowLines(answer)) {
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const node = readNode(text);
    (open.at(-1)?.node.children ?? roots).push(node);
    open.push({ indent, node });
  }
  const shown = roots.map((root) => withRepeats(mergeFilter(withRowCounts(readTable(withTime(root)))), countRuns(root, roots)));
  return { roots: shown, totalMs: sumUp(shown), notes: [] };
}

/** A condition may hold a literal with newlines: a line without an arrow continues the line before. */
function arrowLines(answer: string): { indent: number; text: string }[] {
  const lines: { indent: number; text: string }[] = [];
  for (const line of answer.split('\n')) {
    const match = /^( *)-> (.*)$/.exec(line);
    const last = lines.at(-1);
    if (match !== null) lines.push({ indent: match[1]?.length ?? 0, text: match[2] ?? '' });
    else if (last !== undefined) last.text += ` ${line}`;
  }
  return lines;
}

const number = String.raw`(\d+(?:\.\d+)?(?:e[+-]?\d+)?)`;
const estimate = new RegExp(String.raw`\(cost=${number}(?:\.\.${number})? rows=${number}\)`);
const measured = new RegExp(String.raw`\(actual time=${number}\.\.${number} rows=${number} loops=${number}\)`);

function readNode(text: string): Building {
  const planned = estimate.exec(text);
  const actual = measured.exec(text);
  const never = /\(never executed\)/.test(text);
  const loops = never ? 0 : readNumber(actual?.[4]);
  const time = readNumber(actual?.[2]);
  const end = Math.min(
    ...[planned?.index, actual?.index, never ? text.indexOf('(never executed)') : undefined].map((at) => at ?? text.length),
  );
  const what = text.slice(0, end).trim();
  const [label, detail] = splitLabel(what);
  return {
    label,
    estimatedRows: readNumber(planned?.[3]),
    actualRows: readNumber(actual?.[3]),
    loops,
    totalMs: time === undefined || loops === undefined ? undefined : time * loops,
    removed: undefined,
    spilled: undefined,
    cost: readNumber(planned?.[2] ?? planned?.[1]),
    fullScan: false,
    table: undefined,
    alias: undefined,
    filter: label === 'Filter' ? detail : undefined,
    expectedReads: undefined,
    rowCount: 'unknown',
    details: detail === '' ? [] : [detail],
    children: [],
  };
}

const findRead = /^((?:Table|Index|Covering index) scan)?.*? on ([^\s<]\S*)(?: using .*| (\(re-planned for each iteration\)))?$/;

/** A read with a node below it reads a derived table. */
function readTable(node: Building): Building {
  const read = node.children.length === 0 ? findRead.exec(node.label) : null;
  const found = read === null ? {} : { table: read[2], alias: read[2], fullScan: (read[1] ?? read[3]) !== undefined };
  return { ...node, ...found, children: node.children.map(readTable) };
}

/** `Filter: (…)` and `Sort: a, b` begin with what they do; the others are short enough as they are. */
function splitLabel(what: string): [label: string, detail: string] {
  const match =
    /^(Filter|Sort|Group aggregate|Aggregate|Nested loop [a-z ]+|Inner hash join|Left hash join|Hash [a-z ]+): (.*)$/s.exec(what);
  if (match !== null) return [match[1] ?? '', match[2] ?? ''];
  const lookup = /^((?:Single-row |Covering |Multi-range )?[Ii]ndex [a-z ]+? on \S+ using \S+)(?: over)? (\(.*)$/s.exec(what);
  return lookup === null ? [what, ''] : [lookup[1] ?? '', lookup[2] ?? ''];
}

/** A subquery is a sibling of the other steps, a node without numbers. */
function withTime(node: Building): Building {
  return node.totalMs === undefined && node.loops === undefined ? { ...node, totalMs: sumUp(node.children) } : node;
}

/** Merges a filter into the scan below it, as the plans of other engines show it. */
function mergeFilter(node: Building): Building {
  const children = node.children.map(mergeFilter);
  const [scan] = children;
  if (node.label !== 'Filter' || scan?.fullScan !== true) return { ...node, children };
  const ran = scan.actualRows !== undefined && node.actualRows !== undefined;
  const removed = ran
    ? Math.max(0, (scan.actualRows ?? 0) * (scan.loops ?? 1) - (node.actualRows ?? 0) * (node.loops ?? 1))
    : undefined;
  const [filter] = node.details;
  const details = [...scan.details, ...node.details.map((condition) => `filter ${condition}`)];
  const { label, table, estimatedRows: expectedReads } = scan;
  return {
    ...node,
    label,
    table,
    alias: table,
    fullScan: true,
    filter,
    expectedReads,
    rowCount: scan.rowCount === 'complete' ? 'reads' : 'guess',
    removed,
    details,
    // Subqueries of the condition follow the scan.
    children: [...scan.children, ...children.slice(1)],
  };
}

const nestedLoop = /^Nested loop/;
const allPairs = /^(?:Inner|Left)? ?hash (?:join|semijoin|antijoin)[^:]*\(no condition\)/i;

/** The first input of a nested loop decides how often the others are read. */
function withRepeats(node: PlanNode, repeats: number): PlanNode {
  const [first, second] = node.children;
  const outer = first?.estimatedRows ?? 1;
  const children = node.children.map((child, index) =>
    withRepeats(child, nestedLoop.test(node.label) && index > 0 ? repeats * Math.max(1, outer) : repeats),
  );
  const pairs = allPairs.test(node.label) ? repeats * outer * (second?.children[0]?.estimatedRows ?? 1) : undefined;
  return { ...node, children, repeats, pairs };
}

/** A subquery in the list of columns is a root beside the statement whose rows it runs for. */
function countRuns(root: Building, [first]: readonly Building[]): number {
  return root !== first && / dependent\)/.test(root.label) ? Math.max(1, first?.estimatedRows ?? 1) : 1;
}

function sumUp(nodes: readonly PlanNode[]): number | undefined {
  const times = nodes.map(({ totalMs }) => totalMs).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0);
}

function readNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** They read all of their input before they give their first row. */
const blocking = /^(?:Sort|Hash$|Temporary table|Aggregate|(?:Union|Union all|Intersect|Except) materialize|Materialize)/;
/** Steps whose row count the engine does not estimate from statistics. */
const guesses = /^(?:Materialize (?:table function|recursive)|Repeat until|Scan new records)/;
const semijoin = /^Nested loop (?:semi|anti)join/;
const hashJoin = /^(?:Inner|Left) hash join|^Hash (?:semi|anti)join/;
/** Where it reads in the order of the statement, it is estimated with the LIMIT. */
const indexScan = /index scan/i;
const limitRows = /^Limit(?:\/Offset)?: (\d+)/;

/** Sets how complete the row counts of the nodes are; `above` is that of the step itself. */
function withRowCounts<N extends PlanNode>(node: N, above: RowCount = 'complete'): N {
  const children = node.children.map((child, index) => withRowCounts(child, countInput(node, index, above)));
  return { ...node, children, rowCount: countRows(node, children, above) };
}

/** The estimates of joins and groups are made of constants where an index does not tell. */
function countRows({ label, table }: PlanNode, children: readonly PlanNode[], above: RowCount): RowCount {
  if (guesses.test(label)) return 'guess';
  if (above === 'partial' && indexScan.test(label)) return 'unknown';
  // Where no index or histogram tells, a condition keeps a constant share of the rows.
  if (label === 'Filter' && children.every((child) => child.table !== undefined)) return 'guess';
  return table !== undefined ? above : 'unknown';
}

function countInput(node: PlanNode, index: number, above: RowCount): RowCount {
  const { label } = node;
  // A subquery may be an EXISTS, which ends with its first row.
  if (label.startsWith('Select #') || label.startsWith('Intersect rows')) return 'partial';
  if (label.startsWith('Limit')) return above === 'complete' && hasFewerThanLimit(node) ? 'complete' : 'partial';
  if (blocking.test(label)) return 'complete';
  if (semijoin.test(label) && index > 0) return 'partial';
  // An empty hash table ends the join before the other side is read.
  if (hashJoin.test(label) && index === 0 && node.children[1]?.actualRows === 0) return 'partial';
  return above;
}

function hasFewerThanLimit(node: PlanNode): boolean {
  const { label, loops, actualRows = 0 } = node;
  return loops === 1 && actualRows < Number(limitRows.exec(label)?.[1] ?? 0) && !readsInOrder(node);
}

function readsInOrder({ label, children }: PlanNode): boolean {
  return indexScan.test(label) || children.some(readsInOrder);
}
