import { respond, type ToolReply } from '@dbmole/core';
import { textAt, valueAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import { formatNames } from '../indices/name-pattern.ts';
import { isObject } from '../search/hit-table.ts';
import { type ClusterHealth, readHealth, unhealthyIndices } from './read-health.ts';

const namesShown = 10;
const problemsShown = 8;
const reasonsShown = 5;
const tasksShown = 5;
const maxTextLength = 240;

/** How the cluster is, in a sentence. */
export function formatStatus({ health, missing }: ClusterHealth, index: string | undefined): string {
  const number = (key: string) => (typeof health[key] === 'number' ? health[key] : 0);
  const unassigned = number('unassigned_shards');
  const active = number('active_shards');
  const total = active + unassigned + number('initializing_shards');
  const others = [
    [unassigned, 'unassigned'],
    [number('initializing_shards'), 'initializing'],
    [number('relocating_shards'), 'relocating'],
    [number('delayed_unassigned_shards'), 'waiting for their node'],
    [number('number_of_pending_tasks'), 'pending tasks'],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const nodes = number('number_of_nodes');
  const where = `${nodes} node${nodes === 1 ? '' : 's'}, ${number('number_of_data_nodes')} with data`;
  const scope = index === undefined ? '' : ' (these indices only)';
  const shards = `${active} of ${total} shards active${total > 0 && active < total ? ` (${((100 * active) / total).toFixed(1)} %)` : ''}`;
  return [
    `${quoteRemoteName(textAt(health, ['status']) ?? 'unknown')}${scope}: ${[where, shards, ...others].join(', ')}.`,
    ...missing,
  ].join(' ');
}

/** Lists the problems and their reasons in a few lines. */
export function formatProblems({ health, problems, pending }: ClusterHealth): string {
  const { red, yellow } = unhealthyIndices(problems.flatMap(({ shards }) => shards));
  const lines = [
    `cluster: ${textAt(health, ['cluster_name']) ?? 'without a name'}`,
    ...formatIndices('red', red),
    ...formatIndices('yellow', yellow),
    ...problems.slice(0, problemsShown).flatMap(formatProblem),
    ...(problems.length > problemsShown ? [`and ${problems.length - problemsShown} more kinds of missing shards`] : []),
    ...(pending.length === 0 ? [] : [`pending tasks (${pending.length}):`, ...pending.slice(0, tasksShown).map(formatTask)]),
  ];
  return lines.join('\n');
}

function formatIndices(health: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${health} (${names.length}): ${formatNames(names, namesShown)}`];
}

function formatProblem({ state, isPrimary, reason, shards, first, explanation }: ClusterHealth['problems'][number]): string[] {
  const kind = `${isPrimary ? 'primary' : 'replica'}${shards.length === 1 ? '' : isPrimary ? ' shards' : 's'}`;
  const since = first.since === undefined ? '' : ` since ${first.since}`;
  const head = `${shards.length} ${state} ${kind}, ${reason ?? 'no reason given'}${since}, such as ${first.index}[${first.shard}]`;
  const details = first.details === undefined ? [] : [`  ${short(first.details)}`];
  return [head, ...details, ...formatExplanation(explanation)];
}

/** Each reason once, with the number of nodes that give it. */
function formatExplanation(explanation: unknown): string[] {
  if (!isObject(explanation)) return [];
  const nodes = valueAt(explanation, ['node_allocation_decisions']);
  const reasons = new Map<string, number>();
  for (const node of Array.isArray(nodes) ? nodes : [])
    for (const reason of readReasons(node)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const lines = [...reasons]
    .slice(0, reasonsShown)
    .map(([reason, count]) => `  ${reason}${count === 1 ? '' : ` (${count} nodes)`}`);
  if (lines.length > 0) return lines;
  const general = textAt(explanation, ['allocate_explanation']) ?? textAt(explanation, ['explanation']);
  return general === undefined ? [] : [`  ${short(general)}`];
}

function readReasons(node: unknown): string[] {
  const deciders = valueAt(node, ['deciders']);
  const said = (Array.isArray(deciders) ? deciders : [])
    .filter((one) => textAt(one, ['decision']) !== 'YES')
    .map((one) => `${textAt(one, ['decider'])}: ${short(withoutIds(textAt(one, ['explanation']) ?? ''))}`);
  const store = textAt(node, ['store', 'store_exception', 'reason']);
  const isStale = valueAt(node, ['store', 'in_sync']) === false;
  return [...said, ...(store === undefined ? [] : [`store: ${short(store)}`]), ...(isStale ? ['store: its copy is stale'] : [])];
}

/** `[[index][0], node[…], [P], s[STARTED], a[id=…]]`: of one shard on one node, where we speak of all. */
function withoutIds(text: string): string {
  return text.replace(/ \[\[.*$/s, '');
}

function formatTask(task: unknown): string {
  const [source, waits] = [textAt(task, ['source']), textAt(task, ['time_in_queue'])];
  return `  ${short(source ?? 'without a name')} (${textAt(task, ['priority']) ?? '?'}${waits === undefined ? '' : `, waiting ${waits}`})`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= maxTextLength ? line : `${line.slice(0, maxTextLength)}…`;
}

export async function replyHealth(call: ClusterCall, index: string | undefined): Promise<ToolReply> {
  const health = await readHealth(call, index);
  return respond.text(formatProblems(health), { line: formatStatus(health, index) });
}
