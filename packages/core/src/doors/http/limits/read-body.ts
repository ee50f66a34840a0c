import type { IncomingMessage } from 'node:http';
import { ByteCollector } from '../../../program/byte-collector.ts';
import { ValueCounter } from '../../../program/line-reader.ts';
import { HttpRefusal, invalidRequestCode, parseErrorCode } from '../refusal.ts';

interface BodyReaderOptions {
  maxBytes: number;
  /** Milliseconds in which something of the body has to arrive. */
  idleTimeout: number;
}

/** The size of all bodies that are being read; further clients have to wait. */
const maxPendingBytes = 64 * 1024 * 1024;
/** A shorter body has few values. */
const minCountedBytes = 32 * 1024;
/** The same as for a message on stdin: reading more values takes long, and no tool takes them. */
const maxValues = 25_000;
/** What is read and dropped beyond the limit, so that the client sees the answer instead of a closed connection. */
const maxDroppedBytes = 64 * 1024 * 1024;

/** Reads JSON bodies in bounded memory. Throws an HttpRefusal. */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  #pendingBytes = 0;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
  }

  async read(request: IncomingMessage): Promise<unknown> {
    const body = new ByteCollector();
    try {
      await this.#receive(request, (chunk) => {
        body.append(chunk);
        this.#pendingBytes += chunk.length;
        return body.length <= this.#options.maxBytes && this.#pendingBytes <= maxPendingBytes;
      });
      if (body.length > this.#options.maxBytes) throw this.#tooLarge();
      if (this.#pendingBytes > maxPendingBytes) throw new HttpRefusal(503, 'too many requests arrive at once', { retryAfter: 1 });
      return parseBody(body.join());
    } finally {
      this.#pendingBytes -= body.length;
    }
  }

  /** Resolves at the end of the body, or when `take` refuses more of it. */
  async #receive(request: IncomingMessage, take: (chunk: Buffer) => boolean): Promise<void> {
    if (Number(request.headers['content-length']) > this.#options.maxBytes) {
      await this.#drop(request);
      throw this.#tooLarge();
    }
    await this.#forEach(request, (chunk) => take(chunk) || 'stop');
    if (!request.complete) await this.#drop(request);
  }

  async #drop(request: IncomingMessage): Promise<void> {
    let dropped = 0;
    await this.#forEach(request, (chunk) => {
      dropped += chunk.length;
      return dropped <= maxDroppedBytes || 'stop';
    });
  }

  #forEach(request: IncomingMessage, take: (chunk: Buffer) => true | 'stop'): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(new HttpRefusal(408, 'the body did not arrive in time')), this.#options.idleTimeout);
      const finish = (error?: Error): void => {
        clearTimeout(timer);
        request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onData = (chunk: Buffer): void => {
        timer.refresh();
        if (take(chunk) === 'stop') finish();
      };
      const onEnd = (): void => finish();
      const onError = (): void => finish(aborted());
      const onClose = (): void => finish(aborted());
      request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    });
  }

  #tooLarge(): HttpRefusal {
    return new HttpRefusal(413, `the body is larger than ${this.#options.maxBytes} bytes, which is the limit (--max-body)`);
  }
}

function aborted(): HttpRefusal {
  return new HttpRefusal(400, 'the body ended too early');
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length >= minCountedBytes && countValues(bytes) > maxValues) {
    const message = `a message with more than ${maxValues} values was refused: send it in parts, or a list as one text`;
    throw new HttpRefusal(400, message, { code: invalidRequestCode });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new HttpRefusal(400, 'the body is not valid JSON in UTF-8', { code: parseErrorCode });
  }
}

function countValues(bytes: Buffer): number {
  const counter = new ValueCounter();
  counter.read(bytes);
  return counter.count;
}
