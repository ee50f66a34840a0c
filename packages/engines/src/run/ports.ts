import { type Socket, connect as tcpConnect } from 'node:net';

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
