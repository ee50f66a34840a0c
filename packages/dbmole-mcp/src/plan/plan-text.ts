import { type MeasuredNode, measureNodes, type PlanTree } from './plan-tree.ts';
import { formatCount, formatMs, formatRowCount, formatVerdict, type Tables } from './plan-verdict.ts';

const detailLength = 160;
const maxNodes = 200;

/** The plan as a tree of few lines, and at the end what is slow, and why. */
export function formatPlan(tree: PlanTree, tables: Tables = new Map()): string {
  const nodes = measureNodes(tree);
  const rest = nodes.length - maxNodes;
  const lines = [
    ...nodes.slice(0, maxNodes).map(formatNode),
    ...(rest > 0 ? [`and ${rest} more nodes`] : []),
    ...tree.notes,
    ...formatVerdict({ tree, nodes, tables }),
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

function cut(text: string, room: number): string {
  const characters = [...text.replace(/\s+/gu, ' ')];
  return characters.length > room ? `${characters.slice(0, room).join('')}…` : characters.join('');
}
