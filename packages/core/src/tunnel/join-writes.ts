import type { Duplex } from 'node:stream';

/**
 * ssh2 writes a packet in three pieces: its length, what is in it, its tag. Without Nagle's algorithm each would travel, and wake the
 * server, by itself, and inside another tunnel each would become a packet of its own. From here on, what is written in one turn
 * leaves as one.
 */
export function joinWrites(stream: Duplex): void {
  const write = stream.write.bind(stream);
  let isHeld = false;
  const release = (): void => {
    isHeld = false;
    stream.uncork();
  };
  Object.assign(stream, {
    write: (...args: Parameters<typeof write>): boolean => {
      if (!isHeld) {
        isHeld = true;
        stream.cork();
        process.nextTick(release);
      }
      return write(...args);
    },
  });
}
