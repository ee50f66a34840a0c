import { Failure } from '@dbmole/core';
import { textAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import { countTotal, type Hit } from './hit-table.ts';
import {
  closePointInTime,
  findTieBreakers,
  goneFailure,
  isReadable,
  keepAlive,
  openPointInTime,
  type PointInTime,
  type Position,
  savePosition,
} from './point-in-time.ts';
import { type Page, readHits, readSortValues, toKey } from './read-hits.ts';
import { resultWindow } from './result-window.ts';
import type { SearchArgs } from './search-body.ts';

type OpenPosition = Position & { readonly pit: PointInTime };

/**
 * The position behind the first page, which was read without a point in time. The point in time may have other documents there, as the
 * index has changed since, or as its tie-breakers order documents differently: it goes on with the first that was neither shown nor
 * skipped, and those that were are left out when they come. Answers why when none can be opened.
 */
export async function openAt(call: ClusterCall, args: SearchArgs, position: Position): Promise<OpenPosition | string> {
  const pit = await openPointInTime(call, args.index);
  if (typeof pit === 'string') return pit;
  const past = new Set([...position.seen, ...(await findSkipped(call, args, position))]);
  const { hits } = await readHitsIn(call, args, { pit, more: { ...heads, size: position.next ?? 0 }, isHeads: true });
  const keys = hits.map(toKey);
  const first = keys.findIndex((key) => !past.has(key));
  const next = first === -1 ? keys.length : first;
  const passed = new Set(keys.slice(0, next));
  const seen = new Set([...past].filter((key) => !passed.has(key)));
  return { ...position, pit, next, seen, after: readAfter(call, hits[next - 1]) };
}

/** Reads the first page again with what came before it, as far as the first document that was shown. */
async function findSkipped(call: ClusterCall, args: SearchArgs, { search, seen, skipped, next }: Position): Promise<string[]> {
  if (skipped === 0) return [];
  const { hits } = await readHits(call, args, { more: { ...heads, size: next }, isHeads: true, preference: search });
  const keys = hits.map(toKey);
  const shown = keys.findIndex((key) => seen.has(key));
  return keys.slice(0, shown === -1 ? skipped : shown);
}

/** The body of a search that only identifies its documents. */
const heads = {
  from: 0,
  track_total_hits: false,
  _source: false,
  fields: undefined,
  highlight: undefined,
  aggs: undefined,
  suggest: undefined,
  explain: undefined,
  profile: undefined,
};

interface InPit {
  readonly pit: PointInTime;
  readonly more: object;
  readonly unwanted?: ReadonlySet<string>;
  readonly isHeads?: boolean;
}

async function readHitsIn(
  call: ClusterCall,
  args: SearchArgs,
  { pit, more, ...options }: InPit,
): Promise<Awaited<ReturnType<typeof readHits>>> {
  const sort = [...(args.sort ?? ['_score']), ...findTieBreakers(call.identity)];
  const wanted = { ...args, sort, from: 0, search_after: undefined };
  try {
    const found = await readHits(call, wanted, { ...options, more: { pit: { id: pit.id, keep_alive: keepAlive }, ...more } });
    const id = textAt(found.answer.json, ['pit_id']) ?? pit.id;
    if (id !== pit.id && isReadable(call, id)) pit.id = id;
    return found;
  } catch (error) {
    throw error instanceof Failure && error.engineCode === '404' ? goneFailure() : error;
  }
}

export async function readInPointInTime(call: ClusterCall, args: SearchArgs, position: OpenPosition): Promise<Page> {
  const { pit, seen } = position;
  const { found, size } = await readBehind(call, args, position);
  const hits = found.hits.filter((hit) => !seen.has(toKey(hit))).slice(0, args.size);
  const isAtEnd = (taken: number) => found.areAll && taken === found.hits.length && found.hits.length < size;
  const kept = found.hits.length;
  // All of them were shown with the first page.
  if (hits.length === 0 && kept > 0 && !isAtEnd(kept))
    return await readInPointInTime(call, args, advance(call, position, found.hits));
  return {
    ...found,
    hits,
    count: position.count,
    async readOn(shown) {
      const last = hits[shown - 1];
      const taken = last === undefined ? 0 : found.hits.indexOf(last) + 1;
      const reached = advance(call, position, found.hits.slice(0, taken));
      if (taken > 0 && !isAtEnd(taken) && reached.next !== countTotal(found.answer.json))
        return formatNext(call, { ...reached, count: position.count === undefined ? undefined : position.count + shown });
      await closePointInTime(call, pit);
      return '';
    },
  };
}

interface Behind {
  found: Awaited<ReturnType<typeof readHits>>;
  /** The number of requested documents. */
  size: number;
}

/** Reads by offset as far as the cluster counts, and then after the sort values of the last document. */
async function readBehind(call: ClusterCall, args: SearchArgs, position: OpenPosition): Promise<Behind> {
  const { pit, next = resultWindow, after, seen } = position;
  const wanted = args.size + seen.size;
  const read = async (size: number, more: object) => ({
    // Aggregations cover all matches, and were shown with the first page.
    found: await readHitsIn(call, { ...args, aggs: undefined }, { pit, more: { size, ...more }, unwanted: seen }),
    size,
  });
  const readByValues = async () => await read(Math.min(wanted, resultWindow), { search_after: after });
  if (next >= resultWindow) return await readByValues();
  try {
    return await read(Math.min(wanted, resultWindow - next), { from: next });
  } catch (error) {
    // An index may have a window of its own.
    const isWindow = error instanceof Failure && error.message.includes('window is too large');
    if (isWindow && after !== undefined) return await readByValues();
    throw error;
  }
}

function advance(call: ClusterCall, position: OpenPosition, passed: readonly Hit[]): OpenPosition {
  const keys = new Set(passed.map(toKey));
  return {
    ...position,
    next: position.next === undefined ? undefined : position.next + passed.length,
    after: readAfter(call, passed.at(-1)),
    seen: new Set([...position.seen].filter((key) => !keys.has(key))),
  };
}

function formatNext(call: ClusterCall, position: OpenPosition): string {
  if ((position.next ?? resultWindow) < resultWindow || position.after !== undefined)
    return `same call with cursor=${savePosition(call.lease.backend, position)}`;
  return `only for the first ${resultWindow} documents, or with a sort by shorter values: narrow the query`;
}

/** Without a tie-breaker, documents with the same sort values would be skipped. */
function readAfter(call: ClusterCall, hit: Hit | undefined): readonly unknown[] | undefined {
  return findTieBreakers(call.identity).length === 0 ? undefined : readSortValues(hit);
}
