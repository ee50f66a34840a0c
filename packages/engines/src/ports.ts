import { createServer, type Socket, connect as tcpConnect } from 'node:net';

/** A port that was free a moment ago. Someone may take it before its user binds it, so starters try again with another. */
export function findFreePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** The first bytes a server says by itself, or undefined when nothing comes. An open port alone does not show a ready server. */
export function readGreeting(port: number, host = '127.0.0.1', withinMs = 2_000): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket: Socket = tcpConnect({ port, host });
    const end = (greeting: Buffer | undefined) => {
      socket.destroy();
      resolve(greeting);
    };
    socket.setTimeout(withinMs, () => end(undefined));
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
    socket.on('data', (data: Buffer) => end(data));
  });
}
