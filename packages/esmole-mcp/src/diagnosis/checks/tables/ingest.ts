import { Failure, type Finding, formatShare } from '@dbmole/core';
import { valueAt } from '../../../call/answer-failure.ts';
import { formatNames, formatTarget } from '../../../indices/name-pattern.ts';
import type { CheckRun } from '../../check-run.ts';
import { figureAt, type IndexSettings, listEntries } from '../../read-facts.ts';

const maxNames = 5;
/** Documents that a pipeline failed on, from which on they are no accident, and their share. */
const failing = { minCount: 10, share: 0.01, largeShare: 0.1 };
const pipelineSettings = ['index.default_pipeline', 'index.final_pipeline'];

/** Pipelines that do not exist, or fail. They belong to the whole cluster. */
export async function checkIngest(run: CheckRun, settings: IndexSettings): Promise<Finding[]> {
  if (run.call.lease.backend.rules.indices !== undefined) return [];
  const wanted = listWanted(settings);
  const filter = ['count', 'failed'].map((name) => `nodes.*.ingest.pipelines.*.${name}`).join(',');
  const [known, stats] = await Promise.all([
    wanted.size === 0 ? undefined : readPipelines(run),
    run.index === undefined
      ? run.readIfAllowed('Failures of pipelines', { path: '/_nodes/stats/ingest', params: { filter_path: filter } })
      : undefined,
  ]);
  const names = new Set(listEntries(known).map(([name]) => name));
  return [
    ...(known === undefined ? [] : [...wanted].filter(([key]) => !names.has(readName(key))).map(describeMissing)),
    ...judgeFailures(stats),
  ];
}

/** Undefined where they may not be seen. A cluster without any pipeline answers 404. */
async function readPipelines(run: CheckRun): Promise<unknown> {
  try {
    return await run.read({ path: '/_ingest/pipeline' });
  } catch (error) {
    run.call.signal.throwIfAborted();
    return error instanceof Failure && error.engineCode === '404' ? {} : undefined;
  }
}

/** The indices by setting and pipeline. */
function listWanted(all: IndexSettings): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  for (const [index, settings] of all) {
    for (const setting of pipelineSettings) {
      const pipeline = settings[setting];
      if (typeof pipeline !== 'string' || pipeline === '_none') continue;
      const key = `${setting} ${pipeline}`;
      wanted.set(key, [...(wanted.get(key) ?? []), index]);
    }
  }
  return wanted;
}

function readName(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

function describeMissing([key, indices]: readonly [string, readonly string[]]): Finding {
  const setting = key.slice(0, key.indexOf(' '));
  return {
    severity: 'high',
    weight: 1e6 + indices.length,
    evidence: `${setting} is ${readName(key)} for ${formatNames(indices, maxNames)}, and there is no such pipeline`,
    consequence: 'Every write to them fails.',
    next: `Create the pipeline again, or PUT /${formatTarget(indices)}/_settings {"${setting}":null}`,
  };
}

function judgeFailures(stats: unknown): Finding[] {
  const sums = new Map<string, { count: number; failed: number }>();
  for (const [, node] of listEntries(valueAt(stats, ['nodes']))) {
    for (const [name, one] of listEntries(valueAt(node, ['ingest', 'pipelines']))) {
      const { count = 0, failed = 0 } = sums.get(name) ?? {};
      sums.set(name, { count: count + figureAt(one, 'count'), failed: failed + figureAt(one, 'failed') });
    }
  }
  return [...sums].flatMap(([name, { count, failed }]): Finding[] => {
    const share = failed / Math.max(1, count);
    if (failed < failing.minCount || share < failing.share) return [];
    return [
      {
        severity: share >= failing.largeShare ? 'medium' : 'low',
        weight: failed,
        evidence: `the ingest pipeline ${name} failed for ${failed} of ${count} documents (${formatShare(share)}) since its nodes started`,
        consequence: 'They are missing, unless the client sent them again or the pipeline handles its failures.',
        next: `GET /_ingest/pipeline/${encodeURIComponent(name)} shows its processors; POST /_ingest/pipeline/${encodeURIComponent(name)}/_simulate runs it on such a document.`,
      },
    ];
  });
}
