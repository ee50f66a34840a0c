import { type CheckReport, CutString, type Finding, formatSeconds, formatStatement } from '@dbmole/core';
import { textAt, valueAt } from '../../call/answer-failure.ts';
import type { CheckRun } from '../check-run.ts';
import type { CheckScope } from '../diagnosis.ts';
import { figureAt, listEntries, listRows, readFigure } from '../read-facts.ts';

/** Seconds from which a task is a finding, and a serious one. Rewriting an index takes hours where nothing is wrong. */
const longSeconds = { read: 10, write: 60, rewrite: 3_600 };
const alarmingSeconds = { read: 300, write: 600, rewrite: 86_400 };
/** The share of a queue that waits. */
const queueShares = { medium: 0.5, high: 0.9 };

const actions = 'indices:data/read/*,indices:data/write/*,indices:admin/*,cluster:admin/snapshot/*';
/** These run as long as what they belong to, whatever their age. */
const endless = /^indices:data\/read\/xpack\/ccr\/|\[c\]$/;
const rewriting =
  /^indices:data\/write\/(?:reindex|update\/byquery|delete\/byquery)|^indices:admin\/(?:forcemerge|resize|shrink)|^cluster:admin\/snapshot/;

type Kind = keyof typeof longSeconds;

interface TaskFacts {
  id: string;
  label: string;
  kind: Kind;
  seconds: number;
  what: string;
  isCancellable: boolean;
}

export async function checkActivity(run: CheckRun, { limit }: CheckScope): Promise<CheckReport> {
  const [json, pools] = await Promise.all([
    run.read({
      path: '/_tasks',
      params: { detailed: true, group_by: 'parents', actions, filter_path: '-tasks.*.children.children' },
    }),
    run.readIfAllowed('Thread pools', {
      path: '/_cat/thread_pool',
      params: { format: 'json', h: 'node_name,name,queue,queue_size,rejected' },
    }),
  ]);
  const tasks = listEntries(valueAt(json, ['tasks']))
    .map(([id, task]) => readTask(run, id, task))
    .filter((task) => task !== undefined)
    .toSorted((a, b) => b.seconds - a.seconds);
  return {
    findings: [...tasks.flatMap(judgeTask), ...listRows(pools).flatMap(judgePool)],
    listing: tasks.slice(0, limit).map(({ label, what, seconds }) => `${label}, ${formatSeconds(seconds)}: ${what}`),
    notes: tasks.length > limit ? [`${tasks.length - limit} younger tasks are not listed.`] : [],
  };
}

function readTask(run: CheckRun, id: string, task: unknown): TaskFacts | undefined {
  const action = textAt(task, ['action']) ?? '';
  if (endless.test(action)) return undefined;
  const client = textAt(task, ['headers', 'X-Opaque-Id']);
  return {
    id,
    label: `task ${id} (${action.replace(/^(?:indices|cluster):(?:data|admin)\//, '')}${client === undefined ? '' : ` of ${client}`})`,
    kind: rewriting.test(action) ? 'rewrite' : action.includes('/write/') ? 'write' : 'read',
    seconds: figureAt(task, 'running_time_in_nanos') / 1e9,
    what: describeWork(run, readDescription(task)),
    isCancellable: valueAt(task, ['cancellable']) === true,
  };
}

/** Several searches at once are described by their parts: the oldest is the one that takes long. */
function readDescription(task: unknown): string {
  const own = readStart(valueAt(task, ['description']));
  if (own !== '') return own;
  const parts = listRows(valueAt(task, ['children']));
  const [oldest] = parts.toSorted((a, b) => figureAt(b, 'running_time_in_nanos') - figureAt(a, 'running_time_in_nanos'));
  return readStart(valueAt(oldest, ['description']));
}

/** A long text, of which only the start was kept. */
function readStart(text: unknown): string {
  return text instanceof CutString ? text.text : typeof text === 'string' ? text : '';
}

/** The description of a task names its indices first; what else it holds is a query. */
function describeWork({ mayName }: CheckRun, text: string): string {
  const description = text.replace(/^,/, '');
  const [, list] = /^(?:requests\[\d+\][:,] )?indices\[([^\]]*)\]/.exec(description) ?? [];
  const isHidden =
    list === undefined
      ? /(?:^|[^\w*-])\.[a-z]/.test(description)
      : list !== '' && !list.split(',').every((name) => mayName(name.trim()));
  if (isHidden) return 'on hidden indices';
  return formatStatement(description.replace(', types[]', '').replace(/, search_type\[\w*\]/, ''));
}

function judgeTask({ id, label, kind, seconds, what, isCancellable }: TaskFacts): Finding[] {
  if (seconds < longSeconds[kind]) return [];
  const isAlarming = seconds >= alarmingSeconds[kind];
  const stop = isCancellable ? `; a person can stop it: POST /_tasks/${id}/_cancel` : '';
  return [
    {
      severity: kind === 'rewrite' ? (isAlarming ? 'medium' : 'low') : isAlarming ? 'high' : 'medium',
      weight: seconds,
      evidence: `${label} has been running for ${formatSeconds(seconds)}: ${what}`,
      consequence:
        kind === 'read'
          ? 'It keeps search threads and heap of every node that it asks, and other searches queue behind it.'
          : 'It takes threads and disk of the nodes for as long as it runs.',
      next: `GET /_tasks/${id} shows all of it${stop}.`,
    },
  ];
}

function judgePool(row: Record<string, unknown>): Finding[] {
  const [queue, size, rejected] = [readFigure(row.queue), readFigure(row.queue_size), readFigure(row.rejected)];
  const label = `the thread pool ${row.name} of node ${row.node_name}`;
  const isFull = size > 0 && queue >= queueShares.medium * size;
  if (!isFull && rejected === 0) return [];
  return [
    {
      severity: isFull ? (queue >= queueShares.high * size ? 'high' : 'medium') : 'low',
      weight: isFull ? queue : 0,
      evidence: isFull
        ? `${label} has ${queue} of ${size} places of its queue taken`
        : `${label} has rejected ${rejected} requests since the node started`,
      consequence: isFull ? 'When the queue is full, further requests fail with status 429.' : 'They failed with status 429.',
      next: 'diagnose check=slow_queries shows which indices take the time; GET /_nodes/hot_threads shows what runs now.',
    },
  ];
}
