import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, vi } from 'vitest';
import { findUnusedPort, listenOnLoopback } from '../loopback.ts';
import { createFakeTunnel } from './fake-tunnel.ts';
import { createLazyStream } from './lazy-stream.ts';

async function openUpperCaseServer() {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase()));
  });
  const port = await listenOnLoopback(server);
  const close = async () => {
    server.close();
    await once(server, 'close');
  };
  return { port, close };
}

it('leads a stream to a server, in both directions and to the end', async () => {
  const server = await openUpperCaseServer();
  const tunnel = createFakeTunnel();
  const stream = tunnel.stream('127.0.0.1', server.port);
  expect(tunnel.status()).toMatchObject({ state: 'ready', channels: 1 });
  const answer = text(stream);
  stream.end('hello'.repeat(50_000));
  expect(await answer).toBe('HELLO'.repeat(50_000));
  expect(tunnel.dialled).toEqual([`127.0.0.1:${server.port}`]);
  await server.close();
});

it('breaks streams and tells listeners once when it is lost', async () => {
  const server = await openUpperCaseServer();
  const tunnel = createFakeTunnel();
  const listener = vi.fn();
  tunnel.onClosed(listener);
  const stream = tunnel.stream('127.0.0.1', server.port);
  stream.write('hello');
  await once(stream, 'data');
  tunnel.lose('the cause');
  await once(stream, 'close');
  expect(listener.mock.calls).toEqual([['the cause']]);
  await expect(tunnel.ensureFresh()).rejects.toMatchObject({ kind: 'tunnel' });
  expect(tunnel.stream('127.0.0.1', server.port).destroyed).toBe(true);
  await tunnel.close();
  expect(listener).toHaveBeenCalledTimes(1);
  expect(tunnel.closings).toBe(1);
  await server.close();
});

it('reports on the stream that nothing listens', async () => {
  const stream = createLazyStream('127.0.0.1', await findUnusedPort());
  const failed = once(stream, 'error');
  stream.write('hello');
  expect(await failed).toMatchObject([{ code: 'ECONNREFUSED' }]);
});
