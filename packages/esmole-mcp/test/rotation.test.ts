import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText, ServerProcess } from '@dbmole/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bin } from './bin.ts';
import { type FakeNode, startNode } from './fake-node.ts';

let accepted = 'first';
let node: FakeNode;
let server: ServerProcess;
beforeEach(async () => {
  node = await startNode({
    answer: (response, { headers }) => {
      const isKnown = headers.authorization === `Basic ${Buffer.from(`reader:${accepted}`).toString('base64')}`;
      response.statusCode = isKnown ? 200 : 401;
      response.setHeader('content-type', 'application/json').setHeader('x-elastic-product', 'Elasticsearch');
      const body = { cluster_name: 'c', version: { number: '8.15.0' }, tagline: 'You Know, for Search', count: 42 };
      response.end(JSON.stringify(isKnown ? body : { error: { type: 'security_exception' }, status: 401 }));
    },
  });
  server = new ServerProcess({ file: bin });
});
afterEach(async () => {
  await server.stop();
  await node.close();
});

it('resolves a changed password again, and does not resend a wrong one', async () => {
  const at = (name: string) => join(server.home, name);
  const folder = join(server.home, '.config', 'esmole');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const command = ['sh', '-c', `echo run >> ${at('runs')}; cat ${at('vault')}`];
  const { host, port } = node;
  const connection = { name: 'logs', type: 'elasticsearch', scheme: 'http', host, port, user: 'reader', password: { command } };
  writeFileSync(join(folder, 'connections.json'), JSON.stringify({ version: 1, connections: [connection] }), { mode: 0o600 });
  const runs = () => readFileSync(at('runs'), 'utf8').split('\n').length - 1;
  const ask = async () => readText(await server.callTool('es_request', { method: 'GET', path: '/logs/_count' }));
  await server.initialize();

  writeFileSync(at('vault'), 'first');
  expect(await ask()).toContain('42');
  expect(await ask()).toContain('42');
  expect(runs()).toBe(1);
  const sent = () => node.seen.map(({ headers }) => headers.authorization).filter((one) => one !== undefined);
  accepted = 'second-Pw';
  writeFileSync(at('vault'), 'second-Pw');
  expect(await ask()).toContain('42');
  expect(runs()).toBe(2);
  accepted = 'third-Pw';
  expect(await ask()).toContain('E_AUTH');
  expect(runs()).toBe(3);
  const before = sent().length;
  expect(readText(await server.callTool('test_connection', { name: 'logs' }))).toContain('E_AUTH');
  expect(sent().length - before).toBe(1);
  expect(runs()).toBe(4);
  writeFileSync(at('vault'), 'third-Pw');
  expect(readText(await server.callTool('test_connection', { name: 'logs' }))).toContain('8.15.0');
  expect(await ask()).toContain('42');
});
