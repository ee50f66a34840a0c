import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { waitFor } from '../../abort.ts';
import type { Failure } from '../../failure.ts';
import { errorCode, errorText, type TunnelCode, tunnelFailure } from '../failures.ts';

export interface SocketOptions {
  host: string;
  port: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * A connected socket to the SSH server. It has an error listener for life, and Nagle's algorithm is off before the first
 * byte: with it, a small query waits 40 ms for an acknowledgement.
 */
export async function openSocket(options: SocketOptions): Promise<Socket> {
  const { host, port } = options;
  // The runtime's 250 ms per address would give up on a far server that has several.
  const socket = connect({ host, port, autoSelectFamilyAttemptTimeout: 3_000 });
  socket.on('error', () => {});
  socket.setNoDelay(true);
  const onTimeout = (): Failure =>
    tunnelFailure('E_SSH_CONNECT_TIMEOUT', `no answer from the SSH server ${host}:${port} within ${options.timeoutMs} ms`);
  try {
    await waitFor<void>({ ...options, onTimeout }, (resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('error', (error) => reject(explain(error, options)));
    });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** What connecting would end in, when the name is that of no host at all; otherwise nothing is known before one connects. */
export async function findUnknownHost(options: SocketOptions): Promise<Failure | undefined> {
  const onTimeout = (): Failure =>
    tunnelFailure('E_SSH_CONNECT_TIMEOUT', `${options.host} was not resolved within ${options.timeoutMs} ms`);
  try {
    await waitFor<unknown>({ ...options, onTimeout }, (resolve, reject) => {
      void lookup(options.host).then(resolve, reject);
    });
    return undefined;
  } catch (error) {
    return error instanceof Error && errorCode(error) === 'ENOTFOUND' ? explain(error, options) : undefined;
  }
}

function explain(error: Error, { host, port }: SocketOptions): Failure {
  const code = codeFor(String(errorCode(error)));
  const what =
    code === 'E_SSH_DNS' ? `cannot resolve the SSH server ${host}` : `cannot connect to the SSH server ${host}:${port}`;
  return tunnelFailure(code, `${what}: ${errorText(error) || String(errorCode(error))}`, { cause: error });
}

function codeFor(code: string): TunnelCode {
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'E_SSH_DNS';
  if (code === 'ECONNREFUSED') return 'E_SSH_CONNECT_REFUSED';
  if (code === 'ETIMEDOUT') return 'E_SSH_CONNECT_TIMEOUT';
  return 'E_SSH_NETWORK';
}
