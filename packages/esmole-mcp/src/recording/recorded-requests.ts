import type { CallRecord, StatementKind } from '@dbmole/core';
import type { Answer } from '../answer/answer.ts';
import type { SendOptions } from '../backend.ts';
import type { ClusterIdentity, ClusterRequest } from '../call/cluster-request.ts';
import { isObject } from '../search/hit-table.ts';
import { maskRequest } from './mask-request.ts';

/** Sends a request and records what became of it. `writes`: it may change something. */
export type RequestRecorder = (
  request: ClusterRequest,
  writes: boolean,
  send: (more: Pick<SendOptions, 'headers'>) => Promise<Answer>,
) => Promise<Answer>;

/** Records the requests of one call. */
export function recordRequests(record: CallRecord, { product, clusterName }: ClusterIdentity): RequestRecorder {
  const system = product === 'unknown' ? 'elasticsearch' : product;
  const more = record.tag === undefined ? {} : { headers: tagHeaders(record) };
  return async (request, writes, send) => {
    const kind = writes ? readWriteKind(request) : 'read';
    const describe = () => maskRequest(request);
    const end = record.begin({ kind, writes: writes && kind !== 'read', system, database: clusterName, describe });
    try {
      const answer = await send(more);
      end({ status: answer.status, ...count(answer) });
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
