import { connect, createServer, type Socket } from 'node:net';
import { listen } from './ssh-server.ts';

export interface TcpProxy {
  port: number;
  /** From now on nothing passes any more, and nobody is told: a cable that was pulled. */
  freeze(): void;
  close(): Promise<void>;
}

/** Stands between the tunnel and its server. */
export async function startProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  return {
    port: await listen(server),
    freeze: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
