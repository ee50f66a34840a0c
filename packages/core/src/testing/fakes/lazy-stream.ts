import { once } from 'node:events';
import { connect } from 'node:net';
import { createTunnelStream } from '../../tunnel/stream.ts';
import type { DialledStream } from '../../tunnel/tunnel.ts';

/** A stream as tunnels hand it out, with a socket in the place of the channel. */
export function createLazyStream(host: string, port: number): DialledStream {
  return createTunnelStream(async () => {
    const socket = connect({ host, port });
    await once(socket, 'connect');
    return Object.assign(socket, { close: () => void socket.destroy() });
  });
}
