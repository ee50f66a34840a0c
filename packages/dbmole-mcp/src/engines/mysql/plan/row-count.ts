import type { PlanNode, RowCount } from '../../../plan/plan-tree.ts';

/** They read all of their input before they give their first row. */
const blocking = /^(?:Sort|Hash$|Temporary table|Aggregate|(?:Union|Union all|Intersect|Except) materialize|Materialize)/;
/** Steps whose row count the engine does not estimate from statistics. */
const guesses = /^(?:Materialize (?:table function|recursive)|Repeat until|Scan new records)/;
const semijoin = /^Nested loop (?:semi|anti)join/;
const hashJoin = /^(?:Inner|Left) hash join|^Hash (?:semi|anti)join/;
const limitRows = /^Limit(?:\/Offset)?: (\d+)/;

/** Sets how complete the row counts of the nodes are; `above` is that of the step itself. */
export function withRowCounts<N extends PlanNode>(node: N, above: RowCount = 'complete'): N {
  const children = node.children.map((child, index) => withRowCounts(child, countInput(node, index, above)));
  return { ...node, children, rowCount: countRows(node, children, above) };
}

/** The estimates of joins and groups are made of constants where an index does not tell. */
function countRows({ label, table }: PlanNode, children: readonly PlanNode[], above: RowCount): RowCount {
  if (guesses.test(label)) return 'guess';
  // An index that is read in order is estimated with the LIMIT.
  if (above === 'partial' && /index scan/i.test(label)) return 'unknown';
  const isFilteredRead = label === 'Filter' && children.every((child) => child.table !== undefined);
  return table !== undefined || isFilteredRead ? above : 'unknown';
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

function hasFewerThanLimit({ label, loops, actualRows = 0 }: PlanNode): boolean {
  return loops === 1 && actualRows < Number(limitRows.exec(label)?.[1] ?? 0);
}
