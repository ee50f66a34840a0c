import { createGunzip } from 'node:zlib';
import { Failure, formatAbort, onAbort } from '@dbmole/core';
import { ReadBuffers } from '@dbmole/core/read-buffers';
import type { Dispatcher } from 'undici';
import { type Answer, type AnswerBody, AnswerReader, parseWarnings } from '../answer/answer.ts';
import type { SendOptions } from '../backend.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Controller = Dispatcher.DispatchController;

type ExchangeOptions = Omit<SendOptions, 'headers'>;

/** How one request ended. */
type Outcome = { answer: Answer } | { error: unknown; wasSent: boolean };

/** Sends one request and reads its answer. A connection that is not read to its end is closed. Never rejects. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: Required<ExchangeOptions>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    dispatcher.dispatch(request, new Exchange(options, resolve));
  });
}

/** The handler that the client calls. Its streams would add several buffers; here chunks are read at once, so none waits in memory. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #stopListening: (() => void) | undefined;
  readonly #reader: AnswerReader;
  readonly #resolve: (outcome: Outcome) => void;
  #controller: Controller | undefined;
  #head: Omit<Answer, keyof AnswerBody> | undefined;
  #encoding = '';
  #unpacker: Unpacker | undefined;
  readonly #buffers = new ReadBuffers({
    pause: () => this.#controller?.pause(),
    resume: () => this.#isFull || this.#controller?.resume(),
  });
  /** The decompressor is full. */
  #isFull = false;
  #isRead = false;
  #isOver = false;

  constructor({ signal, limits }: Required<ExchangeOptions>, resolve: (outcome: Outcome) => void) {
    this.#reader = new AnswerReader(limits);
    this.#resolve = resolve;
    // The client itself notices a signal only once there is a connection.
    this.#stopListening = onAbort(signal, () => this.#fail(formatAbort(signal)));
  }

  /** The request is about to leave. An error here keeps it back, and leaves the connection to others. */
  onRequestStart(controller: Controller): void {
    if (this.#isOver) throw new Error('the request was abandoned');
    this.#controller = controller;
  }

  onResponseStart(_controller: Controller, statusCode: number, headers: Headers): void {
    if (statusCode < 200) return;
    this.#head = readHead(statusCode, headers);
    this.#encoding = readHeader(headers, 'content-encoding').toLowerCase();
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#unpacker ??= createUnpacker(this.#encoding, {
      take: (plain) => {
        if (!this.#isOver && !this.#reader.push(plain)) this.#finish();
        this.#buffers.add(plain.length);
      },
      end: () => this.#finish(),
      fail: (error) => this.#fail(error),
    });
    this.#isFull = !this.#unpacker.write(chunk, () => {
      this.#isFull = false;
      controller.resume();
    });
    if (this.#isFull) controller.pause();
  }

  onResponseEnd(): void {
    this.#isRead = true;
    // An answer without a body may still have headers that name a compression.
    if (this.#unpacker === undefined) this.#finish();
    else this.#unpacker.end();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#fail(error);
  }

  #finish(): void {
    if (this.#head === undefined) this.#fail(new Error('there is no answer'));
    else this.#end({ answer: { ...this.#head, ...this.#reader.end() } });
  }

  #fail(error: unknown): void {
    this.#end({ error, wasSent: this.#controller !== undefined });
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopListening?.();
    this.#unpacker?.dispose();
    if (!this.#isRead) this.#controller?.abort(new Error('nothing more of it is wanted'));
    this.#resolve(outcome);
  }
}

function readHead(status: number, headers: Headers): Omit<Answer, keyof AnswerBody> {
  const product = readHeader(headers, 'x-elastic-product');
  const warning = readHeader(headers, 'warning');
  return {
    status,
    contentType: (readHeader(headers, 'content-type').split(';')[0] ?? '').trim().toLowerCase(),
    warnings: parseWarnings(warning),
    warnedBy: /^299 (\S+)/.exec(warning)?.[1],
    product: product === '' ? undefined : product,
    ...readProxy(headers),
  };
}

function readProxy(headers: Headers): Pick<Answer, 'proxy'> {
  const status = readHeader(headers, 'x-console-proxy-status-code');
  if (status === '' && readHeader(headers, 'kbn-name') === '') return {};
  return { proxy: { status: /^[1-5]\d\d$/.test(status) ? Number(status) : undefined } };
}

function readHeader(headers: Headers, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

/** The receiver of the decompressed bytes. */
interface Unpacked {
  take(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Takes a body as it was sent. */
interface Unpacker {
  /** Whether there is room for more; when not, `drained` is called once there is. */
  write(chunk: Buffer, drained: () => void): boolean;
  end(): void;
  dispose(): void;
}

/** Emits nothing after `dispose`. Throws for an encoding that was not requested. */
export function createUnpacker(encoding: string, into: Unpacked): Unpacker {
  if (encoding === '' || encoding === 'identity') return createPassage(into);
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzipper(into);
  throw new Failure('connection', `the answer has the unrequested encoding ${JSON.stringify(encoding)}`, {
    code: 'E_NOT_HTTP',
    hint: 'Check the settings of proxies in between.',
  });
}

function createPassage(into: Unpacked): Unpacker {
  return {
    write(chunk) {
      into.take(chunk);
      return true;
    },
    end: () => into.end(),
    dispose: () => undefined,
  };
}

function createGunzipper({ take, end, fail }: Unpacked): Unpacker {
  const plain = createGunzip().on('data', take).on('end', end).on('error', fail);
  return {
    write(chunk, drained) {
      const hasRoom = plain.write(chunk);
      if (!hasRoom) plain.once('drain', drained);
      return hasRoom;
    },
    end: () => plain.end(),
    dispose() {
      // It may still be decompressing, and its output is no longer wanted.
      plain.off('data', take).off('end', end).destroy();
    },
  };
}
