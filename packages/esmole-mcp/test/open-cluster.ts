import type { BackendTarget } from '@dbmole/core';
import { type ClusterBackend, createBackend } from '../src/backend.ts';
import {
  acceptRead,
  acceptWrite,
  type ClusterRequest,
  ownRead,
  parseTarget,
  type ReadRequest,
} from '../src/call/cluster-request.ts';
import { type Connection, connectionSchema, resolvePort } from '../src/connection/schema.ts';

export const never = new AbortController().signal;

/** Opens it as the manager would. */
export function openCluster(fields: object, target: Partial<BackendTarget<Connection>> = {}): Promise<ClusterBackend> {
  const config = connectionSchema.parse({ name: 'c', type: 'elasticsearch', scheme: 'http', ...withAuth(fields) });
  const { host } = config;
  return createBackend({ config, connectHost: host, connectPort: resolvePort(config), serverName: host, ...target });
}

function withAuth(fields: object): object {
  return 'apiKey' in fields || 'user' in fields || 'url' in fields ? fields : { ...fields, auth: 'none' };
}

export const get = ownRead;

/** A search that the guard would let pass; it is tested elsewhere. */
export function post(path: string, body: ClusterRequest['body']): ReadRequest {
  return acceptRead({ method: 'POST', body, ...parseTarget({ path, params: {} }) });
}

export function write(method: ClusterRequest['method'], path: string, body?: ClusterRequest['body']) {
  return acceptWrite({ method, path, body, params: {} }, { name: 'c', readonly: false });
}
