import { explainScan, hasSubquery, type TableFacts } from './plan-scan.ts';
import { type MeasuredNode, measureNodes, type PlanNode, type PlanTree } from './plan-tree.ts';
import { findUnlikeScans, type UnlikeJoin } from './unlike-joins.ts';

const detailLength = 160;
const maxNodes = 200;

/** The plan as a tree of few lines, and at the end what is slow, and why. */
export function formatPlan(tree: PlanTree, tables: Tables = new Map(), joins: readonly UnlikeJoin[] = []): string {
  const nodes = measureNodes(tree);
  const rest = nodes.length - maxNodes;
  const lines = [
    ...nodes.slice(0, maxNodes).map(tree.hasNoFigures ? formatStep : formatNode),
    ...(rest > 0 ? [`and ${rest} more nodes`] : []),
    ...tree.notes,
    ...formatVerdict({ tree, nodes, tables, unlike: findUnlikeScans(nodes, joins) }),
  ];
  return lines.map((line) => line.replaceAll('⟦', '⟦U+27E6⟧').replaceAll('\n', ' ')).join('\n');
}

function formatStep({ depth, label }: MeasuredNode): string {
  return `${'  '.repeat(depth)}${label}`;
}

function formatNode(node: MeasuredNode): string {
  const details = node.details.map((detail) => cut(detail, detailLength));
  const facts = [
    formatRows(node),
    formatTime(node),
    ...details,
    formatRemoved(node),
    node.spilled === undefined ? '' : `disk: ${node.spilled}`,
  ];
  return `${'  '.repeat(node.depth)}${node.label}: ${facts.filter((fact) => fact !== '').join(', ')}`;
}

/** `rows 10->99000 x3`: estimated, got, and how often. */
function formatRows({ estimatedRows, actualRows, loops }: MeasuredNode): string {
  const estimate = estimatedRows === undefined ? '?' : formatCount(estimatedRows);
  if (loops === 0) return `rows ${estimate}->never run`;
  if (actualRows === undefined) return `rows ${estimate}`;
  return `rows ${estimate}->${formatCount(actualRows)}${loops !== undefined && loops > 1 ? ` x${formatCount(loops)}` : ''}`;
}

function formatTime({ totalMs, cost, share, loops }: MeasuredNode): string {
  const part = share >= 0.01 ? ` (own ${Math.round(share * 100)} %)` : '';
  if (totalMs !== undefined) return `${formatMs(totalMs)}${part}`;
  return loops === undefined && cost !== undefined ? `cost ${formatCount(cost)}${part}` : '';
}

function formatRemoved({ removed }: MeasuredNode): string {
  return removed === undefined || removed === 0 ? '' : `removed ${formatRowCount(removed)}`;
}

function cut(text: string, room: number): string {
  const characters = [...text.replace(/\s+/gu, ' ')];
  return characters.length > room ? `${characters.slice(0, room).join('')}…` : characters.join('');
}

/** The factor from which an estimate is worth a remark. */
const badFactor = 10;
const badRows = 100;

/** A full scan that throws this many rows away, and reads this many for one that it keeps. */
const wastedRows = 1_000;
const wastedFactor = 9;

const manyLoops = 1_000;
/** A step with a smaller share is not why a statement is slow. */
const minShare = 0.1;
/** A faster step is not slow. */
const minSlowMs = 50;
const maxRemarks = 4;

/** What is known of the tables of a plan, by their names in it. */
export type Tables = ReadonlyMap<string, TableFacts>;

interface Verdict {
  tree: PlanTree;
  nodes: readonly MeasuredNode[];
  tables: Tables;
  /** Scans in place of searches, because of the types of a join. */
  unlike: ReadonlyMap<PlanNode, UnlikeJoin>;
}

/** What is slow or costly, and why. Nothing for a plan that could not be much better. */
function formatVerdict(verdict: Verdict): string[] {
  const { tree, nodes } = verdict;
  const remarks = [...nodes].sort((a, b) => b.own - a.own).map((node) => ({ node, reasons: findReasons(node, verdict) }));
  const head = remarks.find((remark) => isWorst(remark, tree));
  const others = remarks.filter((remark) => remark !== head);
  const lines = others.flatMap(({ node, reasons }) => reasons.map((reason) => `${node.label} ${reason}`)).slice(0, maxRemarks);
  const word = head === undefined ? 'note' : 'also';
  return [
    ...(head === undefined ? [] : [formatHead(head, tree)]),
    ...lines.map((line) => `${word}: ${line}`),
    ...findNextSteps(
      remarks.flatMap(({ node, reasons }) => (reasons.length > 0 ? [node] : [])),
      verdict,
    ),
  ];
}

const spillAdvice =
  'next: select fewer rows and columns; an index in this order needs no sort; or raise work_mem (PostgreSQL), sort_buffer_size (MariaDB)';

const pairsAdvice =
  'next: compare the tables by an equality that an index or a hash can serve (MariaDB hashes from join_cache_level 4 on), or keep fewer rows of one side';
const searchesAdvice =
  'next: explain with analyze=true measures it; a condition that keeps fewer rows of the tables before it saves most of the searches';

/** The next calls: one line for each kind of reason. */
function findNextSteps(nodes: readonly MeasuredNode[], { tree, tables, unlike }: Verdict): string[] {
  const isOf = (describe: (node: MeasuredNode) => string | undefined) =>
    nodes.some((node) => node.share >= minShare && !unlike.has(node) && describe(node) !== undefined);
  const isExpected = tree.totalMs === undefined;
  const wasteful =
    isOf((node) => describeWaste(node, { tables, unlike })) || (isExpected && isOf((node) => describeRepeats(node, tables)));
  const misjudged = new Set(nodes.flatMap((node) => (node.table !== undefined && isBadEstimate(node) ? [node.table] : [])));
  const spilled = nodes.some((node) => node.spilled !== undefined);
  return [
    ...new Set(nodes.flatMap((node) => unlike.get(node)?.next ?? [])),
    ...(isExpected && nodes.some((node) => describePairs(node) !== undefined) ? [pairsAdvice] : []),
    ...(isExpected && nodes.some((node) => describeSearches(node) !== undefined) ? [searchesAdvice] : []),
    ...(wasteful ? ['next: diagnose with check=index_advice and this statement as sql looks for an index'] : []),
    ...(spilled ? [spillAdvice] : []),
    ...(misjudged.size === 0
      ? []
      : [`next: refresh the statistics of ${[...misjudged].join(', ')} with ANALYZE, and explain again`]),
  ];
}

interface Remark {
  node: MeasuredNode;
  reasons: readonly string[];
}

/** The cost of a step that has no cheaper alternative says nothing. */
function isWorst({ node, reasons }: Remark, { totalMs }: PlanTree): boolean {
  return totalMs === undefined ? reasons.length > 0 : node.own >= minSlowMs && node.share >= minShare;
}

function formatHead({ node, reasons }: Remark, { totalMs }: PlanTree): string {
  const head =
    totalMs === undefined
      ? `costly: ${node.label}${node.share < 0.01 ? '' : `, ${Math.round(node.share * 100)} % of the estimated cost`}`
      : `slow: ${node.label}, ${formatMs(node.own)} of ${formatMs(totalMs)}`;
  return reasons.length === 0 ? head : `${head}: ${reasons.join('; ')}`;
}

function findReasons(node: MeasuredNode, { tree: { totalMs }, tables, unlike }: Verdict): string[] {
  const isLarge = node.share >= minShare;
  const isSlow = isLarge && totalMs !== undefined && node.own >= minSlowMs;
  const reasons = [
    isLarge || unlike.has(node) ? describeWaste(node, { tables, unlike }) : undefined,
    ...(totalMs === undefined
      ? [isLarge ? describeRepeats(node, tables) : undefined, describePairs(node), describeSearches(node)]
      : []),
    describeEstimate(node),
    node.spilled === undefined ? undefined : `ran out of memory and went to disk (${node.spilled})`,
    isSlow && (node.loops ?? 0) >= manyLoops ? `runs ${formatCount(node.loops ?? 0)} times` : undefined,
    isSlow ? describeNestedLoop(node) : undefined,
  ];
  return reasons.filter((reason) => reason !== undefined);
}

/** Expected executions and rows, from which a repeated step is worth a remark. */
const manyReads = 1_000_000;
const manySearches = 100_000;

/** A scan that is expected to run once for each of many rows. */
function describeRepeats(
  { fullScan, table, repeats = 1, expectedReads, estimatedRows = 0 }: PlanNode,
  tables: Tables,
): string | undefined {
  const rows = expectedReads ?? (table === undefined ? undefined : tables.get(table)?.rows) ?? estimatedRows;
  if (!fullScan || repeats < manyLoops || repeats * rows < manyReads) return undefined;
  return `would read ${formatRowCount(rows)} about ${formatCount(repeats)} times, once for each row of what is joined with it`;
}

function describePairs({ pairs = 0 }: PlanNode): string | undefined {
  return pairs < manyReads ? undefined : `would compare about ${formatCount(pairs)} pairs of rows one by one`;
}

function describeSearches({ fullScan, table, repeats = 1, estimatedRows = 1 }: PlanNode): string | undefined {
  const isMany = repeats >= manySearches || (repeats >= manyLoops && repeats * estimatedRows >= manyReads);
  if (fullScan || table === undefined || !isMany) return undefined;
  return `would be searched about ${formatCount(repeats)} times, for ${formatRowCount(estimatedRows)} each`;
}

function describeNestedLoop({ label, children }: PlanNode): string | undefined {
  const loops = Math.max(0, ...children.map((child) => child.loops ?? 0));
  return /^nested loop/i.test(label) && loops >= manyLoops ? `repeats its inner side ${formatCount(loops)} times` : undefined;
}

/** Scans that read much for little; why needs the indexes of their tables. */
export function findWasteful(nodes: readonly PlanNode[]): PlanNode[] {
  return nodes.filter((node) => node.fullScan && node.filter !== undefined && countReads(node, undefined) !== undefined);
}

function describeWaste(node: MeasuredNode, { tables, unlike }: Pick<Verdict, 'tables' | 'unlike'>): string | undefined {
  const facts = node.table === undefined ? undefined : tables.get(node.table);
  const reads = countReads(node, facts);
  const join = unlike.get(node);
  if (reads === undefined || (join === undefined && !isWaste(node, reads))) return undefined;
  const { read, kept } = reads;
  const isFiltered = node.filter !== undefined && kept < read;
  const rows =
    node.actualRows === undefined
      ? `would read about ${formatRowCount(read)}${isFiltered ? ` for ${formatCount(kept)}` : ''}`
      : `reads ${formatRowCount(read)}${isFiltered ? ` and keeps ${formatCount(kept)}` : ''}`;
  return `${rows}: ${join?.reason ?? explainScan(node, facts)}`;
}

function isWaste(node: PlanNode, { read, kept }: { read: number; kept: number }): boolean {
  if (!node.fullScan || node.filter === undefined || hasSubquery(node.filter)) return false;
  return read - kept >= wastedRows && read >= kept * wastedFactor;
}

function countReads(node: PlanNode, facts: TableFacts | undefined): { read: number; kept: number } | undefined {
  const { actualRows, loops, removed = 0, estimatedRows, expectedReads } = node;
  if (actualRows !== undefined) {
    const kept = actualRows * (loops ?? 1);
    return { read: removed + kept, kept };
  }
  const read = expectedReads ?? facts?.rows;
  return estimatedRows === undefined ? undefined : { read: read ?? estimatedRows, kept: estimatedRows };
}

/** Only where a wrong estimate begins: those above follow from it. */
function isBadEstimate(node: PlanNode): boolean {
  return isFarOff(node) && !node.children.some(isFarOff) && node.rowCount !== 'guess' && !node.children.some(hasGuess);
}

function hasGuess({ rowCount, children }: PlanNode): boolean {
  return rowCount === 'guess' || rowCount === 'reads' || children.some(hasGuess);
}

/** What statistics estimated for each execution, and what it was. */
function compareRows({ estimatedRows, actualRows, rowCount, expectedReads, removed = 0, loops }: PlanNode) {
  if (actualRows === undefined || !loops) return undefined;
  const isOfReads = rowCount === 'reads';
  const estimated = isOfReads ? expectedReads : estimatedRows;
  return estimated === undefined
    ? undefined
    : { estimated, actual: isOfReads ? actualRows + removed / loops : actualRows, loops };
}

function isFarOff(node: PlanNode): boolean {
  const rows = compareRows(node);
  if (rows === undefined || node.rowCount === 'unknown' || hasSubquery(node.filter)) return false;
  const { estimated, actual, loops } = rows;
  // The engine gives the mean of several loops, often rounded to whole rows.
  const maxEntries = loops > 1 && Number.isInteger(actual) ? actual + 0.5 : actual;
  // Planners do not go below one row.
  if (estimated > actual)
    return (
      estimated > 1 &&
      node.rowCount !== 'partial' &&
      estimated * loops >= badRows &&
      estimated >= Math.max(maxEntries, 0.1) * badFactor
    );
  return actual * loops >= badRows && actual >= Math.max(estimated, 0.1) * badFactor;
}

function describeEstimate(node: MeasuredNode): string | undefined {
  const rows = isBadEstimate(node) ? compareRows(node) : undefined;
  if (rows === undefined) return undefined;
  const [low = 0, high = 0] = [rows.estimated, rows.actual].sort((a, b) => a - b);
  const verb = node.rowCount === 'reads' ? 'read' : 'had';
  return `was estimated at ${formatRowCount(rows.estimated)} and ${verb} ${formatCount(rows.actual)} (${formatCount(high / Math.max(low, 1))} times off): stale statistics, or a condition that is hard to estimate`;
}

function formatCount(count: number): string {
  return count !== 0 && Math.abs(count) < 10 ? String(Number(count.toFixed(1))) : String(Math.round(count));
}

function formatRowCount(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`;
}

function formatMs(ms: number): string {
  return `${ms < 10 ? Number(ms.toFixed(2)) : Math.round(ms)} ms`;
}
