import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DelayingProxy {
  port: number;
  close(): Promise<void>;
}

/** A TCP proxy that simulates distance: whatever arrives leaves `delayMs` later, in each direction. */
export async function startDelayingProxy(target: { host: string; port: number }, delayMs: number): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...target, noDelay: true });
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    delay(near, far, delayMs);
    delay(far, near, delayMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

function delay(from: Socket, to: Socket, delayMs: number): void {
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), delayMs));
  from.on('close', () => setTimeout(() => to.destroy(), delayMs));
}
