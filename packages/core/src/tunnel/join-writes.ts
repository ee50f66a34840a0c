import type { Duplex } from 'node:stream';

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
