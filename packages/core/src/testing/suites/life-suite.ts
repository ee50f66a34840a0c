import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openSilentServer } from '../loopback.ts';
import { readText, ServerProcess } from '../server-process.ts';

export interface BuiltServer {
  /** The name that the server gives itself. */
  name: string;
  /** The built program. */
  file: string;
  /** The variable that takes connections, and the fields of one besides name, host and port. */
  envVar: string;
  connection: Record<string, unknown>;
}

/** The promise is two seconds; the rest is for a busy machine to start and reap a process. */
const exitDeadlineMs = 4_000;

/** How a server lives and ends, whatever it serves. */
export function describeServerLife({ name, file, envVar, connection }: BuiltServer): void {
  describe(`the life of ${name}`, () => {
    const servers: ServerProcess[] = [];
    let silent: Awaited<ReturnType<typeof openSilentServer>>;
    let env: Record<string, string>;

    beforeAll(async () => {
      // A call to it stays in flight.
      silent = await openSilentServer();
      env = { [envVar]: JSON.stringify([{ ...connection, name: 'silent', host: '127.0.0.1', port: silent.port }]) };
    });
    afterAll(() => silent.close());
    afterEach(async () => {
      for (const server of servers.splice(0)) {
        await server.stop();
        expect(server.impure).toEqual([]);
      }
    });

    function spawn(): ServerProcess {
      const server = new ServerProcess({ file, env });
      servers.push(server);
      return server;
    }

    async function start(): Promise<ServerProcess> {
      const server = spawn();
      await server.initialize();
      return server;
    }

    async function startWithCallInFlight() {
      const server = await start();
      const call = server.callTool('test_connection', { name: 'silent' });
      call.catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 300));
      server.markTime();
      return { server, call };
    }

    it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with code 0 after %s, and tells the running call', async (signal) => {
      const { server, call } = await startWithCallInFlight();
      server.child.kill(signal);
      expect(readText(await call)).toContain('E_SHUTTING_DOWN');
      const exit = await server.exited;
      expect(exit).toMatchObject({ code: 0, signal: null });
      expect(exit.after).toBeLessThan(exitDeadlineMs);
    });

    it('ends after the end of input, and tells the running call', async () => {
      const { server, call } = await startWithCallInFlight();
      server.child.stdin.end();
      expect(readText(await call)).toContain('E_SHUTTING_DOWN');
      const exit = await server.exited;
      expect(exit.code).toBe(0);
      expect(exit.after).toBeLessThan(exitDeadlineMs);
    });

    /** Until the signal of the preloaded module is handled, the loop runs. */
    async function startBlocked(by: 'work' | 'wait', blockMs: number): Promise<ServerProcess> {
      const blocking = {
        NODE_OPTIONS: `--import=${new URL('../block-main-thread.mjs', import.meta.url)}`,
        BLOCK_MS: String(blockMs),
      };
      const server = new ServerProcess({ file, env: { ...env, ...blocking } });
      servers.push(server);
      await server.initialize();
      await server.callTool('list_connections');
      // The watchdog starts with the first call.
      await sleep(1_000);
      server.child.kill(by === 'work' ? 'SIGUSR2' : 'SIGPWR');
      await expect.poll(() => server.stderr).toContain('blocked');
      server.markTime();
      return server;
    }

    it.each([
      ['SIGTERM', 'work'],
      ['SIGTERM', 'wait'],
      ['SIGINT', 'work'],
      ['SIGHUP', 'work'],
    ] as const)('ends within two seconds after %s while its event loop is blocked by %s', async (signal, by) => {
      const server = await startBlocked(by, 60_000);
      server.child.kill(signal);
      expect((await server.exited).after).toBeLessThan(2_000);
    });

    it.each(['work', 'wait'] as const)(
      'ends within two seconds after the end of input while its event loop is blocked by %s',
      async (by) => {
        const server = await startBlocked(by, 60_000);
        server.send({ jsonrpc: '2.0', id: 99, method: 'tools/list', params: {} });
        server.child.stdin.end();
        expect((await server.exited).after).toBeLessThan(2_000);
      },
    );

    it('answers in order what came while its event loop was blocked, and ends as usual', async () => {
      const server = await startBlocked('work', 2_000);
      const order: number[] = [];
      const requests = Array.from({ length: 100 }, async (_, at) => {
        await sleep(at * 15);
        // More than a pipe holds.
        await server.request('ping', { _meta: { filler: 'x'.repeat(10_000) } });
        order.push(at);
      });
      await Promise.all(requests);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      server.child.stdin.end();
      expect((await server.exited).code).toBe(0);
    });

    it('answers what came before the end of input', async () => {
      const server = spawn();
      const initialized = server.initialize();
      const listed = server.request('tools/list');
      const connections = server.callTool('list_connections');
      server.child.stdin.end();
      expect((await initialized).result?.serverInfo).toMatchObject({ name });
      expect((await listed).result?.tools).not.toHaveLength(0);
      expect(readText(await connections)).toContain('silent');
      expect((await server.exited).code).toBe(0);
    });

    it('survives a client that closes our output while a call runs', async () => {
      const { server } = await startWithCallInFlight();
      server.child.stdout.destroy();
      server.send({ jsonrpc: '2.0', id: 99, method: 'tools/list', params: {} });
      const exit = await server.exited;
      expect(exit).toMatchObject({ code: 0, signal: null });
      expect(exit.after).toBeLessThan(exitDeadlineMs);
    });

    it('goes on when its log is not read', async () => {
      const server = await start();
      server.child.stderr.destroy();
      server.send('this is not JSON');
      server.send('neither is this');
      expect((await server.request('tools/list')).result?.tools).toBeDefined();
    });

    it('answers a line of 50 MB with an error, forgets it and goes on', async () => {
      const server = await start();
      await server.request('tools/list');
      const before = server.rssBytes();
      const arguments_ = `{"x":"${'y'.repeat(50_000_000)}"}`;
      server.send(
        `{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"list_connections","arguments":${arguments_}}}`,
      );
      await expect.poll(() => server.stdout, { timeout: 30_000 }).toMatch(/"id":4711.*limit is/);
      expect((await server.request('tools/list')).result?.tools).toBeDefined();
      await expect.poll(() => server.rssBytes() - before, { timeout: 20_000, interval: 500 }).toBeLessThan(60_000_000);
    });

    it('answers invalid JSON with a parse error where it can, and goes on', async () => {
      const server = await start();
      server.send('{"jsonrpc":"2.0","id":"broken","method":"tools/list",,}');
      await expect.poll(() => server.stdout).toMatch(/"id":"broken".*-32700/);
      for (const line of ['', '[]', 'null', '\u0000\u0001', '{"jsonrpc":"2.0","result":{},"id":12345}']) server.send(line);
      expect((await server.request('tools/list')).result?.tools).toBeDefined();
      expect(server.stderr).toContain('not a JSON-RPC message');
    });

    it('answers 10,000 requests sent at once, and its memory returns', async () => {
      const server = await start();
      await server.request('tools/list');
      const before = server.rssBytes();
      const answers = await Promise.all(Array.from({ length: 10_000 }, () => server.callTool('list_connections')));
      expect(answers.filter((answer) => readText(answer).includes('silent'))).toHaveLength(10_000);
      // Later requests give the collector its chance; what stays must not be ten thousand calls.
      const grown = async () => {
        for (let round = 0; round < 200; round += 1) await server.request('tools/list');
        return server.rssBytes() - before;
      };
      await expect.poll(grown, { timeout: 60_000, interval: 200 }).toBeLessThan(100_000_000);
    });
  });
}
