import type { PlanNode, PlanTree } from '../../plan-tree.ts';

interface Building extends PlanNode {
  children: Building[];
}

/** `-> Filter: (o.id < 5)  (cost=0.6 rows=1.3) (actual time=0.02..0.03 rows=4 loops=1)`, indented by four for each level. */
export function parseTree(answer: string): PlanTree {
  const roots: Building[] = [];
  const open: { indent: number; node: Building }[] = [];
  for (const { indent, text } of arrowLines(answer)) {
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const node = nodeOf(text);
    (open.at(-1)?.node.children ?? roots).push(node);
    open.push({ indent, node });
  }
  const shown = roots.map(withTime).map(mergeFilter);
  return { roots: shown, totalMs: sumOf(shown), notes: [] };
}

/** A condition may hold a literal with newlines in it: what does not begin with an arrow belongs to the line before. */
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

function nodeOf(text: string): Building {
  const planned = estimate.exec(text);
  const actual = measured.exec(text);
  const never = /\(never executed\)/.test(text);
  const loops = never ? 0 : numberOf(actual?.[4]);
  const time = numberOf(actual?.[2]);
  const end = Math.min(
    ...[planned?.index, actual?.index, never ? text.indexOf('(never executed)') : undefined].map((at) => at ?? text.length),
  );
  const what = text.slice(0, end).trim();
  const [label, detail] = splitLabel(what);
  return {
    label,
    estimatedRows: numberOf(planned?.[3]),
    actualRows: numberOf(actual?.[3]),
    loops,
    totalMs: time === undefined || loops === undefined ? undefined : time * loops,
    removed: undefined,
    spilled: undefined,
    cost: numberOf(planned?.[2] ?? planned?.[1]),
    fullScan: /^Table scan on (?!<)/.test(what),
    details: detail === '' ? [] : [detail],
    children: [],
  };
}

/** `Filter: (…)` and `Sort: a, b` have what they do in front, the others are short enough as they are. */
function splitLabel(what: string): [label: string, detail: string] {
  const match =
    /^(Filter|Sort|Group aggregate|Aggregate|Nested loop [a-z ]+|Inner hash join|Left hash join|Hash [a-z ]+): (.*)$/s.exec(what);
  if (match !== null) return [match[1] ?? '', match[2] ?? ''];
  const lookup = /^((?:Single-row |Covering |Multi-range )?[Ii]ndex [a-z ]+? on \S+ using \S+)(?: over)? (\(.*)$/s.exec(what);
  return lookup === null ? [what, ''] : [lookup[1] ?? '', lookup[2] ?? ''];
}

/** A subquery stands beside the rest as a node without numbers of its own. */
function withTime(node: Building): Building {
  return node.totalMs === undefined && node.loops === undefined ? { ...node, totalMs: sumOf(node.children) } : node;
}

/** One node as elsewhere: the scan that throws rows away, rather than a scan that keeps all and a filter that reads nothing. */
function mergeFilter(node: Building): Building {
  const children = node.children.map(mergeFilter);
  const [scan] = children;
  if (node.label !== 'Filter' || scan?.fullScan !== true || scan.details.length > 0) return { ...node, children };
  const ran = scan.actualRows !== undefined && node.actualRows !== undefined;
  const removed = ran
    ? Math.max(0, (scan.actualRows ?? 0) * (scan.loops ?? 1) - (node.actualRows ?? 0) * (node.loops ?? 1))
    : undefined;
  const details = node.details.map((condition) => `filter ${condition}`);
  return { ...node, label: scan.label, fullScan: true, removed, details, children: scan.children };
}

function sumOf(nodes: readonly PlanNode[]): number | undefined {
  const times = nodes.map(({ totalMs }) => totalMs).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : times.reduce((sum, time) => sum + time, 0);
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
