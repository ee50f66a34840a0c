import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openProgram, type TestClient } from '@dbmole/core/testing';
import { type RunningEngine, useEngine } from '@dbmole/engines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { definition } from '../src/server.ts';

interface FakeOptions {
  readonly engine: RunningEngine;
  /** The major version whose way to answer it has. */
  readonly major: 7 | 8;
}

interface OwnAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

function formatError(statusCode: number, error: string, message: string): OwnAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status: statusCode, headers, text: JSON.stringify({ statusCode, error, message }) };
}

/** What Kibana answers before it asks the cluster. */
function findOwnAnswer(path: string, headers: IncomingMessage['headers']): OwnAnswer | undefined {
  if (!path.startsWith('/base')) return { status: 302, headers: { location: '/base/login' }, text: '' };
  if (!/^\/base(?:\/s\/ops)?\/api\/console\/proxy$/.test(path)) return formatError(404, 'Not Found', 'Not Found');
  if (headers.authorization === undefined) return formatError(401, 'Unauthorized', 'Unauthorized');
  if (headers.authorization === 'ApiKey bm86a2V5') return formatError(403, 'Forbidden', 'Insufficient privileges');
  if (headers['kbn-xsrf'] === undefined) return formatError(400, 'Bad Request', 'Request must contain a kbn-xsrf header.');
  if (Number(headers['content-length'] ?? 0) > 1_048_576)
    return formatError(413, 'Request Entity Too Large', 'Payload content length greater than maximum allowed');
  return undefined;
}

/** Where it cannot, or may not, send the request. */
function findProxyAnswer(path: string, major: number): OwnAnswer | undefined {
  if (path.startsWith('/_cluster/settings')) return formatError(502, 'Bad Gateway', 'connect ECONNREFUSED');
  if (major !== 7 || !path.startsWith('/_cat/master')) return undefined;
  const text = `Error connecting to '${path}':\n\nUnable to send requests to that path.`;
  return { status: 403, headers: { 'content-type': 'text/plain' }, text };
}

/**
 * Answers as the console proxy of Kibana does by its source: a POST with `kbn-xsrf`, the request in `path` and `method`, a login that is
 * passed on, other headers that are not. Version 8 has the status of the cluster in a header, version 7 in its own. It is not Kibana.
 */
async function openFakeKibana({ engine, major }: FakeOptions) {
  const seen: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((incoming, answer) => {
    const { url = '', headers } = incoming;
    seen.push({ url, headers });
    const place = new URL(url, 'http://kibana');
    const asked = { method: place.searchParams.get('method') ?? '', path: place.searchParams.get('path') ?? '' };
    const own = findOwnAnswer(place.pathname, headers) ?? findProxyAnswer(asked.path, major);
    if (own === undefined) return forward(asked, { incoming, answer });
    answer.writeHead(own.status, { 'kbn-name': 'fake', ...own.headers });
    answer.end(own.text);
  });

  const forward = (
    asked: { method: string; path: string },
    { incoming, answer }: { incoming: IncomingMessage; answer: ServerResponse },
  ) => {
    const mark = asked.path.includes('?') ? '&' : '?';
    const upstream = requestHttp(
      {
        host: engine.host,
        port: engine.port,
        method: asked.method,
        path: `${asked.path}${mark}pretty=true`,
        headers: { 'content-type': 'application/json' },
      },
      (reply) => {
        const status = reply.statusCode ?? 0;
        const marks = major === 7 ? {} : { 'x-console-proxy-status-code': String(status) };
        answer.writeHead(major === 7 ? status : 200, { 'kbn-name': 'fake', ...marks });
        if (asked.method === 'HEAD') answer.end(`${status} - OK`);
        else reply.pipe(answer);
      },
    );
    incoming.pipe(upstream);
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/base`, seen, close: () => new Promise((resolve) => server.close(resolve)) };
}

type FakeKibana = Awaited<ReturnType<typeof openFakeKibana>>;

describe.each([7, 8] as const)('a connection through Kibana %i', (major) => {
  const engine = useEngine('elasticsearch8', { shared: true });
  const index = `behind-kibana-${major}`;
  let kibana: FakeKibana;
  let tools: TestClient;
  const opened: TestClient[] = [];

  const open = async (place: object, fields: object = {}) => {
    const connection = { name: 'main', kibana: place, apiKey: 'id:key', readonly: true, ...fields };
    const client = await openProgram(definition, { ESMOLE_CONNECTIONS: JSON.stringify([connection]) });
    opened.push(client);
    return client;
  };
  const search = async (place: object, fields: object = {}) =>
    (await (await open(place, fields)).call('es_search', { index, size: 0 })).text;

  beforeAll(async () => {
    kibana = await openFakeKibana({ engine: engine(), major });
    tools = await open({ url: kibana.url, space: 'ops' }, { readonly: false });
    for (const id of ['1', '2'])
      await tools.call('es_request', {
        method: 'PUT',
        path: `/${index}/_doc/${id}`,
        params: { refresh: true },
        body: { n: `value ${id}` },
      });
  }, 60_000);

  afterAll(async () => {
    await tools.call('es_request', { method: 'DELETE', path: `/${index}` });
    for (const client of opened) await client.close();
    await kibana.close();
  });

  it('reads and writes by its console proxy, with the login and in the space', async () => {
    const { text } = await tools.call('es_search', { index, sort: ['n.keyword'], q: 'value' });
    expect(text).toMatch(/^Hits 1-2 of 2 .*\n_id,(?:_score,)?n\n1,(?:,)?value 1\n2,/s);
    expect((await tools.call('es_get', { path: `/${index}/_count?q=n:1%2B1` })).text).toMatch(/^Status 200.*\n\{"count":1,/s);
    expect((await tools.call('es_get', { path: '/_cat/indices/behind-*', params: { h: 'index' } })).text).toContain(index);
    expect((await tools.call('es_request', { method: 'HEAD', path: `/${index}` })).text).toMatch(/^Status 200/);
    expect((await tools.call('es_get', { path: '/missing-index/_search' })).text).toMatch(/^E_UNKNOWN_INDEX/);
    expect((await tools.call('test_connection', {})).text).toMatch(/through Kibana/);
    const lists = (await tools.call('list_connections', {})).text;
    expect(lists).toMatch(/kibana.*\n.*ops/s);
    for (const { url, headers } of kibana.seen) {
      expect(url).toMatch(/^\/base\/s\/ops\/api\/console\/proxy\?path=%2F/);
      expect(headers).toMatchObject({ authorization: 'ApiKey aWQ6a2V5', 'kbn-xsrf': 'esmole' });
    }
  });

  it('guards requests as everywhere, and sends no path that Kibana would change', async () => {
    const count = kibana.seen.length;
    const reader = await open({ url: kibana.url }, { indices: ['behind-*'] });
    expect((await reader.call('es_request', { method: 'DELETE', path: `/${index}` })).text).toMatch(/^E_NOT_A_READ/);
    expect((await reader.call('es_search', { index: 'other' })).text).toMatch(/^E_INDEX_REFUSED/);
    expect((await tools.call('es_search', { index: '<behind-{now/d}>' })).text).toMatch(/^E_KIBANA_PATH/);
    // Only the cluster was identified.
    expect(kibana.seen.slice(count).every(({ url }) => /path=%2F(?:_nodes|&)/.test(url))).toBe(true);
  });

  it('says what Kibana itself answers, and where it is not Kibana', async () => {
    const { url } = kibana;
    expect(await search({ url, space: 'missing' })).toMatch(/^E_KIBANA.*no console proxy there.*\nNext: Check kibana\.space/s);
    expect(await search({ url }, { apiKey: 'no:key' })).toMatch(
      /^E_KIBANA.*does not let this user use the console: "?Insufficient/s,
    );
    expect(await search({ url: url.replace('/base', '') })).toMatch(/^E_KIBANA.*redirects to another address/s);
    const { scheme, host, port } = engine();
    expect(await search({ url: `${scheme}://${host}:${port}` })).toMatch(/^E_KIBANA.*the server there is not Kibana/s);
    expect(await search({ url }, { apiKey: undefined, auth: 'none' })).toMatch(/^E_AUTH|401/);
    const body = { query: { match: { n: 'x'.repeat(1_100_000) } } };
    expect((await tools.call('es_get', { path: `/${index}/_search`, body })).text).toMatch(/^E_/);
    expect((await tools.call('es_get', { path: '/_cluster/settings' })).text).toMatch(/^E_KIBANA.*ECONNREFUSED/s);
    if (major === 7)
      expect((await tools.call('es_get', { path: '/_cat/master' })).text).toMatch(/^E_KIBANA.*console\.proxyFilter/s);
  });
});
