import { Failure } from '@dbmole/core';
import type { Answer, ClusterBackend } from './backend.ts';

/**
 * Product, version and cluster in one line. A role may not be allowed to read `/`, and some builds do not serve it, so an
 * answer that says only "I am there" counts as well.
 */
export async function identify(backend: ClusterBackend, signal: AbortSignal): Promise<string> {
  const answer = await backend.request('GET', '/', signal);
  if (answer.status === 200) return describe(answer.body);
  if (answer.status === 401) throw refused(answer);
  if (answer.status === 403 || answer.status === 405)
    return `it answers; its version is not shown to this user (status ${answer.status})`;
  throw new Failure('engine', `GET / was answered with status ${answer.status}`, { engineCode: String(answer.status) });
}

function describe(body: unknown): string {
  const number = textAt(body, ['version', 'number']);
  const cluster = textAt(body, ['cluster_name']);
  if (number === undefined) {
    throw new Failure('engine', 'what answers there is not a cluster', { hint: 'Check host, port and scheme.' });
  }
  const product = textAt(body, ['version', 'distribution']) === 'opensearch' ? 'OpenSearch' : 'Elasticsearch';
  return `${product} ${number}, cluster ${cluster ?? 'without a name'}`;
}

function refused(answer: Answer): Failure {
  const reason = textAt(answer.body, ['error', 'reason']) ?? 'the cluster wants credentials';
  return new Failure('auth', reason, { engineCode: '401', hint: 'Check user and password.' });
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, key);
  }
  return typeof current === 'string' ? current : undefined;
}
