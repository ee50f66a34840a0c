import { Failure } from '@dbmole/core';
import { type Answer, type AnswerLimits, textBytes } from '../answer/answer.ts';
import { groupBy } from '../answer/group-by.ts';
import { answerFailure, textAt, valueAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest } from '../call/cluster-request.ts';
import { buildPath } from '../call/path.ts';
import { quoteRemoteText } from '../call/quote-remote-text.ts';
import { mayName } from '../guard/index-names.ts';
import { isObject } from '../search/hit-table.ts';

export interface ClusterHealth {
  /** The answer of `_cluster/health`. */
  health: Readonly<Record<string, unknown>>;
  problems: readonly (ShardProblem & { explanation: unknown })[];
  /** The kinds and numbers of problems, when there are more kinds than are explained. */
  pending: readonly unknown[];
  /** Sentences about what could not be found out. */
  missing: readonly string[];
}

/** A cluster waits for an index that does not exist. */
const healthWait = '1s';
/** One shard is explained for each kind of problem. */
const maxExplained = 4;
const shardLimits: AnswerLimits = {
  bytes: textBytes,
  json: { string: 4_096, list: 48 * 1024 * 1024, total: 48 * 1024 * 1024, values: 200_000 },
};
const columns = 'index,shard,prirep,state,node,unassigned.reason,unassigned.at,unassigned.details';

export async function readHealth(call: ClusterCall, index: string | undefined): Promise<ClusterHealth> {
  const health = await readStatus(call, index);
  const missing: string[] = [];
  const note = (what: string) => (error: unknown) => {
    if (call.signal.aborted || !(error instanceof Failure)) throw error;
    missing.push(`${what}: ${quoteRemoteText(error.message, 300)}.`);
    return undefined;
  };
  const isGreen = health.status === 'green';
  if (health.timed_out === true && index !== undefined)
    missing.push('Some of the named indices do not exist, which counts as red.');
  const [shards, pending] = await Promise.all([
    isGreen ? [] : readShards(call, index).catch(note('Which shards are missing cannot be seen')),
    health.number_of_pending_tasks === 0 ? undefined : readPending(call).catch(note('Pending tasks cannot be seen')),
  ]);
  const problems = shardProblems(shards ?? []);
  const explained = await Promise.all(
    problems.slice(0, maxExplained).map((problem) => explain(call, problem).catch(note('The cluster does not explain why'))),
  );
  return {
    health,
    problems: problems.map((problem, at) => ({ ...problem, explanation: explained[at] })),
    pending: pending ?? [],
    missing: [...new Set(missing)],
  };
}

async function readStatus(call: ClusterCall, index: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  const answer = await call.ask({ path: buildPath('_cluster', 'health', index), params: { timeout: healthWait } });
  const { json, status } = answer;
  // 408 is an answer too: it has waited for what we do not need.
  if (isObject(json) && typeof json.status === 'string' && (status < 300 || status === 408)) {
    const found = valueAt(json, ['active_shards']) !== 0 || valueAt(json, ['unassigned_shards']) !== 0;
    if (json.timed_out === true && index !== undefined && !found) throw await call.unknownIndex(index);
    return json;
  }
  throw (await call.failureOf(answer)) ?? new Failure('engine', 'the answer does not contain the health of the cluster');
}

/** The shards that are not started. */
async function readShards(call: ClusterCall, index: string | undefined): Promise<Shard[]> {
  const answer = await call.read(
    { path: buildPath('_cat', 'shards', index), params: { format: 'json', h: columns } },
    shardLimits,
  );
  const rows = Array.isArray(answer.json) ? answer.json.filter(isObject) : [];
  return rows
    .filter(({ state }) => state === 'UNASSIGNED' || state === 'INITIALIZING')
    .map((row) => ({
      index: String(row.index),
      label: mayName(String(row.index), call.lease.backend.rules) ? String(row.index) : 'a hidden index',
      shard: Number(row.shard),
      isPrimary: row.prirep === 'p',
      state: row.state === 'UNASSIGNED' ? 'unassigned' : 'initializing',
      reason: textAt(row, ['unassigned.reason']),
      since: textAt(row, ['unassigned.at']),
      details: textAt(row, ['unassigned.details']),
    }));
}

async function readPending(call: ClusterCall): Promise<readonly unknown[]> {
  const { json } = await call.read({ path: '/_cluster/pending_tasks' });
  const tasks = valueAt(json, ['tasks']);
  return Array.isArray(tasks) ? tasks : [];
}

async function explain(call: ClusterCall, { state, first }: ShardProblem): Promise<unknown> {
  if (state !== 'unassigned' || first.label !== first.index) return undefined;
  const body = { index: first.index, shard: first.shard, primary: first.isPrimary };
  const request: AskedRequest = { method: 'POST', path: '/_cluster/allocation/explain', body };
  const answer: Answer = await call.ask(request);
  // The shard may have been assigned in the meantime, which is not an error.
  if (answer.status === 400) return undefined;
  const failure = answerFailure(answer);
  if (failure !== undefined) throw failure;
  return answer.json;
}

/** A part of an index that is not where it should be. */
export interface Shard {
  index: string;
  /** The name in answers, which do not name what the connection may not read. */
  label: string;
  shard: number;
  isPrimary: boolean;
  state: 'unassigned' | 'initializing';
  /** The reason as the cluster names it: `NODE_LEFT`. */
  reason: string | undefined;
  since: string | undefined;
  details: string | undefined;
}

/** Shards that are missing for the same reason. */
interface ShardProblem {
  state: Shard['state'];
  isPrimary: boolean;
  reason: string | undefined;
  shards: readonly Shard[];
  /** The shard that represents its group. */
  first: Shard;
}

/** Missing primaries come first: they are what cannot be read. */
export function shardProblems(shards: readonly Shard[]): ShardProblem[] {
  const problems = groupBy(shards, ({ state, isPrimary, reason }) => JSON.stringify([state, isPrimary, reason]));
  return [...problems.values()]
    .flatMap((all) => {
      // One that may be named, if there is one.
      const first = all.find(({ index, label }) => index === label) ?? all[0];
      return first === undefined ? [] : [{ ...first, shards: all, first }];
    })
    .map(({ state, isPrimary, reason, shards: all, first }) => ({ state, isPrimary, reason, shards: all, first }))
    .toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || b.shards.length - a.shards.length);
}

/** An index is red without one of its primaries, and yellow without a copy. */
export function unhealthyIndices(shards: readonly Shard[]): { red: readonly string[]; yellow: readonly string[] } {
  const red = new Set(shards.filter(({ isPrimary }) => isPrimary).map(({ label }) => label));
  const yellow = new Set(shards.map(({ label }) => label).filter((label) => !red.has(label)));
  return { red: [...red], yellow: [...yellow] };
}
