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

const maxHeld = 64 * 1024;

/**
 * ssh2 writes a packet in three pieces: its length, what is in it, its tag. Without Nagle's algorithm each would travel, and wake the
 * server, by itself, and inside another tunnel each would become a packet of its own. From here on, what is written in one turn
 * leaves as one buffer; small ones that wait to be sent take many times their length in memory.
 */
export function joinWrites(stream: Duplex): void {
  const write = stream.write.bind(stream);
  const end = stream.end.bind(stream);
  let held: Buffer[] = [];
  let bytes = 0;
  const release = (): boolean => {
    if (bytes === 0) return true;
    const all = Buffer.concat(held, bytes);
    held = [];
    bytes = 0;
    return write(all);
  };
  Object.assign(stream, {
    write: (...args: Parameters<typeof write>): boolean => {
      const [chunk, ...others] = args;
      if (!Buffer.isBuffer(chunk) || others.length > 0) {
        release();
        return write(...args);
      }
      if (bytes === 0) process.nextTick(release);
      held.push(chunk);
      bytes += chunk.length;
      return bytes < maxHeld || release();
    },
    end: (...args: Parameters<typeof end>): Duplex => {
      release();
      return end(...args);
    },
  });
}

/** The runtime reads at most this much at once, so a chunk of this size is a part of more. */
const fullChunk = 64 * 1024;

/**
 * sshd leaves Nagle's algorithm on for connections that only forward: it holds a small packet back until the one before it is
 * acknowledged, and our kernel delays an acknowledgement by 40 ms unless something is written. So where a turn ends without a write
 * after a chunk arrived, `send` is called, which writes a message that has no reply. Returns what is to be called with each chunk.
 */
export function createPromptAcks(stream: Duplex, send: () => void): (chunk: Buffer) => void {
  const write = stream.write.bind(stream);
  let owed = false;
  Object.assign(stream, {
    write: (...args: Parameters<typeof write>): boolean => {
      owed = false;
      return write(...args);
    },
  });
  const pay = (): void => {
    if (owed && stream.writableLength === 0) send();
    owed = false;
  };
  return (chunk) => {
    if (chunk.length >= fullChunk || owed) return;
    owed = true;
    setImmediate(pay);
  };
}
