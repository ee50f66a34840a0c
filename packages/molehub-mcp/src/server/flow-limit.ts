import type { Readable } from 'node:stream';

const windowMs = 100;

/** Reads a stream no faster than so many bytes in a tenth of a second: one server's flood must not take the time of the others. */
export function limitFlow(stream: Readable, maxBytes: number): void {
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    timer ??= setTimeout(() => {
      timer = undefined;
      bytes = 0;
      stream.resume();
    }, windowMs).unref();
    if (bytes > maxBytes) stream.pause();
  });
  stream.on('close', () => clearTimeout(timer));
}
