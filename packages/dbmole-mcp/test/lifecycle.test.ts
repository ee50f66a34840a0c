import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RawServer, startRaw, textOf } from './built.ts';

/** The promise is two seconds; the rest is for a busy machine to start and reap a process. */
const exitDeadlineMs = 4_000;

describe('the life of the server', () => {
  const servers: RawServer[] = [];
  let silent: Server;
  let env: Record<string, string>;

  beforeAll(async () => {
    // Accepts and never says a word: a call to it stays in flight.
    silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const connection = { name: 'silent', type: 'postgres', host: '127.0.0.1', port, user: 'nobody', password: 'irrelevant' };
    env = { DBMOLE_CONNECTIONS: JSON.stringify([connection]) };
  });
  afterAll(() => silent.close());
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      expect(server.impure).toEqual([]);
      await server.stop();
    }
  });

  async function start(): Promise<RawServer> {
    const server = startRaw({ env });
    servers.push(server);
    await server.initialize();
    return server;
  }

  async function startWithCallInFlight(): Promise<RawServer> {
    const server = await start();
    const call = server.callTool('test_connection', { name: 'silent' });
    call.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.since();
    return server;
  }

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with code 0 after %s, with a call in flight', async (signal) => {
    const server = await startWithCallInFlight();
    server.child.kill(signal);
    const exit = await server.exited;
    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(exit.after).toBeLessThan(exitDeadlineMs);
  });

  it('ends after the end of input, and tells the running call', async () => {
    const server = await start();
    const call = server.callTool('test_connection', { name: 'silent' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    server.since();
    server.child.stdin.end();
    expect(textOf(await call)).toContain('E_SHUTTING_DOWN');
    const exit = await server.exited;
    expect(exit.code).toBe(0);
    expect(exit.after).toBeLessThan(exitDeadlineMs);
  });

  it('answers what came before the end of input', async () => {
    const server = startRaw({ env });
    servers.push(server);
    const initialized = server.initialize();
    const listed = server.request('tools/list');
    const connections = server.callTool('list_connections');
    server.child.stdin.end();
    expect((await initialized).result?.serverInfo).toMatchObject({ name: 'dbmole-mcp' });
    expect((await listed).result?.tools).not.toHaveLength(0);
    expect(textOf(await connections)).toContain('silent');
    expect((await server.exited).code).toBe(0);
  });

  it('survives a client that closes our output while a call runs', async () => {
    const server = await startWithCallInFlight();
    server.child.stdout.destroy();
    server.send({ jsonrpc: '2.0', id: 99, method: 'tools/list', params: {} });
    const exit = await server.exited;
    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(exit.after).toBeLessThan(exitDeadlineMs);
  });

  it('goes on when nobody reads its log', async () => {
    const server = await start();
    server.child.stderr.destroy();
    server.send('this is not JSON');
    server.send('neither is this');
    expect((await server.request('tools/list')).result?.tools).toBeDefined();
  });

  it('answers a line of 50 MB with an error, forgets it and goes on', async () => {
    const server = await start();
    await server.request('tools/list');
    const before = await server.rssBytes();
    const answer = new Promise<string>((resolve) =>
      server.child.stdout.on('data', (text: string) => text.includes('refused') && resolve(text)),
    );
    server.send(
      `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"list_connections","arguments":{"x":"${'y'.repeat(50_000_000)}"}}}`,
    );
    expect(await answer).toMatch(/"id":4711.*limit is/s);
    expect((await server.request('tools/list')).result?.tools).toBeDefined();
    await expect
      .poll(async () => (await server.rssBytes()) - before, { timeout: 20_000, interval: 500 })
      .toBeLessThan(60_000_000);
  });

  it('answers invalid JSON with a parse error where it can and goes on', async () => {
    const server = await start();
    const answer = new Promise<string>((resolve) =>
      server.child.stdout.on('data', (text: string) => text.includes('-32700') && resolve(text)),
    );
    server.send('{"jsonrpc":"2.0","id":"broken","method":"tools/list",,}');
    expect(await answer).toContain('"broken"');
    server.send('');
    server.send('[]');
    server.send('null');
    server.send('\u0000\u0001');
    server.send('{"jsonrpc":"2.0","result":{},"id":12345}');
    expect((await server.request('tools/list')).result?.tools).toBeDefined();
    expect(server.stderr()).toContain('not a JSON-RPC message');
  });

  it('answers 10,000 requests sent at once, and its memory returns', async () => {
    const server = await start();
    await server.request('tools/list');
    const before = await server.rssBytes();
    const answers = await Promise.all(Array.from({ length: 10_000 }, () => server.callTool('list_connections')));
    expect(answers.filter((answer) => textOf(answer).includes('silent'))).toHaveLength(10_000);
    // Later requests give the collector its chance; what stays must not be ten thousand calls.
    await expect
      .poll(
        async () => {
          for (let round = 0; round < 200; round += 1) await server.request('tools/list');
          return (await server.rssBytes()) - before;
        },
        { timeout: 60_000, interval: 200 },
      )
      .toBeLessThan(100_000_000);
  });
});
