import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenDoor, openTestDoor } from '../../testing/http/open-door.ts';
import { callMessage, modernCall, post, sendRaw } from '../../testing/http/raw-http.ts';
import { createTokenAuth } from './authenticate.ts';
import { createHostRules } from './host-check.ts';

const token = 'x'.repeat(20) + 'aB3_-'.repeat(4);
const authorization = `Bearer ${token}`;
const echo = callMessage(1, 'echo', { text: 'hello' });

let open: OpenDoor;
beforeAll(async () => {
  open = await openTestDoor({
    authenticate: createTokenAuth({ realm: 'test', readToken: () => token, advice: 'Ask for it.' }),
    limits: { body: 60_000 },
    hostRules: createHostRules({
      address: '127.0.0.1',
      allowedHosts: [],
      allowedOrigins: ['https://app.example.com'],
      isBehindProxy: false,
    }),
  });
});
afterAll(() => open.close());

const send = (message: unknown, headers: Record<string, string> = {}) =>
  post(open.port, message, { headers: { authorization, ...headers } });

describe('the token', () => {
  it.each(['Bearer ${MY_TOKEN}', 'Bearer {env:MY_TOKEN}', 'Bearer $MY_TOKEN', 'Bearer '])(
    'is not a reference: %j',
    async (given) => {
      const { body } = await post(open.port, echo, { headers: { authorization: given } });
      expect(body).toContain('holds no token: set the variable');
    },
  );

  it.each([
    ['nothing', undefined],
    ['another token', `Bearer ${'y'.repeat(40)}`],
    ['a beginning of it', `Bearer ${token.slice(0, -1)}`],
    ['more than it', `Bearer ${token}0`],
    ['another case', `Bearer ${token.toUpperCase()}`],
    ['another scheme', `Basic ${token}`],
    ['no scheme', token],
    ['the scheme alone', 'Bearer '],
    ['two tokens', `Bearer ${token} ${token}`],
    ['a token in quotes', `Bearer "${token}"`],
    ['a very long one', `Bearer ${'x'.repeat(9_000)}`],
  ])('is required: %s', async (_what, given) => {
    const { status, headers, body } = await post(open.port, echo, {
      headers: given === undefined ? {} : { authorization: given },
    });
    expect({ status, body }).toEqual({ status: 401, body: expect.stringContaining('Ask for it.') });
    expect(headers['www-authenticate']).toMatch(/^Bearer realm="test"/);
    expect(body).not.toContain(token.slice(0, 10));
  });

  it('is accepted in any case of the scheme', async () => {
    expect((await send(echo)).status).toBe(200);
    expect((await send(echo, { authorization: `bearer   ${token}` })).body).toContain('hello');
  });

  it('is asked for before anything else of a request counts', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      expect((await post(open.port, '', { method })).status).toBe(401);
      expect((await post(open.port, '', { method, headers: { authorization } })).status).toBe(405);
    }
    expect((await post(open.port, 'x'.repeat(100_000))).status).toBe(401);
  });
});

describe('the paths', () => {
  it('show that the server is healthy, and nothing else, without a token', async () => {
    const { status, body } = await post(open.port, '', { path: '/healthz', method: 'GET' });
    expect({ status, body }).toEqual({ status: 200, body: '{"status":"ok"}' });
    expect((await post(open.port, '', { path: '/healthz' })).status).toBe(405);
  });

  it('show the state of the server with a token', async () => {
    expect((await post(open.port, '', { path: '/status', method: 'GET' })).status).toBe(401);
    const { body } = await post(open.port, '', { path: '/status', method: 'GET', headers: { authorization } });
    expect(JSON.parse(body)).toEqual({ root: '/project', clients: expect.any(Number), calls: 0 });
  });

  it.each(['/', '/mcp/', '/MCP', '/mcp/x', '//mcp', '/%6dcp', '/sse', '/.well-known/oauth-protected-resource'])(
    '%s leads nowhere',
    async (path) => {
      expect((await post(open.port, echo, { path, headers: { authorization } })).status).toBe(404);
    },
  );
});

describe('a page in a browser', () => {
  const page = 'https://app.example.com';
  const ask = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

  it('may read answers when its origin was named', async () => {
    const preflight = await post(open.port, '', { method: 'OPTIONS', headers: { origin: page, ...ask } });
    expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': page, vary: 'Origin' } });
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization');
    expect(await send(echo, { origin: page })).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': page } });
    const refused = await post(open.port, echo, { headers: { origin: page } });
    expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': page } });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const { message, headers } = modernCall(1, 'echo', { text: 'hello' });
    expect((await send(message, { ...headers, origin: page })).headers).toHaveProperty('access-control-allow-origin', page);
    expect((await send(list, { origin: 'http://localhost:6274' })).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each(['http://localhost:6274', 'https://other.example.com', 'null'])('a page of %s may not read answers', async (origin) => {
    const preflight = await post(open.port, '', { method: 'OPTIONS', headers: { origin, ...ask } });
    expect(preflight.status).toBeGreaterThanOrEqual(400);
    expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('a body', () => {
  it.each([
    ['nothing', '', -32_700],
    ['no JSON', '{"jsonrpc": "2.0", "id": 1, ', -32_700],
    ['a batch', [echo, echo], -32_600],
    ['an empty batch', [], -32_600],
    ['a text', '"tools/call"', -32_600],
    ['null', 'null', -32_600],
  ])('of %s is refused', async (_what, message, code) => {
    const { status, body } = await send(message);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', error: { code }, id: null });
  });

  it.each(['gzip', 'deflate, gzip', 'x'])('a body with the encoding %s is refused', async (encoding) => {
    const { status, body } = await send(echo, { 'content-encoding': encoding });
    expect({ status, body }).toEqual({ status: 415, body: expect.stringContaining('Content-Encoding') });
  });

  it('a body that is not UTF-8 is refused', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    expect((await sendRaw(open.port, Buffer.concat([Buffer.from(head), bytes]))).status).toBe(400);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'multipart/form-data; boundary=x', ''])(
    'of the type %j is refused',
    async (type) => {
      expect((await send(echo, { 'content-type': type })).status).toBe(415);
    },
  );

  it('has a limit, whether or not its length is announced', async () => {
    const long = callMessage(1, 'echo', { text: 'x'.repeat(70_000) });
    const { status, body } = await send(long);
    expect({ status, body }).toEqual({ status: 413, body: expect.stringContaining('60000 bytes') });
    expect((await send(long, { 'transfer-encoding': 'chunked' })).status).toBe(413);
    expect((await send(callMessage(1, 'echo', { text: 'x'.repeat(40_000) }))).status).toBe(200);
  });

  it('may not have many thousands of values', async () => {
    const { status, body } = await send({ ...echo, params: { ...echo.params, list: Array.from({ length: 25_000 }, () => 1) } });
    expect({ status, body }).toEqual({ status: 400, body: expect.stringContaining('25000 values') });
  });
});

describe('headers that could be read in two ways', () => {
  const head = (...lines: string[]) =>
    ['POST /mcp HTTP/1.1', 'Host: localhost', `Authorization: ${authorization}`, 'Content-Type: application/json', ...lines].join(
      '\r\n',
    );
  const body = JSON.stringify(echo);

  it.each([
    ['two lengths', [`Content-Length: ${body.length}`, 'Content-Length: 5']],
    ['a length and chunks', [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked']],
    ['two encodings', ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked']],
    ['an unknown encoding', ['Transfer-Encoding: xchunked']],
    ['a space before the colon', [`Content-Length : ${body.length}`]],
    ['a negative length', ['Content-Length: -1']],
    ['two tokens', [`Authorization: ${authorization}`, `Content-Length: ${body.length}`]],
    ['two origins', ['Origin: http://localhost', 'Origin: http://localhost', `Content-Length: ${body.length}`]],
    ['two narrowings', ['X-Mole-Readonly: 1', 'X-Mole-Readonly: 0', `Content-Length: ${body.length}`]],
    ['a folded line', ['X-Other: a', ' b: c', `Content-Length: ${body.length}`]],
  ])('%s are refused', async (_what, lines) => {
    const { status } = await sendRaw(open.port, `${head(...lines, 'Connection: close')}\r\n\r\n${body}`);
    expect(status).toBe(400);
  });

  it.each([
    ['an encoding before the chunks', 'HTTP/1.1', 'identity, chunked', 400],
    ['chunks in a version that has none', 'HTTP/1.0', 'chunked', 400],
    ['chunks alone', 'HTTP/1.1', 'chunked', 200],
  ])('are answered as they should be: %s', async (_what, version, encoding, expected) => {
    const start = head(`Transfer-Encoding: ${encoding}`, 'Accept: application/json, text/event-stream', 'Connection: close');
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const { status } = await sendRaw(open.port, `${start.replace('HTTP/1.1', version)}\r\n\r\n${chunks}`);
    expect(status).toBe(expected);
  });

  it('may not be larger than 16 KB', async () => {
    expect((await send(echo, { 'x-large': 'x'.repeat(20_000) })).status).toBe(431);
  });
});

describe('narrowing headers', () => {
  const key = (headers: Record<string, string>) => send(echo, headers);

  it('open a view of their own, which is used again', async () => {
    await key({});
    const before = open.narrowings.length;
    await key({ 'x-mole-readonly': '1' });
    await key({ 'x-mole-connections': 'shop, crm' });
    await key({ 'x-mole-connections': 'crm,shop,crm' });
    await key({ 'x-mole-readonly': '0' });
    await key({ 'x-mole-readonly': '1' });
    expect(open.narrowings.slice(before)).toEqual([
      { readonly: true, origin: { door: 'http', principal: 'token' } },
      { connections: ['crm', 'shop'], origin: { door: 'http', principal: 'token' } },
    ]);
  });

  it.each([
    ['x-mole-connexions', 'shop'],
    ['x-mole-readonly', 'yes'],
    ['x-mole-readonly', ''],
    ['x-mole-readonly', '1, 0'],
    ['x-mole-connections', ''],
    ['x-mole-connections', 'shop,,crm'],
    ['x-mole-connections', '*'],
    ['x-mole-connections', 'a'.repeat(65)],
  ])('%s: %j is refused', async (name, value) => {
    const before = open.narrowings.length;
    const { status, body } = await key({ [name]: value });
    expect({ status, body }).toEqual({ status: 400, body: expect.stringContaining('expected') });
    expect(open.narrowings.length).toBe(before);
  });
});

describe('the header that repeats the connection', () => {
  const call = (args: Record<string, unknown>, param?: string) => {
    const { message, headers } = modernCall(7, 'echo', { text: 'hello', ...args });
    return send(message, { ...headers, ...(param !== undefined && { 'mcp-param-connection': param }) });
  };

  it('is accepted when it says the same', async () => {
    expect((await call({ connection: 'shop' }, 'shop')).body).toContain('hello');
    expect((await call({})).body).toContain('hello');
    const encoded = `=?base64?${Buffer.from('größe').toString('base64')}?=`;
    expect((await call({ connection: 'größe' }, encoded)).body).toContain('hello');
    // Clients mirror them like this; the tool takes the number for a name, and refuses the rest.
    expect((await call({ connection: 5 }, '5')).body).toContain('hello');
    expect((await call({ connection: true }, 'true')).body).toContain('E_INPUT');
    expect((await call({ connection: ['a', 'b'] })).body).toContain('E_INPUT');
  });

  it.each([
    ['another name', { connection: 'shop' }, 'crm'],
    ['none', { connection: 'shop' }, undefined],
    ['a name that the body does not have', {}, 'crm'],
    ['none, and the argument has the name that other tools use', { name: 'shop' }, undefined],
    ['none, and the argument is a list', { connection: ['shop'] }, undefined],
    ['another number', { connection: 5 }, '6'],
  ])('is refused when it says %s', async (_what, args, param) => {
    const { status, body } = await call(args, param);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: { code: -32_020 }, id: 7 });
  });
});

describe('a header that repeats a part of the message', () => {
  const call = (headers: Record<string, string>, args: Record<string, unknown> = {}) =>
    send(callMessage(7, 'echo', { text: 'hello', ...args }), headers);

  it.each([{}, { 'mcp-method': 'tools/call' }, { 'mcp-name': 'echo' }, { 'mcp-name': `=?base64?${btoa('echo')}?=` }])(
    'may come with a message of the older era: %j',
    async (headers) => {
      expect((await call(headers)).body).toContain('hello');
    },
  );

  it('may name the connection in a message of the older era', async () => {
    expect((await call({ 'mcp-param-connection': 'shop' }, { connection: 'shop' })).body).toContain('hello');
  });

  it.each([
    ['another method', { 'mcp-method': 'tools/list' }, {}],
    ['another tool', { 'mcp-name': 'large' }, {}],
    ['another tool, and the version of the era', { 'mcp-name': 'large', 'mcp-protocol-version': '2025-11-25' }, {}],
    ['another connection', { 'mcp-param-connection': 'crm' }, { connection: 'shop' }],
    ['a connection, and the message none', { 'mcp-param-connection': 'crm' }, {}],
  ])('is refused in the older era when it says %s', async (_what, headers, args) => {
    const { status, body } = await call(headers, args);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: { code: -32_020 }, id: 7 });
  });
});

it('logs a refused request for those who look for the reason', async () => {
  await post(open.port, '', { path: '/nowhere?secret=1', headers: { authorization } });
  expect(open.log).toContain('debug POST /nowhere was refused with 404: not found: MCP is at /mcp');
});

it('names an address that is not one of this machine', async () => {
  const { door, close } = await openTestDoor();
  await close();
  await expect(door.listen(0, '203.0.113.9')).rejects.toThrow('the address 203.0.113.9 of --host is not one of this machine');
});
