/**
 * What `actualRows` says about the estimate. `complete`: the step ran to its end. `partial`: it may have been stopped before, so it has at
 * least these rows. `unknown`: the engine counts something else here. `guess`: the estimate is a constant of the planner, so that neither it
 * nor the estimates above it say anything about statistics. `reads`: the step ran to its end, but what its filter keeps is such a guess; only
 * `expectedReads` comes from statistics.
 */
export type RowCount = 'complete' | 'partial' | 'unknown' | 'guess' | 'reads';

/** One step of a plan, in no engine's words but those of its label and details. */
export interface PlanNode {
  /** What it does and on what: `Seq Scan on orders`. */
  label: string;
  /** Rows of each execution. */
  estimatedRows: number | undefined;
  /** Undefined where the statement was not run; so are the four that follow. */
  actualRows: number | undefined;
  /** How often it ran; 0: never. */
  loops: number | undefined;
  /** All runs together, with what is below it. */
  totalMs: number | undefined;
  /** Rows it read in all runs and threw away. */
  removed: number | undefined;
  /** What it wrote to disk for lack of memory: `sort 120 MB`. */
  spilled: string | undefined;
  /** The cost in the engine's own unit, including children. */
  cost: number | undefined;
  /** Reads the table, or an index of it, from end to end. */
  fullScan: boolean;
  /** The table that it reads; undefined for all that is not a table of the catalog. */
  table: string | undefined;
  /** Of that table, where the plan says so. */
  schema?: string | undefined;
  /** The name that its columns are qualified with. */
  alias: string | undefined;
  /** What its rows have to meet, as the engine writes it. */
  filter: string | undefined;
  /** Rows that it was expected to read, of which the filter leaves `estimatedRows`; undefined where the engine does not say. */
  expectedReads: number | undefined;
  rowCount: RowCount;
  /** How often the engine expects to run it; undefined: once, or not known. */
  repeats?: number | undefined;
  /** Rows of two inputs that it expects to compare one by one, each with each; undefined for what joins in another way. */
  pairs?: number | undefined;
  /** Conditions and keys. */
  details: readonly string[];
  children: readonly PlanNode[];
}

export interface PlanTree {
  roots: readonly PlanNode[];
  /** The time of the whole statement; undefined when it was not run. */
  totalMs: number | undefined;
  /** Said once, below the tree. */
  notes: readonly string[];
  /** The engine says which steps there are, and nothing of their rows and costs. */
  hasNoFigures?: boolean;
}

/** A node with the figures that depend on the other nodes. */
export interface MeasuredNode extends PlanNode {
  depth: number;
  /** Without what is below it, in milliseconds, or in cost when it was not run. */
  own: number;
  /** 0 to 1, of the whole. */
  share: number;
}

export function flattenPlan({ roots }: PlanTree): PlanNode[] {
  return roots.flatMap((root) => [root, ...flattenPlan({ roots: root.children, totalMs: undefined, notes: [] })]);
}

/** All nodes in the order in which they are shown. */
export function measureNodes(tree: PlanTree): MeasuredNode[] {
  // A step that is done while planning has no time, also where the statement ran.
  const ran = tree.totalMs !== undefined || tree.roots.some(hasTime);
  const computeWeight = ({ totalMs, cost }: PlanNode) => (ran ? totalMs : cost) ?? 0;
  const nodes = tree.roots.flatMap((root) => flatten(root, 0, computeWeight));
  const whole = nodes.reduce((sum, { own }) => sum + own, 0);
  return nodes.map((node) => ({ ...node, share: whole === 0 ? 0 : node.own / whole }));
}

function hasTime({ totalMs, children }: PlanNode): boolean {
  return totalMs !== undefined || children.some(hasTime);
}

function flatten(node: PlanNode, depth: number, computeWeight: (node: PlanNode) => number): MeasuredNode[] {
  const below = node.children.reduce((sum, child) => sum + computeWeight(child), 0);
  const own = Math.max(0, computeWeight(node) - below);
  return [{ ...node, depth, own, share: 0 }, ...node.children.flatMap((child) => flatten(child, depth + 1, computeWeight))];
}
