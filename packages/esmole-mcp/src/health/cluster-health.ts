import { respond, type ToolReply } from '@dbmole/core';
import type { Call } from '../call.ts';
import { formatProblems, formatStatus } from './health-text.ts';
import { readHealth } from './read-health.ts';

export async function clusterHealth(call: Call, index: string | undefined): Promise<ToolReply> {
  const health = await readHealth(call, index);
  return respond.text(formatProblems(health), { line: formatStatus(health, index) });
}
