import { formatFindings, respond, type ToolReply } from '@dbmole/core';
import { textAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import { formatNames } from '../indices/name-pattern.ts';
import { formatTask, reportHealth } from './health-findings.ts';
import { type ClusterHealth, readHealth, unhealthyIndices } from './read-health.ts';

const namesShown = 10;
const problemsShown = 8;
const tasksShown = 5;

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

/** The indices that miss something, the findings worst first, and the tasks that wait. */
export function formatProblems(found: ClusterHealth): string {
  const { health, problems, pending } = found;
  const { red, yellow } = unhealthyIndices(problems.flatMap(({ shards }) => shards));
  const { findings } = reportHealth({ ...found, problems: problems.slice(0, problemsShown) });
  const lines = [
    `cluster: ${textAt(health, ['cluster_name']) ?? 'without a name'}`,
    ...formatIndices('red', red),
    ...formatIndices('yellow', yellow),
    ...formatFindings(findings),
    ...(problems.length > problemsShown ? [`and ${problems.length - problemsShown} more kinds of missing shards`] : []),
    ...(pending.length === 0
      ? []
      : [`pending tasks (${pending.length}):`, ...pending.slice(0, tasksShown).map((task) => `  ${formatTask(task)}`)]),
  ];
  return lines.join('\n');
}

function formatIndices(health: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${health} (${names.length}): ${formatNames(names, namesShown)}`];
}

export async function replyHealth(call: ClusterCall, index: string | undefined): Promise<ToolReply> {
  const health = await readHealth(call, index);
  return respond.text(formatProblems(health), { line: formatStatus(health, index) });
}
