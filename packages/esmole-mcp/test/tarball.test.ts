import { fileURLToPath } from 'node:url';
import { describeTarball, readText } from '@dbmole/core/testing';
import { openNode, useEngine } from '@dbmole/engines';
import { describe, expect } from 'vitest';

describe('as installed', () => {
  const cluster = useEngine('elasticsearch7', { shared: true });

  describeTarball({
    name: 'esmole-mcp',
    tools: 15,
    library: { creates: 'createEsmole', connection: `{ name: 'logs', host: 'search.example.com', auth: 'none' }` },
    folder: fileURLToPath(new URL('..', import.meta.url)),
    runtimes: { 20: () => openNode(20), 22: () => openNode(22), 24: () => openNode(24) },
    env: () => {
      const { host, port } = cluster();
      return {
        ESMOLE_CONNECTIONS: JSON.stringify([{ name: 'es', type: 'elasticsearch', scheme: 'http', host, port, auth: 'none' }]),
      };
    },
    saved: {
      ...{ app: 'esmole', extension: 'http', comment: '#', connection: 'es' },
      before: { body: 'GET /?filter_path=version.number', answer: '"number":"7.17' },
      after: { body: 'GET /_cluster/health?filter_path=status', answer: '"status":' },
    },
    // The HTTP client is a chunk of its own: that it loads is part of what was packed.
    async check(server) {
      expect(readText(await server.callTool('test_connection', { name: 'es' }))).toContain('Elasticsearch 7.17');
    },
  });
});
