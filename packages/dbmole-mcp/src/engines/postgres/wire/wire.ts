import { isIP, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { Failure, onAbort } from '@dbmole/core';
import type { SessionTarget } from '../../../engine.ts';

/** How a server is reached: for a session, and again for each statement that is to be stopped. */
export interface Route {
  target: SessionTarget;
  /** Undefined: plain. */
  tls: ConnectionOptions | undefined;
}

const keepAliveMs = 30_000;
const tlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * A stream to the server on which its protocol can begin. We do TLS ourselves: the driver would check the certificate against
 * the name it connects to, and not against the one that was configured. An aborted signal closes what is open at once.
 */
export async function openWire({ target, tls }: Route, signal: AbortSignal): Promise<Duplex> {
  signal.throwIfAborted();
  const socket = target.dial?.() ?? connectSocket(target);
  const stop = onAbort(signal, () => socket.destroy());
  try {
    if (target.dial === undefined) await arrival(socket, 'connect');
    return tls === undefined ? socket : await startTls(socket, tls, target);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    stop();
  }
}

function connectSocket({ connectHost: host, connectPort: port }: SessionTarget): Duplex {
  const socket = new Socket();
  // A host that is a directory is where the server's own sockets lie.
  if (host.startsWith('/')) return socket.connect(`${host}/.s.PGSQL.${port}`);
  return socket.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs });
}

async function startTls(socket: Duplex, tls: ConnectionOptions, target: SessionTarget): Promise<Duplex> {
  const { servername, ...options } = tls;
  socket.write(tlsRequest);
  const secured = await new Promise<Duplex>((resolve, reject) => {
    onFirstData(socket, reject, (answer) => {
      if (answer !== 'S') return reject(refused(answer, target));
      // Connects immediately: the next bytes on this socket belong to TLS.
      resolve(connectTls({ ...options, socket, ...(servername && isIP(servername) === 0 ? { servername } : {}) }));
    });
  });
  await arrival(secured, 'secureConnect');
  return secured;
}

/** Bytes after the answer would be read as part of the encrypted stream, so there must be none. */
function onFirstData(socket: Duplex, fail: (error: Error) => void, listener: (answer: string) => void): void {
  const lost = (error?: Error) => fail(error ?? lostFailure());
  socket.once('error', lost);
  socket.once('close', lost);
  socket.once('data', (chunk: Buffer) => {
    socket.off('error', lost);
    socket.off('close', lost);
    listener(chunk.toString('latin1'));
  });
}

function refused(answer: string, { connectHost, connectPort }: SessionTarget): Failure {
  const where = `${connectHost}:${connectPort}`;
  if (answer === 'N')
    return new Failure('connection', `${where}: the server does not accept TLS`, {
      code: 'E_TLS_REFUSED',
      hint: 'Enable TLS in the server, or set `tls` to "disable" if the network is trusted.',
    });
  return new Failure('connection', `${where}: the server does not answer like PostgreSQL`, {
    code: 'E_PROTOCOL',
    hint: 'Check `type`, `host` and `port`.',
  });
}

function arrival(stream: Duplex, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | false) => {
      stream.off(event, arrived);
      stream.off('error', settle);
      stream.off('close', closed);
      // A later error has no other listener yet, and must not end the process.
      stream.on('error', () => {});
      if (error) reject(error);
      else resolve();
    };
    const arrived = () => settle();
    const closed = () => settle(lostFailure());
    stream.once(event, arrived).once('error', settle).once('close', closed);
  });
}

export function lostFailure(cause?: Error): Failure {
  const message = cause === undefined ? 'the server closed the connection' : `the connection was lost: ${cause.message}`;
  return new Failure('connection', message, { code: 'E_CONNECTION_LOST', hint: 'Retry.', cause });
}
