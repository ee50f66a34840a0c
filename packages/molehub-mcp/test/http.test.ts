import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HubWorld } from './hub-world.ts';

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : JSON.parse(text);
}

/** A server of the older era over Streamable HTTP, which answers with plain JSON. */
async function listen() {
  const seen: (string | undefined)[] = [];
  const results: Record<string, object> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'remote', version: '4.2.0' } },
    ping: {},
    'tools/list': { tools: [{ name: 'who', description: 'says who calls', inputSchema: { type: 'object' } }] },
  };
  const server = createServer(async (request, response) => {
    const { id, method, params } = await readBody(request);
    seen.push(request.headers.authorization);
    if (request.method !== 'POST' || id === undefined) {
      response.writeHead(request.method === 'POST' ? 202 : 405).end();
      return;
    }
    const call = JSON.stringify(params ?? {});
    const result = { content: [{ type: 'text', text: request.headers.authorization }], structuredContent: { call } };
    const error = { code: -32_001, message: 'not today', data: { until: 'monday' } };
    const isKnown = results[String(method)] ?? (method === 'tools/call' && !call.includes('fail') ? result : undefined);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(isKnown === undefined ? { error } : { result: isKnown }) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : expect.fail('no port');
  return { url: `http://127.0.0.1:${port}/mcp`, seen, close };
}

describe('a server in the network', () => {
  it('is called with its headers, and its results and errors are passed on', async () => {
    const { url, seen, close } = await listen();
    const world = new HubWorld({
      far: { url: '${FAR_URL}', headers: { Authorization: 'Bearer ${FAR_TOKEN}' } },
      wrong: { url: 'ftp://example.com' },
    });
    const client = await world.connect('legacy', { env: { FAR_URL: url, FAR_TOKEN: 'far-token-1234' } });
    expect(await client.seen()).toContain('far__who');
    expect(await client.result('far__who', { a: 1 })).toMatchObject({
      content: [{ text: 'Bearer far-token-1234' }],
      structuredContent: { call: expect.stringContaining('"a":1') },
    });
    await expect(client.text('far__who', { fail: true })).rejects.toMatchObject({ code: -32_001 });
    expect(new Set(seen)).toEqual(new Set(['Bearer far-token-1234']));
    const status = await client.text('hub_status');
    expect(status).toMatch(/far: running; remote 4\.2\.0; 1 tool; connected, 1 client/);
    expect(status).not.toContain('far-token-1234');
    expect(await client.text('hub_restart', { server: 'wrong' })).toContain('invalid "url"');
    close();
    expect(await client.text('far__who')).toMatch(/^E_SERVER_ENDED|^E_SERVER_START/);
    expect(await client.text('hub_restart', { server: 'far' })).toMatch(
      /^E_SERVER_START: server "far" cannot connect to 127\.0\.0\.1:\d+: nothing accepts connections there/,
    );
  });
});
