import { createHash } from 'node:crypto';
import { Failure } from '@dbmole/core';
import type { Send } from '../backend.ts';
import { parseStrict } from '../guard/body/strict-json.ts';
import { listTexts, walk } from '../guard/body/walk-json.ts';
import { textAt, valueAt } from './answer-failure.ts';
import type { CheckedRequest } from './cluster-request.ts';

/**
 * Sends what continues or closes a scroll, a point in time, a cursor or an async search only where an answer to the same backend gave its
 * id: such a thing reads what it was opened on, whatever this connection may read. For connections that may not read everything.
 */
export function withOwnCursors(send: Send): Send {
  const opened = new OpenedIds();
  return async (request, options) => {
    if (!isCursorRequest(request)) return await send(request, options);
    if (givenIds(request).some((id) => !opened.has(id))) throw foreignFailure();
    const answer = await send(request, options);
    for (const id of answeredIds(answer.json)) opened.add(id);
    return answer;
  };
}

/** Words of the paths of what opens, continues or closes something, or searches in it. */
const cursorWords: ReadonlySet<string> = new Set(
  (
    '_search _msearch _async_search _asynchronous_search _fleet_search _fleet_msearch _rank_eval _pit scroll point_in_time _eql _query ' +
    '_esql _sql _ppl sql'
  ).split(' '),
);
/** The id of a document follows these words, and the answer is that document. */
const documentWords: ReadonlySet<string> = new Set(['_doc', '_create', '_update', '_source', '_explain', '_termvectors']);
/** Resources that are kept under an id have it in the path after these words. */
const keepingWords: ReadonlySet<string> = new Set([
  '_async_search',
  '_asynchronous_search',
  '_eql',
  'async',
  'scroll',
  'point_in_time',
]);
const plainWords: ReadonlySet<string> = new Set(['_plugins', '_opendistro', 'search', 'status', 'delete', 'stop', 'stats']);

function isCursorRequest({ segments }: CheckedRequest): boolean {
  return !documentWords.has(segments[1] ?? '') && toWords(segments).some((word) => cursorWords.has(word));
}

/** Drops the index, which comes first and may have any name. */
function toWords(segments: readonly string[]): readonly string[] {
  return segments[0]?.startsWith('_') ? segments : segments.slice(1);
}

function givenIds({ segments, params, body }: CheckedRequest): readonly string[] {
  const words = toWords(segments);
  const keepsAt = words.findIndex((word) => keepingWords.has(word));
  const inPath = keepsAt === -1 ? [] : words.slice(keepsAt + 1).filter((word) => !plainWords.has(word));
  const ids = [...inPath, params.get('scroll_id') ?? ''].flatMap((text) => text.split(',')).filter((id) => id !== '');
  const values = typeof body === 'string' ? parseLines(body) : [body];
  const keys = segments.includes('_pit') ? ['id'] : ['scroll_id', 'pit_id', 'cursor'];
  return [...ids, ...values.flatMap((value) => idsInBody(value, keys))];
}

/** A body is one value, or one on each line. */
function parseLines(body: string): readonly unknown[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  try {
    return lines.map(parseStrict);
  } catch {
    return lines.length === 0 ? [] : [parseStrict(body)];
  }
}

function idsInBody(body: unknown, keys: readonly string[]): readonly string[] {
  const ids = keys.flatMap((key) => listTexts(valueAt(body, [key])));
  walk(body, 0, (key, value) => {
    if (key === 'pit') ids.push(...listTexts(valueAt(value, ['id'])));
  });
  return ids;
}

/** Reads ids where clusters write them, never from documents that were found. */
function answeredIds(json: unknown): readonly string[] {
  const responses = valueAt(json, ['responses']);
  const holders = [json, valueAt(json, ['response']), ...(Array.isArray(responses) ? responses : [])];
  return holders.flatMap((holder) => ['_scroll_id', 'pit_id', 'id', 'cursor'].flatMap((key) => textAt(holder, [key]) ?? []));
}

function foreignFailure(): Failure {
  return new Failure('refused', 'the scroll, point in time, cursor or async search was not opened through this connection', {
    code: 'E_INDEX_REFUSED',
    hint: 'Open your own, as with POST /{index}/_search?scroll=1m, and continue with the id in its answer.',
  });
}

/** More than a cluster keeps open at a time; the oldest are forgotten first. */
const maxIds = 5_000;

/** The ids of scrolls, points in time, cursors and async searches that a connection has seen in its own answers, as hashes. */
export class OpenedIds {
  readonly #hashes = new Set<string>();

  add(id: string): void {
    const hash = hashId(id);
    this.#hashes.delete(hash);
    this.#hashes.add(hash);
    const [oldest] = this.#hashes;
    if (this.#hashes.size > maxIds && oldest !== undefined) this.#hashes.delete(oldest);
  }

  has(id: string): boolean {
    return this.#hashes.has(hashId(id));
  }
}

function hashId(id: string): string {
  return createHash('sha256').update(id).digest('base64');
}
