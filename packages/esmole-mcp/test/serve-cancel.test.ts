import { describeCancellation } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterAll, beforeAll } from 'vitest';
import type { ClusterBackend } from '../src/backend.ts';
import { bin } from './bin.ts';
import { get, openCluster, write } from './open-cluster.ts';
import { fillSlowIndex, slowSearch } from './slow-search.ts';

const engine = useEngine('elasticsearch8', { shared: true });
const index = `given-up-${process.pid}`;
let backend: ClusterBackend;
const within = () => ({ signal: AbortSignal.timeout(60_000) });

beforeAll(async () => {
  const { host, port } = engine();
  backend = await openCluster({ host, port });
  await fillSlowIndex(backend, index);
}, 120_000);
afterAll(async () => {
  await backend.send(write('DELETE', `/${index}`), within());
  await backend.dispose();
});

describeCancellation({
  engine: 'elasticsearch8',
  server: () => {
    const { scheme, host, port } = engine();
    const connection = { name: 'main', type: 'elasticsearch', scheme, host, port, auth: 'none', readonly: true };
    return { file: bin, env: { ESMOLE_CONNECTIONS: JSON.stringify([connection]) } };
  },
  slow: (mark) => ({
    tool: 'es_request',
    args: { method: 'POST', path: `/${index}/_search`, body: slowSearch(mark), timeout_ms: 40_000 },
  }),
  async countRunning(mark) {
    const { text } = await backend.send(get('/_tasks?actions=*search*&detailed=true'), within());
    return text.includes(mark) ? 1 : 0;
  },
});
