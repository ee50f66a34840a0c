import { Failure } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import type { ClusterBackend, Send } from '../backend.ts';
import type { ReadRequest, WriteRequest } from '../call/cluster-request.ts';
import { quoteRemoteName } from '../call/quote-remote-text.ts';
import { guardRequest } from '../guard/guard.ts';
import { type IndexRules, mayName } from '../guard/index-names.ts';
import { refuseExpensive } from './check-request.ts';
import type { CostLimit, CostPolicy, LimitKey } from './cost-policy.ts';
import { findSearches, type SearchTarget } from './find-searches.ts';
import { type Ask, measureSearch, type Reached } from './measure-search.ts';

/** An index can be rolled over meanwhile. */
const rememberedMs = 60_000;
const maxRemembered = 200;

/** What asks the cluster, without the policy. */
type Inner = Pick<ClusterBackend, 'send' | 'identify' | 'rules'>;

/** Refuses what the policy refuses, before it is sent; a search beyond a limit is counted first. */
export function withCost(policy: CostPolicy, inner: Inner): Send {
  const known = new Map<string, { until: number; reached: Promise<Reached | undefined> }>();
  const measure = (key: LimitKey, target: SearchTarget, ask: Ask) => {
    const id = JSON.stringify([key, target.names, ...target.params]);
    const found = known.get(id);
    if (found !== undefined && found.until > performance.now()) return found.reached;
    if (known.size >= maxRemembered) known.clear();
    const reached = measureSearch(key, target, ask);
    known.set(id, { until: performance.now() + rememberedMs, reached });
    reached.catch(() => known.delete(id));
    return reached;
  };
  return async (request, options) => {
    refuseExpensive(request, policy);
    const searches = policy.limits.length === 0 ? [] : findSearches(request);
    if (searches.length === 0) return await inner.send(request, options);
    const ask = openAsk(inner, options.signal);
    const notes: string[] = [];
    for (const limit of policy.limits) {
      const reached = await Promise.all(searches.map((target) => measure(limit.key, target, ask)));
      const problem = findProblem(
        limit,
        reached.map((one) => withoutHidden(one, inner.rules)),
      );
      if (problem !== undefined && !limit.onlyWarns) throw costFailure(limit, problem);
      if (problem !== undefined) notes.push(`${capitalize(problem)} (warn).`);
    }
    return withNote(await inner.send(request, options), notes);
  };
}

function openAsk({ send, identify, rules }: Inner, signal: AbortSignal): Ask {
  return async (asked) => {
    const context = { identity: await identify(signal), ...rules };
    const request: ReadRequest | WriteRequest = guardRequest({ method: 'GET', params: {}, body: undefined, ...asked }, context);
    return await send(request, { signal });
  };
}

/** All searches of one request count together. */
function findProblem({ key, max }: CostLimit, reached: readonly (Reached | undefined)[]): string | undefined {
  const what = key === 'maxShards' ? 'shards' : 'bytes';
  if (reached.includes(undefined)) return `the cluster does not say how many ${what} the search reaches`;
  const amount = reached.reduce((sum, one) => sum + (one?.amount ?? 0), 0);
  if (amount <= max) return undefined;
  const [most] = reached.flatMap((one) => one?.most ?? []).sort((one, other) => other.amount - one.amount);
  const share = most === undefined ? '' : ` (${formatCount(most.amount)} of them in ${quoteRemoteName(most.index)})`;
  const size = key === 'maxShards' ? `${formatCount(amount)} shards${share}` : `indices of ${formatCount(amount)} bytes`;
  return `the search reaches ${size}, and this connection allows ${formatCount(max)}`;
}

/** An alias may lead to an index that the connection does not speak of. */
function withoutHidden(reached: Reached | undefined, rules: IndexRules): Reached | undefined {
  return reached?.most === undefined || mayName(reached.most.index, rules) ? reached : { amount: reached.amount };
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function costFailure({ key }: CostLimit, problem: string): Failure {
  return new Failure('refused', `${problem}; nothing was run`, {
    code: 'E_TOO_COSTLY',
    hint: [
      'Name fewer indices, or a narrower pattern such as that of one day.',
      { call: 'es_list_indices', run: 'indices CONNECTION', to: 'see their shards and sizes' },
      `Only the user can raise "${key}", where the connection is defined.`,
    ],
  });
}

function withNote(answer: Answer, notes: readonly string[]): Answer {
  return notes.length === 0 ? answer : { ...answer, costNote: notes.join(' ') };
}
