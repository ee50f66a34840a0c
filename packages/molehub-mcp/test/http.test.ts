import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HubWorld } from './hub-world.ts';

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : JSON.parse(text);
}

/** How servers answer to a session that they do not know (any more). */
interface Forgetting {
  status: number;
  text: string;
}

const results: Record<string, object> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'remote', version: '4.2.0' } },
  ping: {},
  'tools/list': { tools: [{ name: 'who', description: 'says who calls', inputSchema: { type: 'object' } }] },
};

function answer({ method, params }: Record<string, unknown>, authorization: string | undefined): object {
  const call = JSON.stringify(params ?? {});
  const error = { code: -32_001, message: 'not today', data: { until: 'monday' } };
  const called = { content: [{ type: 'text', text: authorization }], structuredContent: { call } };
  const result = results[String(method)] ?? (method === 'tools/call' && !call.includes('fail') ? called : undefined);
  return result === undefined ? { error } : { result };
}

/** An answer that has no end, until the client goes away. */
function sendFlood(response: ServerResponse, form: 'json' | 'events'): void {
  response.writeHead(200, { 'content-type': form === 'json' ? 'application/json' : 'text/event-stream' });
  response.write(form === 'json' ? '{"jsonrpc":"2.0","result":"' : 'data: ');
  const more = Buffer.alloc(1024 * 1024, 'x');
  const pump = () => {
    while (!response.destroyed && response.write(more));
  };
  response.on('drain', pump);
  pump();
}

/** A server of the older era over Streamable HTTP, which answers with plain JSON. */
async function listen({ status, text }: Forgetting = { status: 404, text: 'session not found' }) {
  const sessions = new Set<unknown>();
  let opened = 0;
  let isDropping = false;
  let flood: 'json' | 'events' | undefined;
  const seen: (string | undefined)[] = [];
  const isForgotten = (session: unknown) => session !== undefined && !sessions.has(session);
  const server = createServer(async (request, response) => {
    if (isDropping) return void request.destroy();
    const message = await readBody(request);
    const { authorization, 'mcp-session-id': session } = request.headers;
    seen.push(authorization);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'initialize') sessions.add(`session-${++opened}`);
    else if (isForgotten(session)) return void response.writeHead(status).end(text);
    if (flood !== undefined) return sendFlood(response, flood);
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `session-${opened}` });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer(message, authorization) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : expect.fail('no port');
  const setDropping = (value: boolean) => {
    isDropping = value;
  };
  const setFlooding = (value: 'json' | 'events') => {
    flood = value;
  };
  const countSessions = () => opened;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    ...{ seen, close, forget: () => sessions.clear(), setDropping, setFlooding, countSessions },
  };
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

  it.each<Forgetting>([
    { status: 404, text: 'session not found' },
    { status: 400, text: '{"error":{"code":-32000,"message":"No valid session ID provided"}}' },
    { status: 401, text: 'the token has expired' },
  ])('that forgets its sessions with $status gets a new one, and the call once more', async (forgetting) => {
    const { url, forget, countSessions } = await listen(forgetting);
    const client = await new HubWorld({ far: { url, headers: { Authorization: 'Bearer x' } } }).connect('legacy');
    await client.seen();
    const before = countSessions();
    forget();
    const calls = [1, 2, 3].map((number) => client.result('far__who', { number }));
    for (const result of await Promise.all(calls)) expect(result).not.toHaveProperty('isError', true);
    expect(countSessions()).toBe(before + 1);
    expect(await client.text('hub_status')).toMatch(/far: running[\s\S]*last error: it ended its session/);
  });

  it('that answers without an end is read up to the limit', async () => {
    const { url, setFlooding } = await listen();
    const client = await new HubWorld({ far: { url, callTimeout: '3s' } }).connect('legacy');
    await client.seen();
    setFlooding('json');
    const before = process.memoryUsage().rss;
    expect(await client.text('far__who')).toMatch(/^E_LIMIT: the server answered with more than 33554432 bytes/);
    setFlooding('events');
    expect(await client.text('far__who')).toMatch(/^E_LIMIT|^E_TIMEOUT/);
    expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024);
  });

  it('that was away is reached again by the next call', async () => {
    const { url, setDropping, countSessions } = await listen();
    const client = await new HubWorld({ far: { url, headers: { Authorization: 'Bearer x' } } }).connect('legacy');
    await client.seen();
    const before = countSessions();
    setDropping(true);
    expect(await client.text('far__who')).toMatch(/^E_SERVER_ENDED: server "far" did not answer: /);
    setDropping(false);
    expect(await client.result('far__who')).not.toHaveProperty('isError', true);
    expect(countSessions()).toBe(before + 1);
  });
});
