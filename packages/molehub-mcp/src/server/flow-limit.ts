import type { Readable } from 'node:stream';

const windowMs = 100;

/**
 * Reads a stream no faster than so many bytes in a tenth of a second: one server's flood must not take the time of the others. The
 * returned function counts what was expensive to read as more bytes.
 */
export function limitFlow(stream: Readable, maxBytes: number): (bytes: number) => void {
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const count = (more: number) => {
    bytes += more;
    timer ??= setTimeout(() => {
      timer = undefined;
      bytes = 0;
      stream.resume();
    }, windowMs).unref();
    if (bytes > maxBytes) stream.pause();
  };
  stream.on('data', (chunk: Buffer) => count(chunk.length));
  stream.on('close', () => clearTimeout(timer));
  return count;
}
