import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openProgram, type TestClient, type TestReply } from '@dbmole/core/testing';
import { useEngine } from '@dbmole/engines';
import { afterEach, describe, expect, it } from 'vitest';
import { definition } from '../src/server.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The server's own tools in this process, with these connections. */
async function open(...connections: object[]): Promise<TestClient> {
  const client = await openProgram(definition, { ESMOLE_CONNECTIONS: JSON.stringify(connections) });
  closing.push(() => client.close());
  return client;
}

async function call(fields: Record<string, unknown>, tool = 'test_connection'): Promise<TestReply> {
  const auth = ['user', 'apiKey', 'url'].some((key) => key in fields) ? {} : { auth: 'none' };
  const client = await open({ name: 'es', type: 'elasticsearch', scheme: 'http', ...auth, ...fields });
  return await client.call(tool);
}

/** Something that speaks HTTP and is no cluster, or one that refuses. */
async function serve(answer: RequestListener): Promise<{ host: string; port: number }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  // A server that listens on TCP has an address of this form.
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

describe('on a real node', () => {
  const seven = useEngine('elasticsearch7', { shared: true });
  const eight = useEngine('elasticsearch8', { shared: true });
  const secured = useEngine('elasticsearch8', { security: true });

  it('lists the connection without a secret', async () => {
    const { host, port } = seven();
    const { text } = await call({ host, port, user: 'me', password: 'a-long-secret' }, 'list_connections');
    expect(text).toContain(`es,elasticsearch,http,${host},${port},me,false`);
    expect(text).not.toContain('a-long-secret');
  });

  it('says which product and version answers', async () => {
    const { host, port } = seven();
    expect((await call({ host, port })).text).toMatch(/Elasticsearch 7\.17\.\d+, cluster dbmole-test/);
  });

  it('accepts a node that does not serve its root', async () => {
    const { host, port } = eight();
    expect((await call({ host, port })).text).toMatch(/Elasticsearch 8\.19\.\d+, cluster dbmole-test/);
  });

  it('logs in, and says when it may not', async () => {
    const { host, port, user, password } = secured();
    expect((await call({ host, port, user, password })).isError).toBe(false);
    const refused = await call({ host, port, user, password: 'not-the-password' });
    expect(refused.structured).toMatchObject({ code: 'E_AUTH', engineCode: '401' });
    expect((await call({ host, port })).structured).toMatchObject({ code: 'E_AUTH' });
    const apiKey = await call({ host, port, apiKey: 'no-such-id:no-such-key' });
    expect(apiKey.structured).toMatchObject({ code: 'E_AUTH', engineCode: '401' });
    expect(apiKey.text).not.toContain('no-such-key');
  });
});

describe('a secret of a connection', () => {
  const secret = 'a-long/secret+7';
  const encoded = encodeURIComponent(secret);

  it.each([
    ['password', { host: '127.0.0.1', port: 1, user: 'me', password: secret }],
    ['apiKey', { host: '127.0.0.1', port: 1, apiKey: `the-id:${secret}` }],
    ['apiKey in base64', { host: '127.0.0.1', port: 1, apiKey: Buffer.from(`the-id:${secret}`).toString('base64') }],
    ['url', { scheme: undefined, url: `http://me:${encoded}@127.0.0.1:1` }],
    ['url that is wrong', { scheme: undefined, url: `http://me:${encoded}@127.0.0.1:1/?x` }],
    ['url at the wrong place', { host: `http://me:${encoded}@127.0.0.1:1`, apiKey: 'a:b' }],
  ])('is shown by nothing: %s', async (_where, fields) => {
    for (const tool of ['list_connections', 'test_connection']) {
      const { text, structured } = await call(fields, tool);
      const shown = text + JSON.stringify(structured);
      for (const form of [
        secret,
        encoded,
        Buffer.from(secret).toString('base64').slice(0, 16),
        Buffer.from(`the-id:${secret}`).toString('base64'),
      ]) {
        expect(shown).not.toContain(form);
      }
    }
  });

  it('does not send the secret to a host that a tool has set', async () => {
    const client = await open();
    const added = await client.call('add_connection', { name: 'c', type: 'elasticsearch', host: 'es', apiKey: `id:${secret}` });
    expect(added.isError).toBe(false);
    const pin = 'ab'.repeat(32);
    for (const change of [{ scheme: 'http' }, { verifyTls: false }, { caFingerprint: pin }, { host: 'elsewhere' }]) {
      expect((await client.call('update_connection', { name: 'c', ...change })).structured).toMatchObject({
        code: 'E_SECRET_REDIRECT',
      });
    }
  });
});

describe('on something else', () => {
  it('reports a server that is not a cluster', async () => {
    const address = await serve((_request, response) => response.end('<h1>hello</h1>'));
    const reply = await call(address);
    expect(reply.structured).toMatchObject({ code: 'E_NOT_CLUSTER', hint: 'Check host, port and scheme.' });
  });

  it('reports the status of the answer', async () => {
    const address = await serve((_request, response) => response.writeHead(503).end('{"error":"starting"}'));
    expect((await call(address)).structured).toMatchObject({ code: 'E_UNAVAILABLE', engineCode: '503' });
  });

  it('reports a server without TLS', async () => {
    const { host, port } = await serve((_request, response) => response.end('{}'));
    const reply = await call({ host, port, scheme: 'https' });
    expect(reply.isError).toBe(true);
    expect(reply.structured).toMatchObject({ code: 'E_TLS', hint: 'If the cluster has no TLS, set `scheme` to http.' });
  });
});
