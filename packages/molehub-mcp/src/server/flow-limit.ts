import type { Readable } from 'node:stream';
import type { Fields } from '@dbmole/core';

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

type Pass = (params: Fields) => void;

const reportsMs = 1_000;
const maxReports = 20;
const maxMessageLength = 2_000;

/** Passes on some reports of progress in each second, and of each what the protocol knows: a client may read slowly, or not at all. */
export function limitProgress(pass: Pass | undefined): Pass | undefined {
  if (pass === undefined) return undefined;
  let [end, left] = [0, 0];
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (now >= end) [end, left] = [now + reportsMs, maxReports];
    left -= 1;
    if (left < 0) return;
    pass({
      ...(typeof progress === 'number' && { progress }),
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message: message.slice(0, maxMessageLength) }),
    });
  };
}
