import type { Backend, BackendTarget } from '@dbmole/core';
import type { Connection } from './schema.ts';

export interface Answer {
  status: number;
  body: unknown;
}

/** A cluster, reached. */
export interface ClusterBackend extends Backend {
  /** Never throws on a status of 400 or above. */
  request(method: 'GET' | 'HEAD', path: string, signal: AbortSignal): Promise<Answer>;
}

/** The HTTP client is loaded when the first connection is opened, never at start. */
export async function createBackend(target: BackendTarget<Connection>): Promise<ClusterBackend> {
  const { openClient } = await import('./client.ts');
  return openClient(target);
}
