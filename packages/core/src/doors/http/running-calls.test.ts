import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenDoor, type OpenDoorOptions, openTestDoor } from '../../testing/http/open-door.ts';
import { callMessage, modernCall, openSocket, post, type RawAnswer, sendRaw } from '../../testing/http/raw-http.ts';

const opened: OpenDoor[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open(options: OpenDoorOptions = {}): Promise<OpenDoor> {
  const one = await openTestDoor(options);
  opened.push(one);
  return one;
}

function cancelled(requestId: unknown) {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
}

const soon = { timeout: 2_000, interval: 5 };
const waitMessage = callMessage(5, 'wait');

/** A call of `wait` that runs, and how to close its connection. */
async function startWait({ port, waiting }: OpenDoor, message: unknown = waitMessage, headers: Record<string, string> = {}) {
  const before = waiting.running;
  const gone = new AbortController();
  const answer = post(port, message, { signal: gone.signal, headers }).catch((error: unknown) => error);
  await expect.poll(() => waiting.running, soon).toBe(before + 1);
  return { answer, disconnect: () => gone.abort() };
}

describe('a call that runs', () => {
  it.each([
    ['older', waitMessage, {}],
    ['newer', modernCall(5, 'wait').message, modernCall(5, 'wait').headers],
  ])('is aborted when a client of the %s era disconnects', async (_era, message, headers) => {
    const door = await open();
    const { disconnect } = await startWait(door, message, headers);
    disconnect();
    await expect.poll(() => door.waiting.aborted, soon).toBe(1);
    await expect.poll(() => door.door.calls, soon).toBe(0);
  });

  it('is aborted when the client closes its half of the connection', async () => {
    const door = await open();
    const body = JSON.stringify(waitMessage);
    const accept = 'Accept: application/json, text/event-stream\r\nContent-Type: application/json';
    const socket = openSocket(door.port);
    socket.end(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${accept}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await expect.poll(() => door.waiting.aborted, soon).toBe(1);
    socket.destroy();
  });

  it('is aborted by a notification of the older era, and its answer ends', async () => {
    const door = await open();
    const { answer } = await startWait(door);
    expect((await post(door.port, cancelled(5))).status).toBe(202);
    expect(door.waiting.aborted).toBe(1);
    await answer;
    expect(door.door.calls).toBe(0);
  });

  it.each([
    ['another id', cancelled(6), {}],
    ['the id as a text', cancelled('5'), {}],
    ['no id', { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} }, {}],
    ['no parameters', { jsonrpc: '2.0', method: 'notifications/cancelled' }, {}],
    ['another program', cancelled(5), { 'user-agent': 'other' }],
    ['a narrower view', cancelled(5), { 'x-mole-readonly': '1' }],
  ])('is not aborted by a notification with %s', async (_what, message, headers) => {
    const door = await open();
    const { disconnect } = await startWait(door);
    expect((await post(door.port, message, { headers })).status).toBeLessThan(500);
    await delay(50);
    expect(door.waiting).toEqual({ running: 1, aborted: 0 });
    disconnect();
  });

  it('is not aborted by another principal', async () => {
    const door = await open({ authenticate: async (authorization) => ({ id: authorization ?? 'none' }) });
    const { disconnect } = await startWait(door, waitMessage, { authorization: 'a' });
    await post(door.port, cancelled(5), { headers: { authorization: 'b' } });
    await delay(50);
    expect(door.waiting.aborted).toBe(0);
    disconnect();
  });

  it('is not aborted when two clients that look the same run calls with this id', async () => {
    const door = await open();
    const [first, second] = [await startWait(door), await startWait(door)];
    await post(door.port, cancelled(5));
    await delay(50);
    expect(door.waiting).toEqual({ running: 2, aborted: 0 });
    first.disconnect();
    await expect.poll(() => door.waiting.running, soon).toBe(1);
    await post(door.port, cancelled(5));
    expect(door.waiting.running).toBe(0);
    second.disconnect();
  });
});

describe('limits of calls', () => {
  it('refuse a call above those of one client, and count another client for itself', async () => {
    const authenticate: OpenDoorOptions['authenticate'] = async (authorization) => ({ id: authorization ?? 'none' });
    const door = await open({ authenticate, limits: { callsPerClient: 2, calls: 3 } });
    const send = (authorization: string) =>
      post(door.port, callMessage(9, 'echo', { text: 'hello' }), { headers: { authorization } });
    const running = [await startWait(door, waitMessage, { authorization: 'a' })];
    running.push(await startWait(door, waitMessage, { authorization: 'a' }));
    const refused = await send('a');
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(JSON.parse(refused.body)).toMatchObject({
      id: 9,
      error: { message: expect.stringContaining('--max-calls-per-client') },
    });
    expect((await send('b')).body).toContain('hello');
    running.push(await startWait(door, waitMessage, { authorization: 'b' }));
    expect(await send('c')).toMatchObject({ status: 503, body: expect.stringContaining('--max-calls)') });
    for (const { disconnect } of running) disconnect();
    await expect.poll(() => door.door.calls, soon).toBe(0);
    expect((await send('a')).status).toBe(200);
  });

  it('give the slot of a call back when its id is refused', async () => {
    const door = await open({ limits: { callsPerClient: 1 } });
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    for (const id of [deep, '{}', '[1]']) {
      const message = JSON.stringify(callMessage(1, 'echo', { text: 'hello' })).replace('"id":1', `"id":${id}`);
      expect((await post(door.port, message)).status).toBe(400);
    }
    expect((await post(door.port, callMessage(1, 'echo', { text: 'hello' }))).status).toBe(200);
  });

  it('refuse more calls in a minute than allowed, and say when to come back', async () => {
    const door = await open({ limits: { callsPerMinute: 3 } });
    const send = () => post(door.port, callMessage(1, 'echo', { text: 'hello' }));
    for (let made = 0; made < 3; made++) expect((await send()).status).toBe(200);
    const { status, headers, body } = await send();
    expect({ status, body }).toEqual({ status: 429, body: expect.stringContaining('--calls-per-minute') });
    expect(Number(headers['retry-after'])).toBeGreaterThan(15);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(20);
    // Only calls count.
    expect((await post(door.port, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(200);
  });

  it('count a call until its answer was read', async () => {
    const door = await open({ limits: { callsPerClient: 1, idleTimeout: 1_500 } });
    const body = JSON.stringify(callMessage(1, 'large', { characters: 16_000_000 }));
    const accept = 'Accept: application/json, text/event-stream\r\nContent-Type: application/json';
    const request = `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${accept}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const socket = openSocket(door.port);
    socket.pause();
    // Its answer is larger than the buffers of the system.
    socket.write(request);
    await expect.poll(() => door.door.calls, soon).toBe(1);
    expect((await post(door.port, callMessage(2, 'echo', { text: 'hello' }))).status).toBe(429);
    // The client that reads nothing is disconnected.
    await expect.poll(() => door.door.calls, { timeout: 10_000 }).toBe(0);
    expect((await post(door.port, callMessage(3, 'echo', { text: 'hello' }))).status).toBe(200);
    socket.destroy();
  });
});

describe('an answer', () => {
  it.each([1, 15_000, 16_384, 30_000])('an answer of %i characters arrives whole in both eras', async (characters) => {
    const door = await open({ limits: { idleTimeout: 2_000 } });
    const text = 'x'.repeat(characters);
    for (let made = 0; made < 5; made++) {
      const older = await post(door.port, callMessage(1, 'large', { characters }));
      expect(older.body.includes(`"${text}"`)).toBe(true);
      const { message, headers } = modernCall(1, 'large', { characters });
      const newer = await post(door.port, message, { headers });
      expect(newer.body.includes(`"${text}"`)).toBe(true);
    }
  });
});

describe('draining', () => {
  it('refuses new calls, fails the health check, and lets running calls end', async () => {
    const door = await open();
    const { answer } = await startWait(door);
    door.door.drain();
    const refused = await post(door.port, callMessage(6, 'echo', { text: 'hello' }));
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1', connection: 'close' } });
    expect((await post(door.port, '', { path: '/healthz', method: 'GET' })).status).toBe(503);
    expect(door.waiting).toEqual({ running: 1, aborted: 0 });
    await door.door.close();
    expect(door.waiting).toEqual({ running: 0, aborted: 1 });
    await answer;
    await expect(post(door.port, waitMessage)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('connections', () => {
  it('connections without a request make room for new ones', async () => {
    const door = await open({ limits: { connections: 20 } });
    const idle = Array.from({ length: 100 }, () => openSocket(door.port));
    await expect.poll(() => idle.filter(({ closed }) => closed).length, soon).toBeGreaterThanOrEqual(79);
    expect((await post(door.port, callMessage(1, 'echo', { text: 'hello' }))).status).toBe(200);
    expect(door.log.filter((line) => line.includes('--max-connections'))).toHaveLength(1);
    for (const socket of idle) socket.destroy();
  });

  it('are refused when all are busy', async () => {
    const door = await open({ limits: { connections: 2 } });
    const running = [await startWait(door), await startWait(door)];
    const refused = await sendRaw(door.port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(refused).toMatchObject({ status: 503, body: expect.stringContaining('--max-connections') });
    for (const { disconnect } of running) disconnect();
    await expect.poll(async () => (await post(door.port, '', { path: '/healthz', method: 'GET' })).status, soon).toBe(200);
  });

  it('may send a few requests before the answers, and not many', async () => {
    const door = await open();
    const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const last = request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const statuses = ({ body }: RawAnswer) => [...body.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status);
    const few = await sendRaw(door.port, request.repeat(3) + last);
    expect([`${few.status}`, ...statuses(few)]).toEqual(['200', '200', '200', '200']);
    const many = await sendRaw(door.port, request.repeat(20));
    expect([`${many.status}`, ...statuses(many)]).toEqual(['200', '200', '200', '200', '429']);
  });

  it('connections that send a head or a body too slowly are closed', async () => {
    const door = await open({ limits: { headerTimeout: 300, idleTimeout: 300 } });
    const answers = await Promise.all([
      sendRaw(door.port, ''),
      sendRaw(door.port, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
      sendRaw(
        door.port,
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
      ),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([408, 408, 408]);
    // One that has sent a request may stay for the idle time.
    expect((await sendRaw(door.port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')).status).toBe(200);
  });

  it('connections that send a body in the smallest chunks cost little more memory than the body', async () => {
    const door = await open();
    const count = 1_000_000;
    const before = process.memoryUsage();
    const socket = openSocket(door.port);
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (let sent = 0; sent < count; sent += 20_000) if (!socket.write('1\r\n \r\n'.repeat(20_000))) await once(socket, 'drain');
    await delay(200);
    const { heapUsed, external } = process.memoryUsage();
    // What a part of one byte takes to keep is 150.
    expect((heapUsed + external - before.heapUsed - before.external) / count).toBeLessThan(80);
    socket.destroy();
  });

  it('connections that break off in the middle of a body leave nothing behind', async () => {
    const door = await open();
    for (let made = 0; made < 20; made++) {
      const socket = openSocket(door.port);
      socket.write(
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"jsonrpc":',
      );
      await delay(5);
      socket.destroy();
    }
    expect((await post(door.port, callMessage(1, 'echo', { text: 'hello' }))).body).toContain('hello');
    const { body } = await post(door.port, '', { path: '/status', method: 'GET' });
    expect(JSON.parse(body)).toMatchObject({ calls: 0 });
    expect(door.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });
});
