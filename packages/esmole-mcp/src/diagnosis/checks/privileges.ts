import type { CheckReport, Finding } from '@dbmole/core';
import { valueAt } from '../../call/answer-failure.ts';
import type { Access, IndexPrivilege } from '../access.ts';
import type { CheckRun } from '../check-run.ts';
import { listRows } from '../read-facts.ts';
import { describeRefusal, formatGrant } from '../refusal-text.ts';

const hiddenBy: Readonly<Record<IndexPrivilege, string>> = {
  monitor: 'the sizes, shards and counters of some indices',
  view_index_metadata: 'the settings, mappings and policies of some indices',
  read: 'the documents of some indices',
};

export async function checkPrivileges(run: CheckRun): Promise<CheckReport> {
  const [access, own, tasks] = await Promise.all([
    run.access(),
    run.readIfAllowed('The roles of this user', { path: '/_security/user/_privileges' }),
    probe(run, '/_cluster/pending_tasks'),
  ]);
  const { indices } = run.call.lease.backend.rules;
  return {
    findings: [...(access === undefined ? tasks : describeAccess(access)), ...describeFilters(own)],
    listing: [],
    notes: [
      ...(access === undefined && tasks.length === 0
        ? ['The cluster has no security, or does not say what this user may do; nothing was refused.']
        : []),
      ...(indices === undefined ? [] : [`This connection may read only ${indices.join(', ')}; a person decides that.`]),
      ...(run.call.lease.backend.rules.systemIndices
        ? []
        : ['Hidden indices are left out unless a person sets `systemIndices` on the connection.']),
    ],
  };
}

/** What a cluster refuses, where it does not tell privileges. */
async function probe(run: CheckRun, path: string): Promise<Finding[]> {
  try {
    await run.read({ path });
    return [];
  } catch (error) {
    run.call.signal.throwIfAborted();
    const refusal = describeRefusal(error, run.call.identity);
    if (refusal === undefined || run.call.lease.backend.rules.indices !== undefined) return [];
    return [describeMissing(`this user does not see the cluster: ${refusal.reason}`, refusal.remedy, 3)];
  }
}

function describeAccess({ seesCluster, lacking, names }: Access): Finding[] {
  return [
    ...(seesCluster
      ? []
      : [
          describeMissing(
            'this user does not see nodes, tasks and settings of the cluster',
            formatGrant('cluster', ['monitor']),
            3,
          ),
        ]),
    ...lacking.map((privilege) =>
      describeMissing(
        `this user does not see ${hiddenBy[privilege]} of ${names.join(',')}`.replace('some indices of *', 'some indices'),
        formatGrant('index', [privilege]),
        privilege === 'read' ? 0 : 2,
      ),
    ),
  ];
}

function describeMissing(evidence: string, next: string, weight: number): Finding {
  return {
    severity: 'low',
    weight,
    evidence,
    consequence: 'An empty answer of the other checks can mean that it was hidden.',
    next,
  };
}

/** Roles that show only some documents or fields. */
function describeFilters(own: unknown): Finding[] {
  const grants = listRows(valueAt(own, ['indices'])).filter(
    ({ query, field_security }) => isFilled(query) || isFilled(field_security),
  );
  if (grants.length === 0) return [];
  const names = [...new Set(grants.flatMap(({ names: list }) => (Array.isArray(list) ? list.map(String) : [])))];
  return [
    {
      severity: 'low',
      weight: 4,
      evidence: `a role shows this user only some documents or fields of ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`,
      consequence: 'Counts and aggregations are those of what it may see.',
      next: 'GET /_security/user/_privileges shows the queries and fields.',
    },
  ];
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
