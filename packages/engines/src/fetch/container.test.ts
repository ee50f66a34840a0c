import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ping } from './container.ts';

const servers: Server[] = [];

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is an object.
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('ping', () => {
  it('knows an engine by its answer', async () => {
    const engine = createHttpServer((request, response) => {
      response.statusCode = request.url === '/_ping' ? 200 : 404;
      response.end('OK');
    });
    expect(await ping(await listen(engine))).toBe(true);
  });

  it('is not taken in by another server', async () => {
    const other = createHttpServer((_request, response) => {
      response.statusCode = 404;
      response.end();
    });
    expect(await ping(await listen(other))).toBe(false);
  });

  it('gives up on a silent one', async () => {
    const sockets: { destroy(): void }[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    const start = performance.now();
    expect(await ping(await listen(silent), 200)).toBe(false);
    expect(performance.now() - start).toBeLessThan(5_000);
    for (const socket of sockets) socket.destroy();
  });

  it('detects a missing container engine', async () => {
    expect(await ping('unix:///nonexistent/docker.sock')).toBe(false);
    expect(await ping('tcp://127.0.0.1:1')).toBe(false);
    expect(await ping('nonsense')).toBe(false);
  });
});
