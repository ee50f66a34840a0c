import type { TestClient } from '@dbmole/core/testing';
import { type ServerId, useEngine } from '@dbmole/engines';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FakeNode, startNode } from './fake-node.ts';
import { openTools } from './open-tools.ts';

const engines: readonly ServerId[] = ['elasticsearch7', 'elasticsearch8', 'elasticsearch9', 'opensearch3'];

describe.each(engines)('listing the indices of %s', (id) => {
  const engine = useEngine(id, { shared: true });
  const prefix = `list-${id}`;
  let tools: TestClient;
  let writer: TestClient;
  const send = async (method: string, path: string, body?: unknown) => {
    const { text } = await writer.call('es_request', {
      method,
      path,
      body,
      ...(method === 'POST' && { params: { refresh: true } }),
    });
    return text;
  };

  beforeAll(async () => {
    tools = await openTools(engine());
    writer = await openTools(engine(), { readonly: false });
    const days = Array.from({ length: 6 }, (_, day) => `${prefix}-2024.01.0${day + 1}`);
    const lines = [...days, `${prefix}-other`].flatMap((name) => [{ index: { _index: name } }, { a: 1 }]);
    const template = { index_patterns: [`${prefix}-*`], template: { settings: { number_of_shards: 1, number_of_replicas: 0 } } };
    expect(await send('PUT', `/_index_template/${prefix}`, template)).toMatch(/^Status 200/);
    expect(await send('POST', '/_bulk', lines)).toMatch(/"errors":false/);
    expect(await send('PUT', `/${prefix}-other/_alias/${prefix}-alias`)).toMatch(/^Status 200/);
    expect(await send('PUT', `/${prefix}-shut`)).toMatch(/^Status 200/);
    await writer.call('es_request', { method: 'POST', path: `/${prefix}-shut/_close` });
  }, 60_000);

  afterAll(async () => {
    const names = ['other', 'shut', ...Array.from({ length: 6 }, (_, day) => `2024.01.0${day + 1}`)];
    await send('DELETE', `/${names.map((name) => `${prefix}-${name}`).join(',')}`);
    await send('DELETE', `/_index_template/${prefix}`);
    await Promise.all([tools.close(), writer.close()]);
  });

  const list = async (args: object = {}) => (await tools.call('es_list_indices', { index: `${prefix}-*`, ...args })).text;

  it('shows a line for each index, and one for a series', async () => {
    const [line, head, ...rows] = (await list()).split('\n');
    expect(line).toMatch(/^3 rows\. 8 indices, 7 docs, [\d.]+ [KM]?B in all\..*pass it as index/);
    expect(head).toBe('index,health,docs,size,note');
    expect(rows[0]).toMatch(new RegExp(`^${prefix}-2024\\.01\\.\\*,green,6,.*6: ${prefix}-2024.01.01 … ${prefix}-2024.01.06`));
    expect(rows[1]).toMatch(new RegExp(`^${prefix}-other,green,1,.*,alias ${prefix}-alias$`));
    expect(rows[2]).toMatch(new RegExp(`^${prefix}-shut,\\w+,"","",closed$`));
  });

  it('lists the members of a pattern that it has shown', async () => {
    const text = await list({ index: `${prefix}-2024.01.*`, limit: 4, sort: 'docs' });
    expect(text).toMatch(/^Rows 1-4; more follow: same call with offset=4\./);
    expect(text.split('\n')).toHaveLength(6);
    expect((await list({ index: `${prefix}-alias` })).split('\n')).toHaveLength(3);
    expect(await list({ index: `${prefix}-none*` })).toMatch(/^No rows\. No index matches "[^"]+"; nearest: [^.]*\b[^ ]+\.$/);
  });

  it('offers names that resemble a missing index', async () => {
    const reply = await tools.call('es_list_indices', { index: `${prefix}-othr` });
    expect(reply.isError).toBe(true);
    expect(reply.structured).toMatchObject({ code: 'E_UNKNOWN_INDEX', nearest: expect.arrayContaining([`${prefix}-other`]) });
    const search = await tools.call('es_search', { index: `${prefix}-alis` });
    expect(search.structured).toMatchObject({ code: 'E_UNKNOWN_INDEX', nearest: expect.arrayContaining([`${prefix}-alias`]) });
  });

  it('says that nested objects are counted as documents', async () => {
    const index = `nested-${id}`;
    await send('DELETE', `/${index}`);
    await send('PUT', `/${index}`, { mappings: { properties: { spans: { type: 'nested' } } } });
    await send('POST', '/_bulk', [{ index: { _index: index } }, { spans: [{ a: 1 }, { a: 2 }] }]);
    const text = await list({ index });
    expect(text).toMatch(/ 3 docs, .* docs also counts the objects of nested fields \(spans\)\./);
    expect(await list()).not.toContain('nested fields');
    await send('DELETE', `/${index}`);
  });

  it('lists hidden indices with their sizes, unless the connection may read only some indices', async () => {
    const name = `.${prefix}-hidden`;
    const body = JSON.stringify({ settings: { number_of_replicas: 0, 'index.hidden': true } });
    await fetch(`${engine().url}/${name}`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
    const list = async (fields: Record<string, unknown>, args: Record<string, unknown>) => {
      const opened = await openTools(engine(), fields);
      const reply = await opened.call('es_list_indices', args);
      await opened.close();
      return reply;
    };
    expect((await list({}, {})).text).not.toContain(name);
    expect((await list({}, { hidden: true })).text).toContain(`\n${name},green,0,`);
    expect((await list({ systemIndices: true }, { hidden: true, index: `${prefix}-o*` })).text).toContain(`${prefix}-other`);
    expect((await list({ indices: [`${prefix}-*`] }, { hidden: true })).isError).toBe(true);
    await fetch(`${engine().url}/${name}`, { method: 'DELETE' });
  });
});

describe('a cluster with a data stream', () => {
  let node: FakeNode;
  let tools: TestClient;
  const open = async (answers: Record<string, [status: number, json: unknown]>) => {
    const root = { version: { number: '9.1.0', build_flavor: 'default' }, tagline: 'You Know, for Search' };
    node = await startNode({
      answer: (response, { url = '' }) => {
        const found = Object.entries(answers).find(([path]) => url.startsWith(path)) ?? ['/', [200, root]];
        response.writeHead(found[1][0], { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
        response.end(JSON.stringify(found[1][1]));
      },
    });
    tools = await openTools({ scheme: 'http', host: node.host, port: node.port });
  };
  afterEach(async () => {
    await tools.close();
    await node.close();
  });

  const row = (index: string, more: object = {}) => ({
    index,
    health: 'green',
    status: 'open',
    'docs.count': '2',
    'store.size': '1024',
    ...more,
  });
  const backing = ['.ds-app-2024.01.01-000001', '.ds-app-2024.01.02-000002', 'shrink-app-1'];

  it('shows a data stream in place of its indices', async () => {
    const streams = { data_streams: [{ name: 'app', indices: backing.map((index_name) => ({ index_name })) }] };
    await open({
      '/_cat/indices': [200, [...backing.map((name) => row(name)), row('.ds-old-000001'), row('plain')]],
      '/_data_stream': [200, streams],
      '/_alias': [403, { error: { type: 'security_exception' } }],
    });
    const lines = (await tools.call('es_list_indices')).text.split('\n');
    expect(lines[0]).toContain('5 indices, 2 data streams, 10 docs, 5 KB in all. Aliases are not shown');
    expect(lines.slice(2)).toEqual([
      'app,green,6,3 KB,data stream of 3 indices',
      'old,green,2,1 KB,data stream of 1 index',
      'plain,green,2,1 KB,""',
    ]);
    expect((await tools.call('es_list_indices', { index: 'app' })).text).toContain('shrink-app-1');
  });

  it('lists names for a user without the monitor privilege', async () => {
    const denied = { error: { type: 'security_exception', reason: 'action [indices:monitor/stats] is unauthorized' } };
    const found = {
      indices: [
        { name: 'plain', aliases: ['p'], attributes: ['open'] },
        { name: 'shut', attributes: ['closed'] },
        { name: backing[0], attributes: ['open', 'hidden'], data_stream: 'app' },
      ],
      aliases: [{ name: 'p', indices: ['plain'] }],
      data_streams: [{ name: 'app', backing_indices: [backing[0]] }],
    };
    await open({ '/_cat/indices': [403, denied], '/_resolve/index/*': [200, found] });
    const lines = (await tools.call('es_list_indices')).text.split('\n');
    expect(lines[0]).toContain('Without health, docs and size: this user lacks the privilege `monitor`.');
    expect(lines.slice(1)).toEqual(['index,note', 'app,data stream of 1 index', 'plain,alias p', 'shut,closed']);
  });

  it('names the missing privilege when nothing may be seen', async () => {
    const denied = { error: { type: 'security_exception', reason: 'no' } };
    await open({ '/_cat/indices': [403, denied], '/_resolve/index/': [403, denied] });
    expect((await tools.call('es_list_indices')).structured).toMatchObject({ code: 'E_FORBIDDEN' });
  });

  it('lists thousands of indices in a few lines', async () => {
    const day = (at: number) => new Date(Date.UTC(2020, 0, at + 1)).toISOString().slice(0, 10).replaceAll('-', '.');
    await open({ '/_cat/indices': [200, Array.from({ length: 2_000 }, (_, at) => row(`logs-${'abcde'[at % 5]}-${day(at)}`))] });
    const { text } = await tools.call('es_list_indices');
    expect(text.length).toBeLessThan(1_000);
    expect(text).toContain('logs-e-*,green,800,400 KB,400: logs-e-2020.01.05 … logs-e-2025.06.22');
    expect((await tools.call('es_list_indices', { index: 'logs-e-*', limit: 1_000 })).text.split('\n')).toHaveLength(2 + 400 + 4);
  });
});

describe('a cluster without a master', () => {
  it('reports a missing master without waiting for the rest', async () => {
    const error = { type: 'master_not_discovered_exception', reason: null };
    const node = await startNode({
      answer: (response, { url = '' }) => {
        response.setHeader('content-type', 'application/json').setHeader('x-elastic-product', 'Elasticsearch');
        if (url.includes('_cat/indices')) response.writeHead(503).end(JSON.stringify({ error, status: 503 }));
        else if (url === '/')
          response.end('{"version":{"number":"9.1.0","build_flavor":"default"},"tagline":"You Know, for Search"}');
      },
    });
    const tools = await openTools({ scheme: 'http', host: node.host, port: node.port });
    const started = performance.now();
    const { text } = await tools.call('es_list_indices', {});
    expect(text).toMatch(/^E_UNAVAILABLE \(503\): .*master_not_discovered/);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(node.seen.find(({ url }) => url?.includes('_cat/indices'))?.url).toContain('master_timeout=2s');
    await tools.close();
    await node.close();
  });
});
