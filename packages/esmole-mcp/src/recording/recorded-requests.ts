import type { CallRecord, Change, StatementKind } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import type { SendOptions } from '../backend.ts';
import type { ClusterIdentity, ClusterRequest } from '../call/cluster-request.ts';
import { isObject } from '../search/hit-table.ts';
import { maskRequest } from './mask-request.ts';

/** `write`: it may change something; `unsent`: it would have, and was refused or is asked about first. */
type Access = 'read' | 'write' | 'unsent';

/** Sends a request and records what became of it. The result is the answer, or what to ask. */
export type RequestRecorder = <T extends Answer | { change: Change }>(
  request: ClusterRequest,
  access: Access,
  send: (more: Pick<SendOptions, 'headers'>) => Promise<T>,
) => Promise<T>;

/** Records the requests of one call. */
export function recordRequests(record: CallRecord, { product, clusterName }: ClusterIdentity): RequestRecorder {
  const system = product === 'unknown' ? 'elasticsearch' : product;
  const more = record.tag === undefined ? {} : { headers: tagHeaders(record) };
  return async (request, access, send) => {
    const kind = access === 'read' ? 'read' : readWriteKind(request);
    const describe = () => maskRequest(request);
    const end = record.begin({ kind, writes: access === 'write' && kind !== 'read', system, database: clusterName, describe });
    try {
      const answer = await send(more);
      end('change' in answer ? { isUndone: true } : { status: answer.status, ...count(answer) });
      return answer;
    } catch (error) {
      end({ error });
      throw error;
    }
  };
}

/**
 * The id has no trace in it: a cluster keeps one deprecation warning for each id, and would keep all of them if no two were alike. It
 * shows the trace from its own header.
 */
function tagHeaders({ clientName, traceparent }: CallRecord): Record<string, string> {
  return { 'x-opaque-id': `esmole-mcp client=${clientName}`, traceparent };
}

const readingPath =
  /\/_(?:search|msearch|count|field_caps|mget|explain|validate|query|sql|eql|termvectors|mtermvectors|rank_eval)\b/;
const documentPath = /\/_(?:doc|create|update|bulk|update_by_query|delete_by_query|reindex)\b/;

/** Errs on the side of what changes. A search that keeps its result changes something as well. */
function readWriteKind({ method, path }: ClusterRequest): StatementKind {
  if (documentPath.test(path)) return 'dml';
  if (method === 'POST' && readingPath.test(path) && !/async|scroll|pit/.test(path)) return 'read';
  return method === 'PUT' || method === 'DELETE' ? 'ddl' : 'other';
}

/** What the answer says of how much there was. */
function count({ json }: Answer): { rows?: number; changed?: number } {
  if (!isObject(json)) return {};
  const { hits, values, rows, items, result } = json;
  const listed = [isObject(hits) ? hits.hits : undefined, values, rows].find((list) => Array.isArray(list));
  if (Array.isArray(listed)) return { rows: listed.length };
  if (Array.isArray(items)) return { changed: items.length };
  const counts = [json.created, json.updated, json.deleted].filter((number) => typeof number === 'number');
  if (counts.length > 0) return { changed: counts.reduce((sum, number) => sum + number, 0) };
  return result === 'created' || result === 'updated' || result === 'deleted' ? { changed: 1 } : {};
}
