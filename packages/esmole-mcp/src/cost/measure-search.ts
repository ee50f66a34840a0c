import type { Answer } from '../answer/answer.ts';
import type { AskedRequest } from '../call/cluster-request.ts';
import { buildPath } from '../call/path.ts';
import { listTexts, valueAt } from '../guard/body/walk-json.ts';
import type { LimitKey } from './cost-policy.ts';
import type { SearchTarget } from './find-searches.ts';

/** How much a search reaches. */
export interface Reached {
  amount: number;
  /** The index with the most of it, where that is known. */
  most?: { index: string; amount: number } | undefined;
}

export type Ask = (request: AskedRequest) => Promise<Answer>;

/** Undefined where the cluster does not say; a search in what does not exist reaches nothing, and says so itself. */
export async function measureSearch(key: LimitKey, target: SearchTarget, ask: Ask): Promise<Reached | undefined> {
  return key === 'maxShards' ? await countShards(target, ask) : await measureBytes(target, ask);
}

const nothing: Reached = { amount: 0 };

async function countShards({ names, params }: SearchTarget, ask: Ask): Promise<Reached | undefined> {
  const path = buildPath(names, '_search_shards');
  const answer = await ask({ path, params: { ...Object.fromEntries(params), filter_path: 'shards.index,shards.shard' } });
  if (answer.status === 404) return nothing;
  const groups = valueAt(answer.json, 'shards');
  const isWhole = answer.status === 200 && answer.cut === undefined && answer.isPartial !== true;
  if (isWhole && Array.isArray(groups)) return tally(groups);
  return isWhole && answer.json !== undefined && groups === undefined ? nothing : await countByAsking({ names, params }, ask);
}

/** One group of copies for each shard. */
function tally(groups: readonly unknown[]): Reached {
  const byIndex = new Map<string, number>();
  for (const group of groups) {
    const [index = ''] = Array.isArray(group) ? listTexts(valueAt(group[0], 'index')) : [];
    byIndex.set(index, (byIndex.get(index) ?? 0) + 1);
  }
  const [most] = [...byIndex].sort(([, one], [, other]) => other - one);
  return { amount: groups.length, most: most && byIndex.size > 1 ? { index: most[0], amount: most[1] } : undefined };
}

/** A search for nothing also tells how many shards there are, of remote clusters too, and needs no further privilege. */
async function countByAsking({ names, params }: SearchTarget, ask: Ask): Promise<Reached | undefined> {
  const body = { size: 0, query: { match_none: {} } };
  const given = { ...Object.fromEntries(params), filter_path: '_shards.total' };
  const answer = await ask({ method: 'POST', path: buildPath(names, '_search'), params: given, body });
  if (answer.status === 404) return nothing;
  return toReached(answer, valueAt(valueAt(answer.json, '_shards'), 'total'));
}

/** The size of the primaries: a search asks one copy of each shard. */
async function measureBytes({ names, params }: SearchTarget, ask: Ask): Promise<Reached | undefined> {
  const { routing: _routing, ...given } = Object.fromEntries(params);
  const path = buildPath(names, '_stats', 'store');
  const answer = await ask({ path, params: { ...given, filter_path: '_all.primaries.store.size_in_bytes' } });
  if (answer.status === 404) return nothing;
  const store = valueAt(valueAt(valueAt(answer.json, '_all'), 'primaries'), 'store');
  if (answer.status === 200 && store === undefined && answer.json !== undefined) return nothing;
  return toReached(answer, valueAt(store, 'size_in_bytes'));
}

function toReached({ status }: Answer, value: unknown): Reached | undefined {
  const amount = Number(value);
  return status === 200 && value !== undefined && Number.isFinite(amount) ? { amount } : undefined;
}
