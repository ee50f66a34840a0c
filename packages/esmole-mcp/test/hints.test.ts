import { fileURLToPath } from 'node:url';
import { describeHints } from '@dbmole/core/testing';
import { afterAll, beforeAll } from 'vitest';
import { definition } from '../src/server.ts';
import { type FakeNode, startNode } from './fake-node.ts';

const root = { version: { number: '9.1.0', build_flavor: 'default' }, tagline: 'You Know, for Search' };
const answers: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  '/': [200, root],
  '/locked/_search': [401, { error: { type: 'security_exception', reason: 'no' }, status: 401 }],
  '/busy/_search': [429, { error: { type: 'circuit_breaking_exception', reason: 'no' }, status: 429 }],
  '/red/_search': [
    503,
    { error: { type: 'no_shard_available_action_exception', reason: 'index [red] has no shard' }, status: 503 },
  ],
};

let node: FakeNode;
beforeAll(async () => {
  node = await startNode({
    answer: (response, { url = '' }) => {
      const [path = ''] = url.split('?');
      if (path.startsWith('/slow')) return;
      const missing = { error: { type: 'index_not_found_exception', reason: 'no such index', index: 'x' }, status: 404 };
      const [status, body] = answers[path] ?? [path.startsWith('/_') ? 200 : 404, path.startsWith('/_') ? {} : missing];
      response.writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      response.end(JSON.stringify(body));
    },
  });
});
afterAll(() => node.close());

/** One GET, as a call and as a command. */
const get = (path: string, connection = 'main') => ({
  tool: 'es_request',
  args: { connection, path },
  argv: ['query', connection, `GET ${path}`],
});

describeHints({
  definition,
  sources: fileURLToPath(new URL('../src', import.meta.url)),
  connections: () => {
    const main = { type: 'elasticsearch', auth: 'none', scheme: 'http', host: node.host, port: node.port };
    return [
      { ...main, name: 'main' },
      { ...main, name: 'narrow', indices: ['a'] },
      { ...main, name: 'broken', port: 'x' },
      { ...main, name: 'unset', auth: undefined, user: 'me', password: { env: 'NO_SUCH_PASSWORD' } },
      { ...main, name: 'closed', port: 1 },
      { ...main, name: 'tunnelled', ssh: { host: '127.0.0.1', port: 1, user: 'me', password: 'x' } },
    ];
  },
  calls: [
    { kind: 'input', tool: 'es_search', args: { connection: 'main', rows: 1 }, argv: ['query', 'main', 'a/_search'] },
    { kind: 'input', ...get('/a/_doc/%zz') },
    { kind: 'config', ...get('/', 'broken') },
    { kind: 'unknown', ...get('/', 'missing') },
    { kind: 'unknown', tool: 'es_search', args: { connection: 'main', index: 'x' } },
    { kind: 'unknown', tool: 'es_get_mapping', args: { connection: 'main', index: 'x' }, argv: ['mapping', 'main', 'x'] },
    { kind: 'refused', ...get('/_nothing') },
    { kind: 'refused', ...get('/b/_search', 'narrow') },
    {
      kind: 'refused',
      isWrite: true,
      tool: 'es_request',
      args: { connection: 'main', method: 'GET', path: '/a/_refresh' },
    },
    { kind: 'secret', ...get('/', 'unset') },
    { kind: 'connection', ...get('/', 'closed') },
    { kind: 'tunnel', ...get('/', 'tunnelled') },
    { kind: 'auth', tool: 'es_search', args: { connection: 'main', index: 'locked' } },
    { kind: 'engine', tool: 'es_search', args: { connection: 'main', index: 'busy' } },
    { kind: 'engine', tool: 'es_search', args: { connection: 'main', index: 'red' } },
    {
      kind: 'timeout',
      tool: 'es_search',
      args: { connection: 'main', index: 'slow', timeout_ms: 300 },
      argv: ['query', 'main', 'GET /slow', '--timeout', '300ms'],
    },
  ],
});
