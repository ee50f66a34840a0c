import type { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';

type Write = ClientChannel['_write'];

/** Bytes that may wait in the socket before a channel has to wait too. */
const maxQueued = 1024 * 1024;
const pieceBytes = 64 * 1024;

/**
 * Makes channels wait for their socket. ssh2 itself passes everything on that the server's window lets through, which may be all that
 * a driver ever writes. So whatever else waits in the socket are answers to the server.
 */
export function createPacer(socket: Duplex): (channel: ClientChannel) => void {
  let waiting: (() => void)[] = [];
  socket.on('drain', () => {
    const ready = waiting;
    waiting = [];
    for (const proceed of ready) proceed();
  });
  return (channel) => {
    const write: Write = channel._write.bind(channel);
    const writeFrom = (from: number, [data, encoding, done]: Parameters<Write>): void => {
      const proceed = (): void => {
        if (socket.writableLength > maxQueued) waiting.push(proceed);
        else if (data.length - from <= pieceBytes) write(data.subarray(from), encoding, done);
        else
          write(data.subarray(from, from + pieceBytes), encoding, (error) =>
            error ? done(error) : writeFrom(from + pieceBytes, [data, encoding, done]),
          );
      };
      proceed();
    };
    channel._write = (...args) => writeFrom(0, args);
  };
}
