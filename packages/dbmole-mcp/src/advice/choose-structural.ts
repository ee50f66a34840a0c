import { flattenPlan, type PlanNode, type PlanTree } from '../plan/plan-tree.ts';
import type { Candidate } from './candidates.ts';
import type { Key, TableUse } from './resolve-shape.ts';

/** What a search in an index costs, and each row that it finds: in pages that are read in order. */
const searchCost = 2;
const rowCost = 1;
const pageBytes = 8_192;
/** Rows that are as much work as a page. */
const rowsPerPage = 100;

/** More of a table is read faster as a whole. Where the part is assumed, an interval still counts as small. */
const maxFraction = 0.12;

/** What a plan without the index says. */
interface ScanFacts {
  /** Undefined where there is no plan. */
  plan: PlanTree | undefined;
  hasStatistics: boolean;
}

/** The best index for each table that is read in full, as far as it can be known without costs. */
export function chooseStructural(
  uses: readonly TableUse[],
  candidates: readonly Candidate[],
  { plan, hasStatistics }: ScanFacts,
): Candidate[] {
  const nodes = plan === undefined ? undefined : flattenPlan(plan);
  const isScanned = (use: TableUse) => nodes?.find((node) => node.fullScan && matchesUse(node, use));
  return uses.flatMap((use) => {
    const scan = isScanned(use);
    // A plan that searches by a join and filters afterwards can be turned around.
    const isTurned =
      !hasStatistics &&
      hasFilter(use) &&
      use.joins.some(({ partner }) => uses.some((one) => one.alias === partner && isScanned(one)));
    if (nodes === undefined ? hasIndex(use) : scan === undefined && !isTurned) return [];
    const own = candidates.filter(({ table, included }) => table.id === use.table.id && included.length === 0);
    const estimate = hasStatistics && scan?.estimatedRows !== undefined ? scan.estimatedRows / use.table.rows : undefined;
    const best =
      chooseSearch(use, own, estimate) ??
      own.find((one) => isWorthJoining(one, countPartner(one, { use, uses, nodes, hasStatistics }))) ??
      chooseInverted(own);
    return best === undefined ? chooseArms(use, own) : [best];
  });
}

/** It has conditions with values, and no index that begins with one of them. */
function hasFilter({ table, equal }: TableUse): boolean {
  const columns = new Set(equal.map(({ column }) => column.label));
  return columns.size > 0 && !table.indexes.some(({ isOrdered, keys }) => isOrdered && columns.has(keys[0] ?? ''));
}

interface Around extends Pick<ScanFacts, 'hasStatistics'> {
  use: TableUse;
  uses: readonly TableUse[];
  nodes: readonly PlanNode[] | undefined;
}

/** Rows of the table on the other side of the join. */
function countPartner({ partner }: Candidate, { use, uses, nodes, hasStatistics }: Around): number | undefined {
  const other = uses.find(({ alias }) => alias === partner);
  const node = nodes?.find(({ table, alias }) => table !== undefined && (alias ?? table) === partner);
  const isKnown = hasStatistics && node !== undefined && !dependsOn(node, use);
  if (other === undefined || isKnown) return node?.estimatedRows;
  return [...other.equal, ...other.range].reduce((rows, { fraction }) => rows * fraction, other.table.rows);
}

/** It is searched once for each row of the other table, so that its rows are those of one search. */
function dependsOn({ details }: PlanNode, { alias }: TableUse): boolean {
  return details.some((detail) => [`(${alias}.`, ` ${alias}.`, `"${alias}".`].some((name) => detail.includes(name)));
}

/** A plan names a table by its alias, where it has one. */
export function matchesUse({ table, alias }: PlanNode, use: TableUse): boolean {
  if (table === undefined) return false;
  return [alias ?? table, table].includes(use.alias) || table === use.table.label;
}

/** Without a plan, an index on one of the columns counts as the one that is used. */
function hasIndex({ table, equal, joins }: TableUse): boolean {
  const columns = new Set([...equal, ...joins].map(({ column }) => column.label));
  return table.indexes.some(({ isOrdered, keys }) => isOrdered && columns.has(keys[0] ?? ''));
}

/**
 * Chooses by conditions with values, or by the order of a result of which only the beginning is needed. What the whole filter leaves is the
 * least that a search by some of its conditions finds.
 */
function chooseSearch(use: TableUse, candidates: readonly Candidate[], estimate = 0): Candidate | undefined {
  const own = candidates.filter(({ partner, kind, isArm }) => partner === undefined && kind === 'ordered' && !isArm);
  const [best] = own.toSorted((a, b) => a.fraction - b.fraction || a.keys.length - b.keys.length);
  if (best === undefined) return undefined;
  if (Math.max(estimate, best.fraction) <= maxFraction) return simplify(best, own);
  const isOrdered = use.hasLimit && use.order.length > 0 && use.joins.length === 0;
  return isOrdered ? own.find(({ keys }) => keys.includes(use.order[0]?.column.label ?? '')) : undefined;
}

/** A key after others that find a few rows is not worth its space. */
function simplify(best: Candidate, all: readonly Candidate[]): Candidate {
  const few = 20 / best.table.rows;
  const [smaller] = all
    .filter(({ keys, fraction }) => keys.length < best.keys.length && fraction <= few)
    .toSorted((a, b) => a.keys.length - b.keys.length);
  return smaller ?? best;
}

/** Searching it once for each row of the other side is less than reading it as a whole. */
function isWorthJoining({ table, partner, fraction, kind }: Candidate, partnerRows: number | undefined): boolean {
  if (partner === undefined || kind !== 'ordered' || partnerRows === undefined) return false;
  const searching = partnerRows * (searchCost + fraction * table.rows * rowCost);
  return searching < table.bytes / pageBytes + table.rows / rowsPerPage;
}

function chooseInverted(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.find(({ kind, fraction }) => kind === 'inverted' && fraction <= maxFraction);
}

/** An OR is searched by an index for each of its arms, or not at all. */
function chooseArms({ choices }: TableUse, candidates: readonly Candidate[]): Candidate[] {
  const choice = choices.find(({ fraction }) => fraction <= maxFraction);
  return choice === undefined
    ? []
    : candidates.filter(({ kind, keys }) => kind === 'ordered' && keys.length === 1 && choice.keys.some(hasKey(keys)));
}

function hasKey(keys: readonly string[]): (key: Key) => boolean {
  return ({ column: { label } }) => keys.some((key) => key === label || key.includes(`(${label}`) || key.startsWith(`${label} `));
}
