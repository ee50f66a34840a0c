import type { CheckReport } from '@dbmole/core';
import { reportHealth } from '../../health/health-findings.ts';
import { formatStatus } from '../../health/health-reply.ts';
import { readHealth } from '../../health/read-health.ts';
import type { CheckRun } from '../check-run.ts';

/** The same as in es_cluster_health. */
export async function checkCluster({ call, index }: CheckRun): Promise<CheckReport> {
  const health = await readHealth(call, index);
  return { ...reportHealth(health), notes: [formatStatus(health, index)] };
}
