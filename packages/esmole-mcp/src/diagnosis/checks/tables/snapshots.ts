import { type Finding, formatSeconds, formatStatement } from '@dbmole/core';
import { textAt } from '../../../call/answer-failure.ts';
import type { CheckRun } from '../../check-run.ts';
import { figureAt, listEntries } from '../../read-facts.ts';

const maxReason = 160;

/** Policies of Elasticsearch that take snapshots, which cover the whole cluster. */
export async function checkSnapshots(run: CheckRun): Promise<Finding[]> {
  if (run.index !== undefined || run.call.identity.product === 'opensearch') return [];
  const [policies, status] = await Promise.all([
    run.readIfAllowed('Failed snapshots', { path: '/_slm/policy' }),
    run.readIfAllowed('Whether snapshots are taken', { path: '/_slm/status' }),
  ]);
  const all = listEntries(policies);
  const mode = textAt(status, ['operation_mode']);
  return [...all.flatMap(([name, one]) => judgePolicy(name, one)), ...(all.length > 0 ? judgeStatus(mode) : [])];
}

function judgePolicy(name: string, policy: unknown): Finding[] {
  const [failure, success] = [figureAt(policy, 'last_failure', 'time'), figureAt(policy, 'last_success', 'time')];
  if (failure === 0 || success > failure) return [];
  const reason = formatStatement(textAt(policy, ['last_failure', 'details']) ?? '').slice(0, maxReason);
  const last = success === 0 ? 'none has succeeded' : `the last success was ${formatAge(success)} ago`;
  const path = `/_slm/policy/${encodeURIComponent(name)}`;
  return [
    {
      severity: 'high',
      weight: 1e6,
      evidence: `the snapshot policy ${name} failed ${formatAge(failure)} ago, and ${last}: ${reason === '' ? 'no reason is given' : reason}`,
      consequence: 'What is lost now cannot be restored from a snapshot of that policy.',
      next: `GET ${path} shows the whole error; once its cause is removed, PUT ${path}/_execute takes a snapshot at once.`,
    },
  ];
}

function formatAge(time: number): string {
  return formatSeconds(Math.max(0, Date.now() - time) / 1_000);
}

function judgeStatus(mode: string | undefined): Finding[] {
  if (mode === undefined || mode === 'RUNNING') return [];
  return [
    {
      severity: 'medium',
      weight: 1e6,
      evidence: `snapshot lifecycle management is ${mode}`,
      consequence: 'No policy takes a snapshot.',
      next: 'POST /_slm/start',
    },
  ];
}
