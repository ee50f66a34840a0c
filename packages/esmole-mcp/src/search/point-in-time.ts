import { Failure } from '@dbmole/core';
import { answerFailure, textAt } from '../call/answer-failure.ts';
import { buildPath, type ClusterCall } from '../call/cluster-call.ts';
import type { AskedRequest, ClusterIdentity } from '../call/cluster-request.ts';
import { guardRequest } from '../guard/guard.ts';

/** A point in time, which keeps the pages of one search consistent. It ends by itself when no further page is read. */
export interface PointInTime {
  id: string;
  /** Closed by us: nothing is left to read. */
  isClosed: boolean;
}

export const keepAlive = '5m';

/** Opens a point in time, or says why it cannot. */
export async function openPointInTime(call: ClusterCall, index: string | undefined): Promise<PointInTime | string> {
  const opened = await requestPointInTime(call, index);
  if (typeof opened === 'string' || isReadable(call, opened.id)) return opened;
  await closePointInTime(call, opened);
  return 'the guard refuses its id';
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

/** This is best effort: the point in time ends by itself as well. */
export async function closePointInTime(call: ClusterCall, pit: PointInTime): Promise<void> {
  if (pit.isClosed) return;
  pit.isClosed = true;
  const request: AskedRequest = isOpenSearch(call.identity)
    ? { method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [pit.id] } }
    : { method: 'DELETE', path: '/_pit', body: { id: pit.id } };
  await call.ask(request).catch(() => undefined);
}

/**
 * What tells documents with the same sort values apart, within one point in time. OpenSearch counts shards for each index alone, and
 * old versions have nothing of the kind: what is left there is to count, as far as a cluster lets us.
 */
export function findTieBreakers({ product, major = 0, minor = 0 }: ClusterIdentity): readonly string[] {
  const version = major * 100 + minor;
  if (product === 'opensearch') return version >= 303 ? ['_index', '_shard_doc'] : [];
  return product === 'elasticsearch' && version >= 712 ? ['_shard_doc'] : [];
}

/** Sorts behind every document that has the same sort values before it. */
export const lastTie: Readonly<Record<string, string>> = { _index: '\u{10ffff}', _shard_doc: '9223372036854775807' };

function isOpenSearch({ product }: ClusterIdentity): boolean {
  return product === 'opensearch';
}

/** Whether the version has points in time at all; some users may not open one all the same. */
export function hasPointInTime({ product, major = 0, minor = 0 }: ClusterIdentity): boolean {
  const version = major * 100 + minor;
  return product === 'opensearch' ? version >= 204 : product === 'elasticsearch' && version >= 710;
}
