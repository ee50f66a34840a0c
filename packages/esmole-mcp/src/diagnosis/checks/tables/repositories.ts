import { Failure, type Finding, formatStatement } from '@dbmole/core';
import { textAt, valueAt } from '../../../call/answer-failure.ts';
import { buildPath } from '../../../call/path.ts';
import type { CheckRun } from '../../check-run.ts';
import { listRows } from '../../read-facts.ts';
import { describeRefusal } from '../../refusal-text.ts';

/** Each is a request to another service, which may be far away. */
const maxRepositories = 4;
const maxMs = 600;
const maxReason = 160;

/** Repositories that cannot be read, and snapshots that failed. */
export async function checkRepositories(run: CheckRun): Promise<Finding[]> {
  if (run.index !== undefined || run.call.lease.backend.rules.indices !== undefined) return [];
  const rows = await run.readIfAllowed('Snapshot repositories', {
    path: '/_cat/repositories',
    params: { format: 'json', h: 'id' },
  });
  const names = listRows(rows).map(({ id }) => String(id));
  const found = await Promise.all(names.slice(0, maxRepositories).map((name) => within(maxMs, judge(run, name))));
  return found.flat();
}

/** Nothing is said of one that takes longer. */
async function within(ms: number, work: Promise<Finding[]>): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding[]>((resolve) => {
    timer = setTimeout(() => resolve([]), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function judge(run: CheckRun, name: string): Promise<Finding[]> {
  const path = buildPath('_snapshot', name, '*');
  try {
    const json = await run.read({ path, params: { verbose: false, ignore_unavailable: true } });
    const list = valueAt(json, ['snapshots']) ?? valueAt(listRows(valueAt(json, ['responses']))[0], ['snapshots']);
    return judgeLast(name, listRows(list).at(-1));
  } catch (error) {
    run.call.signal.throwIfAborted();
    if (!(error instanceof Failure) || error.kind !== 'engine' || describeRefusal(error, run.call.identity) !== undefined)
      return [];
    return [describeBroken(name, error.message)];
  }
}

function describeBroken(name: string, message: string): Finding {
  return {
    severity: 'high',
    weight: 1e6,
    evidence: `the snapshot repository ${name} cannot be read: ${formatStatement(message).slice(0, maxReason)}`,
    consequence: 'No snapshot can be taken there, nor restored from it.',
    next: `GET ${buildPath('_snapshot', name)} shows where it is; POST ${buildPath('_snapshot', name, '_verify')} tests it from every node.`,
  };
}

function judgeLast(repository: string, snapshot: unknown): Finding[] {
  const state = textAt(snapshot, ['state']) ?? '';
  if (state !== 'FAILED' && state !== 'PARTIAL') return [];
  const name = textAt(snapshot, ['snapshot']) ?? '';
  return [
    {
      severity: state === 'FAILED' ? 'high' : 'medium',
      weight: 1e5,
      evidence: `the last snapshot in the repository ${repository}, ${name}, is ${state}`,
      consequence: 'What it lacks cannot be restored from it.',
      next: `GET ${buildPath('_snapshot', repository, name)} shows which shards failed, and why; then take another.`,
    },
  ];
}
