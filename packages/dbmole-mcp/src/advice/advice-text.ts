import { type Finding, formatMilliseconds, formatStatement, joinFacts } from '@dbmole/core';
import { formatBytes } from '../catalog/schema-text.ts';
import { flattenPlan } from '../plan/plan-tree.ts';
import type { Advised } from './advised.ts';
import type { OpenAdvisor } from './advisor.ts';
import { type Candidate, identify, makesRedundant } from './candidates.ts';
import { matchesUse } from './choose-structural.ts';

/** Cost before and after from which an index is more than useful. */
const largeFactor = 5;
/** A scan of a table with this many rows is noticeable. */
const manyRows = 100_000;
/** The overhead of an index entry in bytes, without its values. */
const entryBytes = 16;

interface Gain {
  statement: Advised;
  before: number;
  after: number;
}

/** One index, and the statements that it serves. */
export function formatAdvice(open: OpenAdvisor, index: Candidate, statements: readonly Advised[]): Finding {
  const served = statements.filter(({ indexes }) => indexes.some((one) => identify(one) === identify(index)));
  const gains = served
    .flatMap((statement): Gain[] => {
      const { before, after } = statement;
      return before === undefined || after === undefined ? [] : [{ statement, before: before.cost, after: after.cost }];
    })
    .toSorted((a, b) => b.before - b.after - (a.before - a.after));
  const [best] = gains;
  const isLarge = best === undefined ? index.table.rows >= manyRows : best.before >= best.after * largeFactor;
  return {
    severity: isLarge ? 'medium' : 'low',
    weight: best === undefined ? index.table.rows : best.before - best.after,
    evidence: best === undefined ? formatScan(open, index, served) : formatGain(index, best),
    consequence: formatConsequence(open, index, { served, gains }),
    next: open.formatIndex(index),
  };
}

function formatIndexColumns({ table, keys, included, kind }: Candidate): string {
  const words = [`index on ${table.label} (${keys.join(', ')})`];
  if (included.length > 0) words.push(`with ${included.join(', ')} stored in it`);
  if (kind === 'inverted') words.unshift('GIN');
  return words.join(' ');
}

function formatGain(index: Candidate, { statement, before, after }: Gain): string {
  const others = statement.indexes
    .filter((one) => identify(one) !== identify(index))
    .map(({ table, keys }) => `${table.label} (${keys.join(', ')})`);
  const together = others.length === 0 ? '' : ` together with that on ${others.join(' and ')}`;
  return `${formatIndexColumns(index)}: statement ${statement.number} costs ${formatCost(before)} and would cost ${formatCost(after)} (${formatFactor(before, after)})${together}: ${formatStatement(statement.sql)}`;
}

function formatScan(open: OpenAdvisor, index: Candidate, [statement]: readonly Advised[]): string {
  const { table, keys } = index;
  const label = `index on ${table.label} (${keys.join(', ')})`;
  const nodes = statement?.before === undefined ? [] : flattenPlan(statement.before.tree);
  const use = statement?.uses.find((one) => one.table.id === table.id);
  const scan = use === undefined ? undefined : nodes.find((node) => node.fullScan && matchesUse(node, use));
  const kept = scan?.estimatedRows === undefined ? '' : ` and is expected to keep ${formatKept(open, index, scan.estimatedRows)}`;
  const what =
    scan === undefined
      ? `statement ${statement?.number} searches ${table.label} (about ${table.rows} rows) without an index`
      : `statement ${statement?.number} reads all of ${table.label} (${open.scanWord}, about ${table.rows} rows)${kept}`;
  return `${label}: ${what}: ${formatStatement(statement?.sql)}`;
}

/** Other conditions may leave less than the index finds. */
function formatKept({ hasStatistics }: OpenAdvisor, { table, fraction, kind }: Candidate, kept: number): string {
  const found = Math.round(fraction * table.rows);
  const rows = String(Math.round(kept));
  return hasStatistics && kind === 'ordered' && found > 2 * Math.max(kept, 1)
    ? `${rows} of about ${found} that the index finds`
    : rows;
}

function formatConsequence(
  open: OpenAdvisor,
  index: Candidate,
  { served, gains }: { served: readonly Advised[]; gains: readonly Gain[] },
): string {
  const { table } = index;
  const others = gains.slice(1).map(({ statement, before, after }) => `${statement.number} (${formatFactor(before, after)})`);
  const uncosted = gains.length > 0 ? [] : served.slice(1).map(({ number }) => String(number));
  const also = [...others, ...uncosted];
  const size = served.flatMap(({ after }) => [...(after?.sizes ?? [])]).find(([one]) => identify(one) === identify(index))?.[1];
  const existing = table.indexes.length;
  const redundant = table.indexes.filter((one) => makesRedundant(index, one)).map(({ label }) => label);
  const sentences = [
    ...(also.length === 0 ? [] : [`It also serves statement ${also.join(', ')}.`]),
    `About ${formatBytes(size ?? estimateSize(index))}. ${open.describeBuilding(index)}`,
    `Every write to ${table.label} maintains it${existing === 0 ? '' : `, in addition to its ${existing} ${existing === 1 ? 'index' : 'indexes'}`}.`,
    ...(redundant.length === 0 ? [] : [`It does all that ${redundant.join(', ')} does.`]),
  ];
  return sentences.join(' ');
}

function estimateSize({ table, keys, included }: Candidate): number {
  const columns = [...table.columns.values()];
  const width = [...keys, ...included].reduce(
    (sum, key) => sum + (columns.find(({ label }) => key === label || key.startsWith(`${label} `))?.width ?? 16),
    0,
  );
  return table.rows * (width + entryBytes);
}

/** The outcome for one statement. */
export function formatVerdict({ number, sql, slow, reason, before, after, indexes }: Advised): string {
  const time = slow === undefined ? '' : `${slow.calls} calls, mean ${formatMilliseconds(slow.meanMs)}`;
  const cost = before === undefined || after === undefined ? '' : `cost ${formatCost(before.cost)} -> ${formatCost(after.cost)}`;
  const verdict = indexes.length > 0 ? (cost === '' ? 'not costed' : cost) : `no advice: ${reason ?? 'nothing to index'}`;
  return `${number}: ${joinFacts(time, verdict)}: ${formatStatement(sql)}`;
}

function formatCost(cost: number): string {
  return cost < 100 ? String(Number(cost.toFixed(1))) : String(Math.round(cost));
}

function formatFactor(before: number, after: number): string {
  const factor = before / Math.max(after, 0.01);
  return `${factor < 10 ? Number(factor.toFixed(1)) : Math.round(factor)} times less`;
}
