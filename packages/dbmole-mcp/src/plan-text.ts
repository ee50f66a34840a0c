import { type MeasuredNode, measureNodes, type PlanNode, type PlanTree } from './plan-tree.ts';

const detailLength = 160;
const mostNodes = 200;

/** From here on an estimate is worth a word. */
const badFactor = 10;
const badRows = 100;

/** A full scan that throws this many rows away, and this many for one that it keeps. */
const wastedRows = 1_000;
const wastedFactor = 10;

const manyLoops = 1_000;
/** What takes less of the whole is not why a statement is slow. */
const worthShare = 0.1;

/** The plan as a tree of few lines, and at the end what is slow, and why. */
export function formatPlan(tree: PlanTree): string {
  const nodes = measureNodes(tree);
  const rest = nodes.length - mostNodes;
  const lines = [
    ...nodes.slice(0, mostNodes).map(formatNode),
    ...(rest > 0 ? [`and ${rest} more nodes`] : []),
    ...tree.notes,
    ...formatVerdict(tree, nodes),
  ];
  return lines.map((line) => line.replaceAll('⟦', '⟦U+27E6⟧').replaceAll('\n', ' ')).join('\n');
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

function formatVerdict({ totalMs }: PlanTree, nodes: readonly MeasuredNode[]): string[] {
  const [worst] = [...nodes].sort((a, b) => b.own - a.own);
  if (worst === undefined || worst.own === 0) return [];
  const head =
    totalMs === undefined
      ? `costly: ${worst.label}, ${Math.round(worst.share * 100)} % of the estimated cost`
      : `slow: ${worst.label}, ${formatMs(worst.own)} of ${formatMs(totalMs)}`;
  const others = nodes.filter(
    (node) => node !== worst && (node.share >= worthShare || isBadEstimate(node) || node.spilled !== undefined),
  );
  const reasons = reasonsOf(worst);
  const more = others.flatMap((node) => reasonsOf(node).map((reason) => `${node.label} ${reason}`)).slice(0, 4);
  return [`${head}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}`, ...more.map((line) => `also: ${line}`)];
}

function reasonsOf(node: MeasuredNode): string[] {
  return [wasteOf(node), estimateOf(node), spillOf(node), loopsOf(node)].filter((reason) => reason !== undefined);
}

function wasteOf({ fullScan, removed = 0, actualRows, loops, estimatedRows }: MeasuredNode): string | undefined {
  if (!fullScan) return undefined;
  if (actualRows === undefined)
    return `reads the whole table${estimatedRows === undefined ? '' : `, for ${formatRowCount(estimatedRows)}`}`;
  const kept = actualRows * (loops ?? 1);
  if (removed < wastedRows || removed < kept * wastedFactor) return undefined;
  return `reads ${formatRowCount(removed + kept)} and keeps ${formatCount(kept)}: no index serves its filter`;
}

/** Only where a wrong estimate begins: those above follow from it. */
function isBadEstimate(node: PlanNode): boolean {
  return isFarOff(node) && !node.children.some(isFarOff);
}

function isFarOff({ estimatedRows, actualRows, loops }: PlanNode): boolean {
  if (estimatedRows === undefined || actualRows === undefined || !loops) return false;
  const [low, high] = estimatedRows < actualRows ? [estimatedRows, actualRows] : [actualRows, estimatedRows];
  return high * loops >= badRows && high >= Math.max(low, 0.1) * badFactor;
}

function estimateOf(node: MeasuredNode): string | undefined {
  if (!isBadEstimate(node)) return undefined;
  const { estimatedRows = 0, actualRows = 0 } = node;
  const [low, high] = estimatedRows < actualRows ? [estimatedRows, actualRows] : [actualRows, estimatedRows];
  return `was estimated at ${formatRowCount(estimatedRows)} and had ${formatCount(actualRows)} (${formatCount(high / Math.max(low, 1))} times off): old statistics, or a condition the planner knows little about`;
}

function spillOf({ spilled }: MeasuredNode): string | undefined {
  return spilled === undefined ? undefined : `ran out of memory and went to disk (${spilled})`;
}

function loopsOf({ loops, share }: MeasuredNode): string | undefined {
  return loops !== undefined && loops >= manyLoops && share >= worthShare ? `runs ${formatCount(loops)} times` : undefined;
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

function cut(text: string, room: number): string {
  const characters = [...text.replace(/\s+/gu, ' ')];
  return characters.length > room ? `${characters.slice(0, room).join('')}…` : characters.join('');
}
