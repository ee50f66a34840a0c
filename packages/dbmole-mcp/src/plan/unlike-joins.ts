import type { PlanNode } from './plan-tree.ts';

/** A comparison of two columns that an index on one of them does not serve, because they are of different types or collations. */
export interface UnlikeJoin {
  /** The column with the index: its table as the plan calls it. */
  alias: string;
  other: string;
  /** Which columns, which types, and the index that does not serve. */
  reason: string;
  /** How to write it, or which types to give the columns. */
  next: string;
}

/** A smaller table is read in no time. */
const minReads = 1_000;
/** Rows read for each row of the other side, from which searching an index would be better. */
const minFactor = 9;

/** The scans that would be searches if both columns of a join had one type. */
export function findUnlikeScans<N extends PlanNode>(nodes: readonly N[], joins: readonly UnlikeJoin[]): Map<N, UnlikeJoin> {
  const buffered = new Set(nodes.filter(({ pairs }) => pairs !== undefined).flatMap(({ children }) => children.map(readName)));
  const found = new Map<N, UnlikeJoin>();
  for (const join of joins) {
    const scan = nodes.find((node) => node.fullScan && readName(node) === join.alias);
    const rows = countRows(nodes, join.other);
    if (scan === undefined || rows === undefined || countReads(scan) < minReads) continue;
    if (buffered.has(join.alias) || countReads(scan) >= rows * minFactor) found.set(scan, join);
  }
  return found;
}

function readName({ alias, table }: PlanNode): string | undefined {
  return alias ?? table;
}

/** All rows that a table contributes, after its own conditions. A table of which one row was read while planning is in no node. */
function countRows(nodes: readonly PlanNode[], alias: string): number | undefined {
  const own = nodes.filter((node) => readName(node) === alias || isFilterOver(node, alias)).map(countAll);
  return own.includes(undefined) ? undefined : Math.min(...own.map((rows) => rows ?? 0), ...(own.length === 0 ? [1] : []));
}

function isFilterOver({ label, children }: PlanNode, alias: string): boolean {
  const [only, second] = children;
  return label === 'Filter' && only !== undefined && second === undefined && readName(only) === alias;
}

function countAll({ actualRows, loops, estimatedRows, repeats = 1 }: PlanNode): number | undefined {
  if (actualRows !== undefined) return actualRows * (loops ?? 1);
  return estimatedRows === undefined ? undefined : estimatedRows * repeats;
}

function countReads(node: PlanNode): number {
  const { actualRows, loops = 1, removed = 0, expectedReads, estimatedRows = 0 } = node;
  return actualRows === undefined ? (expectedReads ?? estimatedRows) : actualRows * loops + removed;
}
