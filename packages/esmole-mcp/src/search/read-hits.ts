import { CutString, type Failure, failureWith, LeftOut } from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer/answer.ts';
import { valueAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest } from '../call/cluster-request.ts';
import { buildPath } from '../call/path.ts';
import { formatExact } from '../json/exact-json.ts';
import { createRoom, type Hit, isObject } from './hit-table.ts';
import { type SearchArgs, searchBody } from './search-body.ts';

/** Characters of one answer. */
export const budget = 32_000;

export interface FoundHits {
  readonly hits: readonly Hit[];
  /** False when some hits of a very long answer were not kept. */
  readonly areAll: boolean;
}

export interface Page extends FoundHits {
  readonly answer: Answer;
  /** Documents before the first of these; undefined where only the caller knows. */
  readonly count: number | undefined;
  /** How the same call reads on after so many of them; empty when nothing follows. */
  readOn(shown: number): Promise<string>;
}

interface HitsOptions {
  /** Parts of the body in addition to the caller's. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Hits that will not be shown. */
  readonly unwanted?: ReadonlySet<string>;
  /** Reads only what distinguishes documents, for as many as a cluster counts. */
  readonly isHeads?: boolean;
  /** Of several copies of a shard, the same text picks the same one: documents with the same sort values have another order in each. */
  readonly preference?: string;
}

export async function readHits(
  call: ClusterCall,
  args: SearchArgs,
  { more, preference, ...options }: HitsOptions = {},
): Promise<FoundHits & { answer: Answer }> {
  const wanted = { ...searchBody(args), ...more };
  const body = more?.search_after === undefined ? wanted : formatExact(wanted);
  const params = preference === undefined ? {} : { preference };
  // A point in time says itself which indices it reads.
  const path = buildPath(more?.pit === undefined ? args.index : undefined, '_search');
  const answer = await readWithPlace(
    call,
    { method: 'POST', path, params, body },
    options.isHeads === true ? headLimits : limitsFor(args, options.unwanted),
  );
  return { answer, ...findHits(answer.json) };
}

const mebibyte = 1024 * 1024;
const headLimits: AnswerLimits = { bytes: mebibyte, json: { string: 4 * 1024, list: 16 * mebibyte, total: 16 * mebibyte } };

/** Keeps what can be shown of a search, and not much more: most hits of a large answer are never shown. */
function limitsFor(
  { cell_offset, cell_limit, aggs, body, track_total_hits }: SearchArgs,
  unwanted?: ReadonlySet<string>,
): AnswerLimits {
  const room = createRoom(budget, cell_limit);
  // The part of each text that is shown, and enough around it to tell a secret that is cut in two.
  const string = cell_offset + cell_limit + 4 * 1024;
  const scale = aggs === undefined ? 1 : 4;
  return {
    bytes: 256 * 1024,
    json: {
      string,
      list: 4 * scale * mebibyte + 2 * string,
      innerList: (scale * mebibyte) / 2 + 2 * string,
      total: 8 * scale * mebibyte + 2 * string,
      ...(aggs === undefined ? { values: 30_000 } : {}),
      watch: { path: 'hits.hits', isFull: (hit) => isObject(hit) && unwanted?.has(toKey(hit)) !== true && !room.take(hit) },
    },
    // Aggregations, suggestions and profiles follow the hits. Clusters write all the rest before them.
    ...(aggs === undefined && body?.suggest === undefined && body?.profile === undefined
      ? { isEnough: (json) => hasHead(json, track_total_hits !== false) }
      : {}),
  };
}

function hasHead(json: unknown, isCounted: boolean): boolean {
  const { timed_out, _shards, hits } = isObject(json) ? json : {};
  const isFound = isObject(hits) && Array.isArray(hits.hits) && (!isCounted || hits.total !== undefined);
  return isFound && timed_out !== undefined && _shards !== undefined;
}

/** The hits of an answer that were kept. */
export function findHits(json: unknown): FoundHits {
  const { hits } = isObject(json) ? json : {};
  const list = isObject(hits) && Array.isArray(hits.hits) ? hits.hits : [];
  return {
    hits: list.filter((hit): hit is Hit => !(hit instanceof LeftOut) && isObject(hit)),
    areAll: !list.some((hit) => hit instanceof LeftOut),
  };
}

/** Identifies a document. */
export function toKey({ _index, _id }: Hit): string {
  return `${String(_index)}\n${String(_id)}`;
}

/** The sort values in a form that can be sent back; undefined when there are none, or one was too long to be kept. */
export function readSortValues(hit: Hit | undefined): readonly unknown[] | undefined {
  const values = hit?.sort;
  if (!Array.isArray(values) || values.some((value) => value instanceof CutString)) return undefined;
  return values;
}

const around = 40;

/** Reads like `ClusterCall.read`; when the cluster reports a position in the body, the failure quotes what is there. */
async function readWithPlace(call: ClusterCall, request: AskedRequest, limits: AnswerLimits): Promise<Answer> {
  const answer = await call.ask(request, limits);
  const failure = await call.failureOf(answer);
  if (failure === undefined) return answer;
  const place = placeIn(answer.json, request.body);
  throw place === undefined ? failure : withPlace(failure, place);
}

interface Place {
  text: string;
  column: number;
}

/** Bodies are sent as one line, so the column is enough. */
function placeIn(json: unknown, body: unknown): Place | undefined {
  const cause = valueAt(json, ['error', 'root_cause', '0']) ?? valueAt(json, ['error']);
  const [line, column] = [valueAt(cause, ['line']), valueAt(cause, ['col'])];
  if (typeof line !== 'number' || typeof column !== 'number' || body === undefined) return undefined;
  const text = (typeof body === 'string' ? body : JSON.stringify(body)).split('\n')[line - 1];
  return text === undefined ? undefined : { text, column };
}

function withPlace(failure: Failure, { text, column }: Place): Failure {
  const from = Math.max(0, column - around);
  const part = `${from > 0 ? '…' : ''}${text.slice(from, column + around)}${text.length > column + around ? '…' : ''}`;
  return failureWith(failure, { message: `${failure.message}; at ${part}`, position: column });
}
