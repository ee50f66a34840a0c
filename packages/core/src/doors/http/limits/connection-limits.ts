import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../../log.ts';

/** Between two warnings that connections are refused, in milliseconds. */
const warningPauseMs = 60_000;
const refusalBody = JSON.stringify({ error: 'too many connections (--max-connections)' });
const refusalText = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json',
  `Content-Length: ${refusalBody.length}`,
  'Retry-After: 1',
  'Connection: close',
  '',
  refusalBody,
].join('\r\n');

/**
 * Keeps the number of open connections below a limit. One that has no request makes room for a new one, the oldest first: thousands of
 * idle connections do not lock out a client. When all are busy, the new one is refused.
 */
export function limitConnections(server: Server, { max, log }: { max: number; log: Log }): { readonly open: number } {
  // Keyed by the client's address and port: below TLS, the socket of a request is another object than that of its connection.
  const open = new Map<string, Socket>();
  const idle = new Set<string>();
  /** How many requests of a connection are not answered. */
  const busy = new Map<string, number>();
  let warnedAt = Number.NEGATIVE_INFINITY;

  function makeRoom(): boolean {
    if (open.size < max) return true;
    warn();
    const [oldest] = idle;
    if (oldest === undefined) return false;
    const socket = open.get(oldest);
    forget(oldest);
    socket?.destroy();
    return true;
  }

  function warn(): void {
    if (performance.now() - warnedAt < warningPauseMs) return;
    warnedAt = performance.now();
    log('warn', `${open.size} connections are open, which is the limit (--max-connections)`);
  }

  function forget(key: string): void {
    open.delete(key);
    idle.delete(key);
  }

  server.on('connection', (socket: Socket) => {
    const key = describePeer(socket);
    if (!makeRoom()) return void socket.end(refusalText);
    open.set(key, socket);
    idle.add(key);
    socket.once('close', () => {
      if (open.get(key) === socket) forget(key);
    });
  });
  server.on('request', ({ socket }, response) => {
    const key = describePeer(socket);
    idle.delete(key);
    busy.set(key, (busy.get(key) ?? 0) + 1);
    response.once('close', () => {
      const left = (busy.get(key) ?? 1) - 1;
      if (left > 0) return void busy.set(key, left);
      busy.delete(key);
      if (open.has(key)) idle.add(key);
    });
  });
  return {
    get open() {
      return open.size;
    },
  };
}

function describePeer({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
