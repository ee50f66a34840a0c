import type { Readable } from 'node:stream';
import { Failure, type Fields } from '@dbmole/core';

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

/** Fetches answers of at most so many bytes after decompression. In a stream of events, that is the limit of each event. */
export function createLimitedFetch(maxBytes: number): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    let bytes = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes = isStream && endsEvent(chunk) ? 0 : bytes + chunk.length;
        if (bytes <= maxBytes) controller.enqueue(chunk);
        else
          controller.error(
            new Failure('limit', `the server answered with more than ${maxBytes} bytes`, { hint: 'Ask for less.' }),
          );
      },
    });
    return new Response(response.body.pipeThrough(limit), response);
  };
}

/** An event ends with an empty line. */
function endsEvent(chunk: Uint8Array): boolean {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  return text.includes('\n\n') || text.includes('\n\r\n') || text.includes('\r\r');
}
