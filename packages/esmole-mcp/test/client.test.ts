import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createLazyStream, findUnusedPort, listenOnLoopback } from '@dbmole/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { answerLimits } from '../src/answer/answer.ts';
import type { ClusterBackend } from '../src/backend.ts';
import { type FakeNode, type FakeNodeOptions, startNode } from './fake-node.ts';
import { get, never, openCluster, post, write } from './open-cluster.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options?: FakeNodeOptions): Promise<FakeNode> {
  const node = await startNode(options);
  closing.push(() => node.close());
  return node;
}

async function open(...args: Parameters<typeof openCluster>): Promise<ClusterBackend> {
  const backend = await openCluster(...args);
  closing.push(() => backend.dispose());
  return backend;
}

const at = ({ host, port }: FakeNode) => ({ host, port });
const signal = never;
const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('a request', () => {
  it('sends only the headers that it needs', async () => {
    const node = await start();
    const backend = await open({ ...at(node), user: 'me', password: 'päss' });
    const answer = await backend.send(post('/a,b/_search?q=x%3Ay', { query: {} }), { signal });
    expect(answer).toMatchObject({ status: 200, json: {}, text: '{}', contentType: 'application/json', cut: undefined });
    const [{ headers, ...line } = expect.fail('nothing came')] = node.seen;
    expect(line).toEqual({ method: 'POST', url: '/a,b/_search?q=x:y', body: '{"query":{}}' });
    expect(headers).toMatchObject({
      host: `127.0.0.1:${node.port}`,
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('me:päss').toString('base64')}`,
      'user-agent': 'esmole-mcp',
      'x-opaque-id': expect.stringMatching(/^esmole-[0-9a-f]{8}$/),
    });
    expect(Object.keys(headers)).toHaveLength(8);
  });

  it('sends requests below the prefix of the connection', async () => {
    const node = await start();
    const backend = await open({ url: `http://127.0.0.1:${node.port}/es/`, auth: 'none' });
    await backend.send(get('/_cat/indices'), { signal });
    await backend.send(get('/'), { signal });
    expect(node.seen.map(({ url }) => url)).toEqual(['/es/_cat/indices', '/es/']);
  });

  it('carries a body with GET, and lines as they are', async () => {
    const node = await start();
    const backend = await open(at(node));
    await backend.send(write('GET', '/idx/_search', { size: 0 }), { signal });
    await backend.send(write('POST', '/_bulk', '{"index":{}}\n{"a":1}\n'), { signal });
    expect(node.seen).toMatchObject([
      { method: 'GET', body: '{"size":0}' },
      { method: 'POST', body: '{"index":{}}\n{"a":1}\n', headers: { 'content-type': 'application/x-ndjson' } },
    ]);
  });

  it('keeps its connection until it is disposed', async () => {
    const node = await start();
    const backend = await open(at(node));
    for (let count = 0; count < 10; count += 1) await backend.send(get('/'), { signal });
    expect(node.accepted).toBeLessThanOrEqual(2);
    await Promise.all(Array.from({ length: 50 }, () => backend.send(get('/'), { signal: AbortSignal.timeout(60_000) })));
    expect(node.accepted).toBeLessThanOrEqual(50);
    await backend.dispose();
    await vi.waitFor(() => expect(node.open).toBe(0), 5_000);
  });

  it('ignores proxies of the environment', async () => {
    const proxy = await start();
    for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      vi.stubEnv(name, name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy.port}`);
    }
    const node = await start();
    await (await open(at(node))).send(get('/'), { signal });
    expect([proxy.seen.length, node.seen.length]).toEqual([0, 1]);
  });

  it('follows no redirect', async () => {
    const other = await start();
    const node = await start({
      answer: (response) => response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end('there'),
    });
    const answer = await (await open(at(node))).send(get('/'), { signal });
    expect(answer).toMatchObject({ status: 307, text: 'there' });
    expect(other.seen).toEqual([]);
  });
});

describe('an answer', () => {
  it('returns an answer with any status', async () => {
    const node = await start({ answer: (response, { url }) => response.writeHead(Number(url?.slice(1))).end('{"a":1}') });
    const backend = await open(at(node));
    for (const status of [401, 200, 201, 400, 404, 429, 500, 503]) {
      expect(await backend.send(get(`/${status}`), { signal })).toMatchObject({ status, json: { a: 1 } });
    }
  });

  it('fails when a login is refused that was accepted before', async () => {
    const node = await start({ answer: (response, { url }) => response.writeHead(Number(url?.slice(1))).end('{"a":1}') });
    const backend = await open(at(node));
    await backend.send(get('/200'), { signal });
    expect(backend.isSpent()).toBe(false);
    expect(await failureOf(backend.send(get('/401'), { signal }))).toMatchObject({ kind: 'auth', code: 'E_AUTH' });
    expect(backend.isSpent()).toBe(true);
  });

  it('keeps digits, warnings and product of an answer', async () => {
    const node = await start({
      answer: (response) =>
        response
          .setHeader('x-elastic-product', 'Elasticsearch')
          .setHeader('warning', ['299 Elasticsearch-7.17.29-abc "one"', '299 Elasticsearch-7.17.29-abc "two"'])
          .end('{"a":9007199254740993}'),
    });
    const answer = await (await open(at(node))).send(get('/'), { signal });
    expect(answer).toMatchObject({
      json: { a: { text: '9007199254740993' } },
      warnings: ['one', 'two'],
      product: 'Elasticsearch',
    });
  });

  it('decompresses within a limit', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '));
    const node = await start({ answer: (response) => response.setHeader('content-encoding', 'gzip').end(bomb) });
    const backend = await open(at(node));
    const answer = await backend.send(get('/'), { signal, limits: { ...answerLimits, bytes: 1_000 } });
    expect([answer.text.length, answer.cut]).toEqual([1_000, { bytes: 1_000 }]);
    expect((await backend.send(get('/'), { signal })).cut).toEqual({ bytes: answerLimits.bytes });
  });

  it('accepts encoding headers without a body, and interim answers', async () => {
    const node = await start({
      answer: (response) => {
        response.writeProcessing();
        response.setHeader('content-encoding', 'gzip').end();
      },
    });
    const backend = await open(at(node));
    expect(await backend.send(write('HEAD', '/idx'), { signal })).toMatchObject({ status: 200, text: '', cut: undefined });
  });

  it('rejects a truncated compressed answer', async () => {
    const half = gzipSync(Buffer.alloc(100_000, 'x'), { level: 0 }).subarray(0, 50_000);
    const node = await start({
      answer: (response) => {
        response.setHeader('content-encoding', 'gzip').setHeader('content-length', 100_000).write(half);
        setTimeout(() => response.socket?.destroy(), 20);
      },
    });
    expect(await failureOf((await open(at(node))).send(get('/'), { signal }))).toMatchObject({ kind: 'connection' });
    const ended = await start({ answer: (response) => response.setHeader('content-encoding', 'gzip').end(half) });
    expect(await failureOf((await open(at(ended))).send(get('/'), { signal }))).toMatchObject({ kind: 'connection' });
  });

  it('cuts an endless answer and disconnects', async () => {
    let written = 0;
    const node = await start({
      answer: (response) => {
        const chunk = Buffer.alloc(64 * 1024, 'x');
        const more = () => {
          while (!response.destroyed && response.write(chunk)) written += chunk.length;
        };
        response.on('drain', more);
        more();
      },
    });
    const backend = await open(at(node));
    const answer = await backend.send(get('/'), { signal, limits: { ...answerLimits, bytes: 1_000_000 } });
    expect([answer.text.length, answer.cut]).toEqual([1_000_000, { bytes: 1_000_000 }]);
    await vi.waitFor(() => expect(node.closed).toBe(1), 2_000);
    expect(written).toBeLessThan(50_000_000);
  });
});

describe('the end of a call', () => {
  it.each(['before the answer', 'in the middle of it'])('closes the connection %s', async (when) => {
    const node = await start({ answer: (response) => void (when === 'in the middle of it' && response.write('{"a":')) });
    const backend = await open(at(node));
    const stop = new AbortController();
    const call = failureOf(backend.send(get('/'), { signal: stop.signal }));
    await vi.waitFor(() => expect(node.seen).toHaveLength(1), 5_000);
    stop.abort();
    expect(await call).toMatchObject({ kind: 'cancelled' });
    await vi.waitFor(() => expect(node.closed).toBe(1), 2_000);
  });

  it('reports the timeout', async () => {
    const node = await start({ answer: () => undefined });
    const backend = await open(at(node));
    expect(await failureOf(backend.send(get('/'), { signal: AbortSignal.timeout(50) }))).toMatchObject({
      kind: 'timeout',
      code: 'E_TIMEOUT',
    });
    const write_ = backend.send(write('POST', '/idx/_doc', {}), { signal: AbortSignal.timeout(50) });
    expect(await failureOf(write_)).toMatchObject({ kind: 'timeout', code: 'E_OUTCOME_UNKNOWN' });
  });

  it('reports no doubt about a write that was never sent', async () => {
    let sockets = 0;
    const silent = createServer((socket) => {
      sockets += 1;
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets -= 1;
        });
      socket.resume();
    });
    const port = await listenOnLoopback(silent);
    const backend = await open({ host: '127.0.0.1', port, scheme: 'https' });
    const call = backend.send(write('POST', '/idx/_doc', {}), { signal: AbortSignal.timeout(100) });
    expect(await failureOf(call)).toMatchObject({ kind: 'timeout', code: 'E_TIMEOUT' });
    // What was on its way goes with the backend.
    expect(sockets).toBe(1);
    await backend.dispose();
    await vi.waitFor(() => expect(sockets).toBe(0), 5_000);
    await new Promise((resolve) => silent.close(resolve));
  });
});

it('never sends a call that was cancelled while waiting for a connection', async () => {
  const node = await start({ answer: (response, { url }) => void (url === '/slow' || response.end('{}')) });
  const backend = await open(at(node));
  const stop = new AbortController();
  const slow = Array.from({ length: 50 }, () =>
    failureOf(backend.send(get('/slow'), { signal: AbortSignal.any([stop.signal]) })),
  );
  await vi.waitFor(() => expect(node.seen).toHaveLength(50), 10_000);
  const waiting = new AbortController();
  const cancelled = failureOf(backend.send(get('/never'), { signal: waiting.signal }));
  const next = backend.send(get('/next'), { signal });
  waiting.abort();
  expect(await cancelled).toMatchObject({ kind: 'cancelled' });
  stop.abort();
  await Promise.all(slow);
  expect(await next).toMatchObject({ status: 200 });
  expect(node.seen.map(({ url }) => url)).not.toContain('/never');
}, 30_000);

describe('a connection that is lost', () => {
  const hangUp: FakeNodeOptions = {
    answer: (response, _seen, count) => (count === 1 ? response.socket?.destroy() : response.end('{}')),
  };

  it('reconnects for a read', async () => {
    const node = await start(hangUp);
    expect(await (await open(at(node))).send(get('/'), { signal })).toMatchObject({ status: 200 });
    expect(node.seen).toHaveLength(2);
  });

  it('limits the retries of a read', async () => {
    const node = await start({ answer: (response) => response.socket?.destroy() });
    const failure = await failureOf((await open(at(node))).send(get('/'), { signal }));
    expect(failure).toMatchObject({ kind: 'connection', hint: expect.any(String) });
    expect(node.seen).toHaveLength(2);
  });

  it('reports an unknown outcome for a lost write', async () => {
    const node = await start(hangUp);
    const failure = await failureOf((await open(at(node))).send(write('DELETE', '/idx'), { signal }));
    expect(failure).toMatchObject({ kind: 'connection', code: 'E_OUTCOME_UNKNOWN' });
    expect(node.seen).toHaveLength(1);
  });

  it('rejects an answer that was cut off', async () => {
    const node = await start({
      answer: (response) => {
        response.setHeader('content-length', 100).write('{"a":1');
        setTimeout(() => response.socket?.destroy(), 20);
      },
    });
    expect(await failureOf((await open(at(node))).send(get('/'), { signal }))).toMatchObject({ kind: 'connection' });
  });
});

describe('several nodes', () => {
  it('fails over between nodes, for reads and writes', async () => {
    const unused = await findUnusedPort();
    const second = await start();
    const backend = await open({ host: '127.0.0.1', port: unused, nodes: [`127.0.0.1:${second.port}`] });
    expect(await backend.send(write('PUT', '/idx'), { signal })).toMatchObject({ status: 200 });
    await backend.send(get('/'), { signal });
    expect(second.seen).toHaveLength(2);
    const first = await start({ port: unused });
    await vi.waitFor(async () => {
      await backend.send(get('/'), { signal });
      expect(first.seen.length).toBeGreaterThan(0);
    }, 10_000);
    const before = second.seen.length;
    await backend.send(get('/'), { signal });
    expect(second.seen).toHaveLength(before);
  });

  it('names all nodes when none answers', async () => {
    const [one, two] = [await findUnusedPort(), await findUnusedPort()];
    const backend = await open({ host: '127.0.0.1', port: one, nodes: [`127.0.0.1:${two}`] });
    const started = performance.now();
    expect(await failureOf(backend.send(get('/'), { signal }))).toMatchObject({
      code: 'E_CONNECT_REFUSED',
      message: expect.stringContaining('the other node cannot be used either'),
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('through a tunnel', () => {
  it('sends the real host name through a tunnel', async () => {
    const node = await start();
    const dial = () => createLazyStream(node.host, node.port);
    const backend = await open({ host: 'es.behind.invalid' }, { dial });
    expect(await backend.send(get('/'), { signal })).toMatchObject({ status: 200 });
    expect(node.seen[0]?.headers).toMatchObject({ host: 'es.behind.invalid:9200', 'accept-encoding': 'gzip' });
    const stop = new AbortController();
    const hanging = await start({ answer: () => undefined });
    const other = await open({ host: 'es.behind.invalid' }, { dial: () => createLazyStream(hanging.host, hanging.port) });
    const call = failureOf(other.send(get('/'), { signal: stop.signal }));
    await vi.waitFor(() => expect(hanging.seen).toHaveLength(1), 5_000);
    stop.abort();
    await call;
    await vi.waitFor(() => expect(hanging.closed).toBe(1), 2_000);
  });

  it('reaches every node through the tunnel by its own name', async () => {
    const node = await start();
    const asked: string[] = [];
    const closed = await findUnusedPort();
    const dial = (host?: string, port?: number) => {
      asked.push(`${host}:${port}`);
      return createLazyStream('127.0.0.1', host === 'two.behind.invalid' ? node.port : closed);
    };
    const backend = await open({ host: 'one.behind.invalid', nodes: ['two.behind.invalid:9201'] }, { dial });
    expect(await backend.send(get('/'), { signal })).toMatchObject({ status: 200 });
    expect(asked).toEqual(['one.behind.invalid:9200', 'two.behind.invalid:9201']);
    expect(node.seen[0]?.headers.host).toBe('two.behind.invalid:9201');
  });
});
