import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTcp, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { open, refusal, serve, serveRaw, until, useLogins } from './login-rig.ts';
import { listen } from './ssh-server.ts';

useLogins();

describe('servers that are none', () => {
  test('reports a port that refuses connections', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await refusal(open(port))).toMatchObject({
      code: 'E_SSH_CONNECT_REFUSED',
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
  });

  test('a name that does not exist', async () => {
    expect(await refusal(open(22, { host: 'no.such.name.invalid' }))).toMatchObject({ code: 'E_SSH_DNS' });
  });

  test('an unknown name is reported before a missing key, and only where it is unknown', async () => {
    const nothing = { password: undefined };
    expect(await refusal(open(22, { ...nothing, host: 'no.such.name.invalid' }))).toMatchObject({ code: 'E_SSH_DNS' });
    expect(await refusal(open(22, nothing))).toMatchObject({ code: 'E_SSH_AUTH_FAILED' });
  });

  test.skipIf(process.platform !== 'linux')('drops packets', async () => {
    const script = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      process.stdout.write(s.address().port + '\\n', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)); });`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    // They fill the queue of the listener, which never accepts; from then on the system drops new connections.
    const fillers = Array.from({ length: 8 }, () => connectTcp(Number(line), '127.0.0.1').on('error', () => {}));
    try {
      await new Promise((resolve) => setTimeout(resolve, 200));
      const count = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
      const before = count();
      const failure = await refusal(open(Number(line), {}, { timeouts: { connectMs: 300 } }));
      expect(failure).toMatchObject({ code: 'E_SSH_CONNECT_TIMEOUT', message: expect.stringContaining('300 ms') });
      await until(() => count() <= before, 'the end of the attempt');
    } finally {
      for (const filler of fillers) filler.destroy();
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  test.each([
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n', true],
    ['a server that hangs up at once', '', true],
    ['garbage after the greeting', `SSH-2.0-Fake\r\n${'\u0001'.repeat(64)}`, false],
  ])('%s', async (_name, text, hangsUp) => {
    const { port, sockets } = await serveRaw((socket) => {
      socket.resume();
      if (hangsUp) socket.end(text);
      else socket.write(text);
    });
    const failure = await refusal(open(port, {}, { timeouts: { busyMs: [10] } }));
    expect(failure.code).toBe('E_SSH_NOT_SSH_OR_REFUSED');
    await until(() => sockets.every((socket) => socket.destroyed), 'the end of the connection');
  });

  test('a silent one', async () => {
    const { port, sockets } = await serveRaw((socket) => socket.resume());
    const failure = await refusal(open(port, {}, { timeouts: { handshakeMs: 200 } }));
    expect(failure).toMatchObject({
      code: 'E_SSH_HANDSHAKE_TIMEOUT',
      message: expect.stringContaining('the handshake within 200 ms'),
    });
    await until(() => sockets.every((socket) => socket.destroyed), 'the end of the connection');
  });

  test('one that falls silent at the login', async () => {
    const server = await serve({ authenticate: () => {} });
    const failure = await refusal(open(server.port, {}, { timeouts: { handshakeMs: 500 } }));
    expect(failure).toMatchObject({ code: 'E_SSH_HANDSHAKE_TIMEOUT', message: expect.stringContaining('the login within') });
  });

  test('one that hangs up at the login', async () => {
    const server = await serve({ authenticate: () => [...server.connections][0]?.end() });
    expect((await refusal(open(server.port))).code).toMatch(/^E_SSH_(NETWORK|AUTH_FAILED)$/);
  });

  test('one without a common algorithm', async () => {
    const server = await serve({ config: { algorithms: { kex: ['diffie-hellman-group1-sha1'] } } });
    const failure = await refusal(open(server.port));
    expect(failure).toMatchObject({ code: 'E_SSH_ALGORITHM_MISMATCH', message: expect.stringContaining('key exchange') });
  });
});

describe('giving up', () => {
  test('while the server is silent: with the reason of the caller, and nothing stays open', async () => {
    const { port, sockets } = await serveRaw((socket) => socket.resume());
    const controller = new AbortController();
    const attempt = refusal(open(port, {}, { signal: controller.signal }));
    await until(() => sockets.length === 1, 'the connection');
    controller.abort();
    expect((await attempt).kind).toBe('cancelled');
    await until(() => sockets[0]?.destroyed === true, 'the end of the connection');
  });

  test('before it began: nothing is opened', async () => {
    const { port, sockets } = await serveRaw(() => {});
    const attempt = open(port, { privateKey: '~/missing' }, { signal: AbortSignal.abort() });
    expect((await refusal(attempt)).kind).toBe('cancelled');
    expect(sockets).toEqual([]);
  });
});
