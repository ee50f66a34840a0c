import { type CheckReport, type Finding, formatSeconds, type Severity } from '@dbmole/core';
import { textAt, valueAt } from '../../call/answer-failure.ts';
import { formatTask } from '../../health/health-findings.ts';
import { formatNames, formatTarget } from '../../indices/name-pattern.ts';
import type { CheckRun } from '../check-run.ts';
import { type ClusterSettings, readClusterSettings } from '../cluster-settings.ts';
import type { CheckScope } from '../diagnosis.ts';
import { figureAt, type IndexSettings, listRows, readIndexSettings } from '../read-facts.ts';

/** What counts of the tasks that wait for the master. */
const waiting = { medium: { seconds: 10, tasks: 50 }, high: { seconds: 60, tasks: 1_000 } };
const maxNames = 5;

interface Block {
  severity: Severity;
  evidence: string;
  consequence: string;
  /** What comes before the request that removes it. */
  first?: string;
}

const blocks: Readonly<Record<string, Block>> = {
  read_only_allow_delete: {
    severity: 'high',
    evidence: 'only read and delete',
    consequence:
      'Writes fail. The cluster sets this when a disk passes the flood-stage watermark, and removes it when there is space again.',
    first: 'diagnose check=settings shows the disks; ',
  },
  read_only: { severity: 'medium', evidence: 'read-only', consequence: 'Writes and changes of mappings and settings fail.' },
  read: { severity: 'medium', evidence: 'closed to reads', consequence: 'Searches fail.' },
  metadata: {
    severity: 'medium',
    evidence: 'closed to metadata',
    consequence: 'Their mappings and settings cannot be read or changed.',
  },
  write: {
    severity: 'low',
    evidence: 'closed to writes',
    consequence: 'Writes fail. It may be intended, if nothing should change there.',
  },
};

export async function checkLocks(run: CheckRun, { limit }: CheckScope): Promise<CheckReport> {
  const [settings, cluster, pending, hidden] = await Promise.all([
    readIndexSettings(run),
    readClusterSettings(run),
    run.readIfAllowed('Pending tasks', { path: '/_cluster/pending_tasks' }),
    run.describeHidden('view_index_metadata'),
  ]);
  const tasks = listRows(valueAt(pending, ['tasks']));
  return {
    findings: [...judgeCluster(cluster), ...judgeBlocks(settings), ...judgeClosed(settings), ...judgePending(tasks)],
    listing: tasks
      .slice(0, limit)
      .map((task) => `pending: ${mentionsHidden(run, task) ? 'on hidden indices' : formatTask(task)}`),
    hidden,
    notes: tasks.length > limit ? [`${tasks.length - limit} more tasks wait and are not listed.`] : [],
  };
}

function mentionsHidden({ mayName }: CheckRun, task: unknown): boolean {
  const names = (textAt(task, ['source']) ?? '').split(/[[\],\s]/).filter((word) => word.startsWith('.'));
  return names.some((name) => !mayName(name));
}

function judgeCluster(cluster: ClusterSettings | undefined): Finding[] {
  return ['cluster.blocks.read_only', 'cluster.blocks.read_only_allow_delete'].flatMap((name) => {
    if (cluster?.values.get(name) !== 'true') return [];
    return [
      {
        severity: 'high' as const,
        weight: 1e9,
        evidence: `${name} is set: the whole cluster is read-only`,
        consequence: 'Every write, and every change of an index, fails.',
        // OpenSearch takes nothing beside the setting that removes the block.
        next: `PUT /_cluster/settings {"${cluster.given.findLast(([one]) => one === name)?.[2] ?? 'persistent'}":{"${name}":null}}`,
      },
    ];
  });
}

/** What policies and snapshots block is meant that way. */
function isMeant(settings: Readonly<Record<string, unknown>>): boolean {
  return settings['index.lifecycle.name'] !== undefined || settings['index.store.type'] === 'snapshot';
}

function judgeBlocks(all: IndexSettings): Finding[] {
  return Object.entries(blocks).flatMap(([kind, { severity, evidence, consequence, first = '' }]) => {
    const name = `index.blocks.${kind}`;
    const names = [...all]
      .filter(([, settings]) => settings[name] === 'true' && !(kind === 'write' && isMeant(settings)))
      .map(([index]) => index);
    if (names.length === 0) return [];
    return [
      {
        severity,
        weight: names.length,
        evidence: `${formatCount(names)} ${evidence} (${name}): ${formatNames(names, maxNames)}`,
        consequence,
        next: `${first}PUT /${formatTarget(names)}/_settings {"${name}":null} removes it.`,
      },
    ];
  });
}

function judgeClosed(all: IndexSettings): Finding[] {
  const names = [...all].filter(([, settings]) => settings['index.verified_before_close'] === 'true').map(([index]) => index);
  if (names.length === 0) return [];
  return [
    {
      severity: 'low',
      weight: 0,
      evidence: `${formatCount(names)} closed: ${formatNames(names, maxNames)}`,
      consequence: 'They can be neither read nor written, yet keep their disk and their shards.',
      next: `POST /${formatTarget(names)}/_open opens what is needed; delete what is not.`,
    },
  ];
}

function formatCount(names: readonly string[]): string {
  return names.length === 1 ? '1 index is' : `${names.length} indices are`;
}

export function judgePending(tasks: readonly unknown[]): Finding[] {
  const oldest = Math.max(0, ...tasks.map((task) => figureAt(task, 'time_in_queue_millis'))) / 1_000;
  const passes = ({ seconds, tasks: count }: { seconds: number; tasks: number }) => oldest >= seconds || tasks.length >= count;
  if (!passes(waiting.medium)) return [];
  return [
    {
      severity: passes(waiting.high) ? 'high' : 'medium',
      weight: oldest,
      evidence: `${tasks.length} ${tasks.length === 1 ? 'task waits' : 'tasks wait'} for the master, the oldest for ${formatSeconds(oldest)}`,
      consequence: 'New indices, fields and shards wait behind them, and writes that need them fail after 30 s.',
      next: 'GET /_cat/pending_tasks?v=true shows what they have in common; fewer indices and fewer new fields make fewer of them.',
    },
  ];
}
