import { connect, createServer, type Socket } from 'node:net';
import { listen } from './ssh-server.ts';

export interface TcpProxy {
  port: number;
  /** From now on open connections pass nothing, silently: a cable that was pulled. */
  freeze(): void;
  /** What was held back passes. */
  thaw(): void;
  /** Every connection ends as if a machine on the way had forgotten it. */
  reset(): void;
  /** How many connections are open on the near side. */
  open(): number;
  close(): Promise<void>;
}

/** A proxy between the tunnel and its server. */
export async function startProxy(targetPort: number, targetHost = '127.0.0.1'): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: targetPort, host: targetHost, noDelay: true });
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [socket, other] of [pair, [far, near]] as const) {
      socket.on('error', () => {});
      // A reset of one side does not end the other by itself, which would then keep the proxy from closing.
      socket.on('close', () => {
        other.destroySoon();
        pairs.delete(pair);
      });
    }
    near.pipe(far).pipe(near);
  });
  const each = (act: (near: Socket, far: Socket) => void) => {
    for (const [near, far] of pairs) act(near, far);
  };
  return {
    port: await listen(server),
    freeze: () => each((near, far) => void [near.unpipe().pause(), far.unpipe().pause()]),
    thaw: () => each((near, far) => void near.pipe(far).pipe(near)),
    reset: () => each((near, far) => void [near.resetAndDestroy(), far.resetAndDestroy()]),
    open: () => pairs.size,
    close: async () => {
      each((near, far) => void [near.destroy(), far.destroy()]);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
