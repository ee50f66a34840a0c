import {
  type CheckReport,
  formatOverview,
  formatReport,
  replyReport,
  reportUnavailable,
  runChecks,
  type ToolReply,
} from '@dbmole/core';
import type { ClusterCall } from '../call/cluster-call.ts';
import { buildPath } from '../call/path.ts';
import { type CheckRun, createRuns } from './check-run.ts';
import { checkActivity } from './checks/activity.ts';
import { checkCluster } from './checks/cluster.ts';
import { checkIndexes } from './checks/indexes.ts';
import { checkLocks } from './checks/locks.ts';
import { checkPrivileges } from './checks/privileges.ts';
import { checkSettings } from './checks/settings.ts';
import { checkSlowQueries } from './checks/slow-queries.ts';
import { checkTables } from './checks/tables/tables.ts';
import { type Check, type CheckName, checkNames } from './diagnosis.ts';
import { describeRefusal } from './refusal-text.ts';

const checks: Readonly<Record<CheckName, Check>> = {
  cluster: checkCluster,
  activity: checkActivity,
  locks: checkLocks,
  slow_queries: checkSlowQueries,
  indexes: checkIndexes,
  tables: checkTables,
  settings: checkSettings,
  privileges: checkPrivileges,
};

interface DiagnoseArgs {
  check?: CheckName | undefined;
  index?: string | undefined;
  limit: number;
  offset: number;
}

export async function diagnose(call: ClusterCall, { check, index, limit, offset }: DiagnoseArgs): Promise<ToolReply> {
  await refuseUnknown(call, index);
  const createRun = createRuns(call, index);
  const report = (name: CheckName) => runCheck(checks[name], createRun(), limit + offset);
  if (check !== undefined) return replyReport(formatReport(check, await report(check), { limit, offset }));
  return replyReport(formatOverview(await runChecks(checkNames, report, call.signal)));
}

/** Each check would report a name as an error of its own, and a pattern that matches nothing as health. */
async function refuseUnknown(call: ClusterCall, index: string | undefined): Promise<void> {
  if (index === undefined) return;
  const params = { format: 'json', h: 'index', expand_wildcards: 'open,closed' };
  const answer = await call.ask({ path: buildPath('_cat', 'indices', index), params });
  const failure = answer.status === 404 ? await call.failureOf(answer) : undefined;
  if (failure !== undefined) throw failure;
  if (answer.status === 200 && Array.isArray(answer.json) && answer.json.length === 0) throw await call.unknownIndex(index);
}

/** A check that the user or the connection may not make says what would make it available. */
async function runCheck(check: Check, run: CheckRun, limit: number): Promise<CheckReport> {
  try {
    const report = await check(run, { limit });
    return { ...report, notes: [...report.notes, ...run.notes] };
  } catch (error) {
    run.call.signal.throwIfAborted();
    const refusal = describeRefusal(error, run.call.identity);
    if (refusal === undefined) throw error;
    return reportUnavailable(refusal.reason, refusal.remedy);
  }
}
