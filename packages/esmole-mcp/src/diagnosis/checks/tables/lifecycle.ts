import { type Finding, formatStatement } from '@dbmole/core';
import { groupBy } from '../../../answer/group-by.ts';
import { textAt, valueAt } from '../../../call/answer-failure.ts';
import { buildPath } from '../../../call/path.ts';
import { formatNames, formatTarget } from '../../../indices/name-pattern.ts';
import { isObject } from '../../../search/hit-table.ts';
import type { CheckRun } from '../../check-run.ts';
import { listEntries } from '../../read-facts.ts';

interface StepError {
  index: string;
  policy: string;
  step: string;
  reason: string;
}

const maxNames = 5;
const maxReason = 160;

/** Indices whose policy is stuck: ILM and data stream lifecycles of Elasticsearch, ISM of OpenSearch. */
export async function checkLifecycle(run: CheckRun): Promise<Finding[]> {
  return run.call.identity.product === 'opensearch' ? await checkStateManagement(run) : await checkPolicies(run);
}

async function checkPolicies(run: CheckRun): Promise<Finding[]> {
  const names = run.index ?? '*';
  const [explained, status, streams] = await Promise.all([
    run.readIfAllowed('Errors of ILM', {
      path: buildPath(names, '_ilm', 'explain'),
      params: { only_errors: true, only_managed: true },
    }),
    run.readIfAllowed('Whether ILM runs', { path: '/_ilm/status' }),
    run.readIfAllowed('Errors of lifecycles', { path: buildPath(names, '_lifecycle', 'explain') }),
  ]);
  const errors = readErrors(run, explained, (one) => ({
    policy: textAt(one, ['policy']) ?? '',
    step: textAt(one, ['failed_step']) ?? textAt(one, ['step']) ?? '',
    reason: textAt(one, ['step_info', 'reason']) ?? textAt(one, ['step_info', 'message']) ?? '',
  }));
  const ofStreams = readErrors(run, streams, (one) =>
    valueAt(one, ['error']) === undefined ? undefined : { policy: '', step: '', reason: readReason(valueAt(one, ['error'])) },
  );
  return [
    ...describe(errors, (names) => `then POST /${names}/_ilm/retry`),
    ...describe(ofStreams, (names) => `which is tried again by itself: GET /${names}/_lifecycle/explain`),
    ...judgeStatus(textAt(status, ['operation_mode'])),
  ];
}

async function checkStateManagement(run: CheckRun): Promise<Finding[]> {
  const json = await run.readIfAllowed('Errors of ISM', { path: buildPath('_plugins', '_ism', 'explain', run.index ?? '*') });
  const errors = readErrors(run, json, (one) =>
    textAt(one, ['step', 'step_status']) === 'failed' || valueAt(one, ['retry_info', 'failed']) === true
      ? {
          policy: textAt(one, ['policy_id']) ?? '',
          step: textAt(one, ['step', 'name']) ?? textAt(one, ['action', 'name']) ?? '',
          reason: textAt(one, ['info', 'cause']) ?? textAt(one, ['info', 'message']) ?? '',
        }
      : undefined,
  );
  return describe(errors, (names) => `then POST /_plugins/_ism/retry/${names}`);
}

/** Explanations are by index, below `indices` or beside a count. */
function readErrors(run: CheckRun, json: unknown, read: (one: unknown) => Omit<StepError, 'index'> | undefined): StepError[] {
  const indices = valueAt(json, ['indices']) ?? json;
  return listEntries(indices).flatMap(([index, one]) => {
    const error = isObject(one) && run.mayName(index) ? read(one) : undefined;
    return error === undefined ? [] : [{ index, ...error }];
  });
}

/** An error of a data stream is itself JSON as a text. */
function readReason(error: unknown): string {
  return typeof error === 'string' ? error : (textAt(error, ['reason']) ?? '');
}

/** One finding for each step of a policy that fails. */
function describe(errors: readonly StepError[], retry: (names: string) => string): Finding[] {
  const groups = groupBy(errors, ({ policy, step }) => JSON.stringify([policy, step]));
  return [...groups.values()].flatMap((all) => {
    const [first] = all;
    if (first === undefined) return [];
    const names = all.map(({ index }) => index);
    const reason = formatStatement(first.reason).slice(0, maxReason);
    const where =
      first.policy === '' ? 'the lifecycle of its data stream' : `the step ${first.step} of the policy ${first.policy}`;
    return [
      {
        severity: 'high' as const,
        weight: 1e6 + names.length,
        evidence: `${where} fails for ${formatNames(names, maxNames)}: ${reason === '' ? 'no reason is given' : reason}`,
        consequence: 'They are neither rolled over nor moved nor deleted, and grow until the disk is full.',
        next: `Fix the cause, ${retry(formatTarget(names))}`,
      },
    ];
  });
}

function judgeStatus(mode: string | undefined): Finding[] {
  if (mode === undefined || mode === 'RUNNING') return [];
  return [
    {
      severity: 'medium',
      weight: 1e6,
      evidence: `ILM is ${mode}`,
      consequence: 'No index is rolled over, moved or deleted.',
      next: 'POST /_ilm/start',
    },
  ];
}
