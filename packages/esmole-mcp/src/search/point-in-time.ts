import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '@dbmole/core';
import { formatIncomplete } from '../answer/incomplete.ts';
import type { ClusterBackend } from '../backend.ts';
import { answerFailure, textAt } from '../call/answer-failure.ts';
import type { ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest, ClusterIdentity } from '../call/cluster-request.ts';
import { buildPath } from '../call/path.ts';
import { guardRequest } from '../guard/guard.ts';

/** A point in time, which keeps the pages of one search consistent. It expires when no further page is read. */
export interface PointInTime {
  id: string;
  /** Closed by us: nothing is left to read. */
  isClosed: boolean;
}

export const keepAlive = '5m';

/** Opens a point in time, or says why it cannot. */
export async function openPointInTime(call: ClusterCall, index: string | undefined): Promise<PointInTime | string> {
  const opened = await requestPointInTime(call, index);
  if (typeof opened === 'string') return opened;
  const problem = isReadable(call, opened.id) ? await findMissingCluster(call, index) : 'the guard refuses its id';
  if (problem === undefined) return opened;
  await closePointInTime(call, opened);
  return problem;
}

/** A remote cluster that cannot be reached is missing in a point in time without a word; a search says so. */
async function findMissingCluster(call: ClusterCall, index = '*'): Promise<string | undefined> {
  if (!index.includes(':')) return undefined;
  const body = { size: 0, track_total_hits: false };
  const { json } = await call.ask({ method: 'POST', path: buildPath(index, '_search'), body });
  return formatIncomplete(json, { terminateAfter: false })[0]?.replace(/: results are partial\.$/, '');
}

/** Whether the guard accepts the id: an alias may lead to indices that this connection may not name. */
export function isReadable({ identity, lease }: ClusterCall, id: string): boolean {
  try {
    guardRequest({ method: 'POST', path: '/_search', params: {}, body: { pit: { id } } }, { identity, ...lease.backend.rules });
    return true;
  } catch {
    return false;
  }
}

async function requestPointInTime(call: ClusterCall, index: string | undefined): Promise<PointInTime | string> {
  const name = index ?? '*';
  const path = isOpenSearch(call.identity) ? buildPath(name, '_search', 'point_in_time') : buildPath(name, '_pit');
  try {
    const answer = await call.ask({ method: 'POST', path, params: { keep_alive: keepAlive } });
    const id = textAt(answer.json, ['id']) ?? textAt(answer.json, ['pit_id']);
    return id === undefined ? (answerFailure(answer)?.message ?? 'the cluster gave no id') : { id, isClosed: false };
  } catch (error) {
    // The guard knows that this cluster has none, or that it would read what this connection may not.
    if (error instanceof Failure && error.kind === 'refused') return error.message;
    throw error;
  }
}

/** This is best effort: the point in time also expires. */
export async function closePointInTime(call: ClusterCall, pit: PointInTime): Promise<void> {
  if (pit.isClosed) return;
  pit.isClosed = true;
  const request: AskedRequest = isOpenSearch(call.identity)
    ? { method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit.id] } }
    : { method: 'DELETE', path: '/_pit', body: { id: pit.id } };
  await call.ask(request).catch(() => undefined);
}

/**
 * What distinguishes documents with the same sort values, within one point in time. OpenSearch counts shards for each index alone, and
 * old versions have nothing of the kind: what is left there is to count, as far as a cluster lets us.
 */
export function findTieBreakers({ product, major = 0, minor = 0 }: ClusterIdentity): readonly string[] {
  const version = major * 100 + minor;
  if (product === 'opensearch') return version >= 303 ? ['_index', '_shard_doc'] : [];
  return product === 'elasticsearch' && version >= 712 ? ['_shard_doc'] : [];
}

/** Sorts after every document that has the same sort values before it. */
export const lastTie: Readonly<Record<string, string>> = { _index: '\u{10ffff}', _shard_doc: '9223372036854775807' };

function isOpenSearch({ product }: ClusterIdentity): boolean {
  return product === 'opensearch';
}

/** Whether the version has points in time at all; some users may still not open one. */
export function hasPointInTime({ product, major = 0, minor = 0 }: ClusterIdentity): boolean {
  const version = major * 100 + minor;
  return product === 'opensearch' ? version >= 204 : product === 'elasticsearch' && version >= 710;
}

/** The position at which a search continues. */
export interface Position {
  /** A hash of what the caller has to repeat: a cursor continues the same search only. */
  readonly search: string;
  /** Opened with the second page, because most callers read only one. */
  readonly pit: PointInTime | undefined;
  /** Documents before the next one, in the order of the point in time; undefined where only sort values can go on. */
  readonly next: number | undefined;
  /** The sort values of the last one, where something distinguishes all documents. */
  readonly after: readonly unknown[] | undefined;
  /** Documents before the next one, as the caller counts them. */
  readonly count: number | undefined;
  /** Documents that the first page has shown, and that may come again in the point in time. */
  readonly seen: ReadonlySet<string>;
  /** The number of documents that the first page has skipped. */
  readonly skipped: number;
}

/** Each page is one; the oldest are forgotten first. */
const maxPositions = 200;

const positions = new WeakMap<ClusterBackend, Map<string, Position>>();

/** A short name for a position, which is ours: a caller cannot name one of another connection. */
export function savePosition(backend: ClusterBackend, position: Position): string {
  const known = positions.get(backend) ?? new Map<string, Position>();
  positions.set(backend, known);
  const cursor = `${randomBytes(4).toString('hex')}.${position.count ?? 'x'}`;
  known.set(cursor, position);
  const [oldest] = known.keys();
  if (known.size > maxPositions && oldest !== undefined) known.delete(oldest);
  return cursor;
}

export function findPosition(backend: ClusterBackend, cursor: string, search: string): Position {
  // The first line ends with the cursor and a period, which is easily copied with it.
  const found = positions.get(backend)?.get(cursor.replace(/\.$/, ''));
  if (found === undefined || found.pit?.isClosed === true) throw goneFailure();
  if (found.search === search) return found;
  throw new Failure('input', `the cursor ${JSON.stringify(cursor.slice(0, 40))} belongs to another search`, {
    hint: 'Repeat index, query, q, sort and body of the call that gave it, or leave out `cursor`.',
  });
}

export function goneFailure(): Failure {
  return new Failure('unknown', 'the cursor has ended: all pages were read, or five minutes have passed since the last one', {
    code: 'E_CURSOR_GONE',
    hint: 'Call without `cursor` to start over.',
  });
}

export function hashSearch(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
