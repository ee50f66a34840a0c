import { createApp } from '@dbmole/core';
import { connectTestClient, type TestClient, useTempFolder } from '@dbmole/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { definition } from '../src/server.ts';
import { type FakeNode, startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

const folder = useTempFolder();
let node: FakeNode;
let tools: TestClient;
beforeEach(async () => {
  node = await startNode();
  tools = await openTools({ scheme: 'http', host: node.host, port: node.port }, { readonly: false, indices: ['logs-*'] });
});
afterEach(async () => {
  await tools.close();
  await node.close();
});

it('keeps a writable connection within its indices, whatever the method', async () => {
  const refused = [
    { method: 'POST', path: '/other/_search', body: {} },
    { method: 'POST', path: '/_sql', body: { query: 'select * from other' } },
    { method: 'PUT', path: '/other/_doc/1', body: {} },
    { method: 'DELETE', path: '/other' },
    { method: 'POST', path: '/logs-1/_bulk', body: [{ index: { _index: 'other' } }, {}] },
  ];
  for (const request of refused) {
    expect((await tools.call('es_request', request)).structured, JSON.stringify(request)).toMatchObject({
      code: 'E_INDEX_REFUSED',
    });
  }
  await tools.call('es_request', { method: 'PUT', path: '/logs-1/_doc/1', body: { a: 1 } });
  await tools.call('es_request', { method: 'POST', path: '/logs-1/_bulk', body: [{ index: {} }, { a: 1 }] });
  const sent = node.seen.map(({ method, url }) => `${method} ${url}`).filter((line) => !line.startsWith('GET '));
  expect(sent).toEqual(['PUT /logs-1/_doc/1', 'POST /logs-1/_bulk']);
});

it('keeps each of several searches within its indices', async () => {
  const search = async (...searches: object[]) => (await tools.call('es_search', { searches })).structured;
  expect(await search({ index: 'logs-1' }, { index: 'other' })).toMatchObject({ code: 'E_INDEX_REFUSED' });
  expect(
    await search(
      { index: 'logs-1' },
      { index: 'logs-*', body: { query: { terms: { a: { index: 'other', id: '1', path: 'b' } } } } },
    ),
  ).toMatchObject({
    code: 'E_INDEX_REFUSED',
  });
  await search({ count: true }, { size: 1 });
  await search({ index: 'logs-1' }, { size: 1 });
  const sent = node.seen.map(({ method, url }) => `${method} ${url}`).filter((line) => !line.startsWith('GET '));
  expect(sent).toEqual(['POST /logs-*/_msearch', 'POST /logs-*/_msearch']);
});

it('lets no tool bypass the list with another connection', async () => {
  const again = { type: 'elasticsearch', scheme: 'http', host: node.host, port: node.port, auth: 'none', readonly: true };
  expect((await tools.call('add_connection', { ...again, name: 'wide' })).structured).toMatchObject({ code: 'E_PERSON_ONLY' });
  const url = `http://${node.host}:${node.port}`;
  const byUrl = await tools.call('add_connection', { name: 'wide', url, auth: 'none', readonly: true });
  expect(byUrl.structured).toMatchObject({ code: 'E_PERSON_ONLY' });
  expect((await tools.call('list_connections')).text).toMatch(/^1 row\./);
});

it('lets a writable connection read no hidden index by another method', async () => {
  const open = await openTools({ scheme: 'http', host: node.host, port: node.port }, { readonly: false });
  try {
    for (const path of ['/.kibana/_search', '/.kibana/_search?search_pipeline=p', '/.kibana/_async_search', '/.kibana/_doc']) {
      expect((await open.call('es_request', { method: 'POST', path, body: {} })).structured, path).toMatchObject({
        code: 'E_INDEX_REFUSED',
      });
    }
    await open.call('es_request', { method: 'POST', path: '/_search', body: {} });
    await open.call('es_request', { method: 'POST', path: '/a/_doc', params: { refresh: true }, body: { index: '.kibana' } });
    await open.call('es_request', { method: 'DELETE', path: '/a' });
  } finally {
    await open.close();
  }
  const sent = node.seen.map(({ method, url }) => `${method} ${url}`).filter((line) => !line.startsWith('GET '));
  expect(sent).toEqual(['POST /*,-.*,.ds-*,-.ds-.*/_search', 'POST /a/_doc?refresh=true', 'DELETE /a']);
});

it('shows a client that may only read no secrets of a writable connection', async () => {
  const connection = { name: 'main', type: 'elasticsearch', scheme: 'http', host: node.host, port: node.port, auth: 'none' };
  const env = { ESMOLE_CONNECTIONS: JSON.stringify([{ ...connection, readonly: false }]) };
  const app = createApp(definition, { env, cwd: folder.path, home: folder.path, log: () => undefined });
  const [writer, reader] = [await connectTestClient(app.toolServer), await connectTestClient(app.openView({ readonly: true }))];
  try {
    for (const path of ['/_scripts/x', '/_snapshot', '/_security/api_key']) {
      expect((await writer.call('es_request', { path })).isError, path).toBe(false);
      expect((await reader.call('es_get', { path })).structured, path).toMatchObject({ code: 'E_SENSITIVE' });
    }
    await expect(reader.call('es_request', { method: 'DELETE', path: '/a' })).rejects.toThrow('no tool is called');
  } finally {
    await Promise.all([writer.close(), reader.close()]);
    await app.dispose();
  }
});
