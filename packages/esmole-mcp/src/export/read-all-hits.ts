import { Failure } from '@dbmole/core';
import type { Answer, AnswerLimits } from '../answer/answer.ts';
import { formatIncomplete } from '../answer/incomplete.ts';
import { textAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest } from '../call/cluster-request.ts';
import { buildPath } from '../call/path.ts';
import { formatExact } from '../json/exact-json.ts';
import { countTotal, type Hit, isObject } from '../search/hit-table.ts';
import { closePointInTime, findTieBreakers, keepAlive, openPointInTime, type PointInTime } from '../search/point-in-time.ts';
import { readSortValues } from '../search/read-hits.ts';
import { maxValueLength } from './clean-value.ts';

/** Some hits of a search, in its order. */
interface HitPage {
  readonly hits: readonly Hit[];
  /** All hits, as the cluster has counted them at the beginning. */
  readonly total: number | undefined;
  readonly answer: Answer;
}

interface AllHits {
  readonly index: string | undefined;
  /** The search without its size. */
  readonly body: Readonly<Record<string, unknown>>;
}

const pageSize = 1_000;
const mebibyte = 1024 * 1024;
/** What of one page is kept in memory; a page that is longer is read again as several. */
const limits: AnswerLimits = {
  bytes: mebibyte,
  json: { string: maxValueLength, list: 24 * mebibyte, total: 40 * mebibyte },
};

/**
 * Reads every hit once, page by page: in a point in time, or by a scroll where a version, or its user, has no point in time that could
 * tell equal documents apart. Throws when a page is not complete.
 */
export async function* readAllHits(call: ClusterCall, search: AllHits): AsyncGenerator<HitPage> {
  const ties = findTieBreakers(call.identity);
  const pit = ties.length === 0 ? undefined : await openPointInTime(call, search.index);
  if (pit === undefined || typeof pit === 'string') yield* readScroll(call, search);
  else yield* readPointInTime(call, search, { pit, ties });
}

interface InPit {
  pit: PointInTime;
  ties: readonly string[];
}

async function* readPointInTime(call: ClusterCall, { body }: AllHits, { pit, ties }: InPit): AsyncGenerator<HitPage> {
  const sort = [...(Array.isArray(body.sort) ? body.sort : []), ...ties];
  let after: readonly unknown[] | undefined;
  let total: number | undefined;
  try {
    for (;;) {
      const position = after === undefined ? { track_total_hits: true } : { search_after: after, track_total_hits: false };
      const read = (size: number): AskedRequest => {
        const whole = { ...body, ...position, sort, size, pit: { id: pit.id, keep_alive: keepAlive } };
        return { method: 'POST', path: '/_search', body: formatExact(whole) };
      };
      const { page, size } = await readFitting(call, read);
      total ??= countTotal(page.answer.json);
      pit.id = textAt(page.answer.json, ['pit_id']) ?? pit.id;
      yield { ...page, total };
      after = readSortValues(page.hits.at(-1));
      if (page.hits.length < size) return;
      if (after === undefined) throw brokenFailure('the cluster gave no sort values');
    }
  } finally {
    await closePointInTime(call, pit);
  }
}

/** Reads a smaller page where one is too long to be kept. */
async function readFitting(
  call: ClusterCall,
  request: (size: number) => AskedRequest,
): Promise<{ page: Omit<HitPage, 'total'>; size: number }> {
  for (let size = pageSize; ; size = Math.ceil(size / 10)) {
    const answer = await call.read(request(size), limits);
    if (answer.isPartial !== true) return { page: readPage(answer), size };
    if (size === 1) throw longFailure();
  }
}

/** Pages of a scroll cannot be read again, so they are small. */
const scrollSize = 100;

async function* readScroll(call: ClusterCall, { index, body }: AllHits): AsyncGenerator<HitPage> {
  const first = { sort: ['_doc'], ...body, size: scrollSize, track_total_hits: true };
  const path = buildPath(index, '_search');
  let answer = await call.read({ method: 'POST', path, params: { scroll: keepAlive }, body: first }, limits);
  const total = countTotal(answer.json);
  let id = textAt(answer.json, ['_scroll_id']);
  try {
    for (;;) {
      if (answer.isPartial === true) throw longFailure();
      const page = readPage(answer);
      if (page.hits.length === 0) return;
      yield { ...page, total };
      if (id === undefined) throw brokenFailure('the cluster gave no scroll');
      const next = { scroll: keepAlive, scroll_id: id };
      answer = await call.read({ method: 'POST', path: '/_search/scroll', body: next }, limits);
      id = textAt(answer.json, ['_scroll_id']) ?? id;
    }
  } finally {
    // This is best effort: the scroll also expires.
    if (id !== undefined)
      await call.ask({ method: 'DELETE', path: '/_search/scroll', body: { scroll_id: [id] } }).catch(() => undefined);
  }
}

function readPage(answer: Answer): Omit<HitPage, 'total'> {
  const [problem] = formatIncomplete(answer.json, { terminateAfter: false });
  if (problem !== undefined) throw brokenFailure(problem.replace(/\.$/, ''));
  const { hits } = isObject(answer.json) ? answer.json : {};
  const list = isObject(hits) && Array.isArray(hits.hits) ? hits.hits : undefined;
  if (list === undefined) throw brokenFailure('the cluster answered without hits');
  return { hits: list.filter(isObject), answer };
}

/** `what` was to be read. */
export function brokenFailure(why: string, what = 'documents'): Failure {
  return new Failure('limit', `not all ${what} could be read: ${why}`, {
    code: 'E_EXPORT_INCOMPLETE',
    hint: { call: 'es_cluster_health', run: 'health CONNECTION', to: 'see which shards are missing' },
  });
}

function longFailure(): Failure {
  return new Failure('limit', 'a document is too long to be exported', {
    code: 'E_EXPORT_CELL',
    hint: 'Leave long fields out with source: ["*"] minus them, or name the fields that are needed.',
  });
}
