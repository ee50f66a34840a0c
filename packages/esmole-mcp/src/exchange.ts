import { formatAbort } from '@dbmole/core';
import { ReadBuffers } from '@dbmole/core/read-buffers';
import type { Dispatcher } from 'undici';
import { type Answer, type AnswerBody, AnswerReader, parseWarnings } from './answer.ts';
import type { SendOptions } from './backend.ts';
import { createUnpacker, type Unpacker } from './unpack.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Controller = Dispatcher.DispatchController;

/** How one request ended. */
export type Outcome = { answer: Answer } | { error: unknown; wasSent: boolean };

/** Sends one request and reads its answer. A connection that is not read to its end is closed. Never rejects. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: Required<SendOptions>,
): Promise<Outcome> {
  return new Promise((resolve) => {
    dispatcher.dispatch(request, new Exchange(options, resolve));
  });
}

/**
 * What the client calls. Its streams would put several more between a socket and us; here what arrives is read at once, so nothing of it
 * waits in memory.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #reader: AnswerReader;
  readonly #resolve: (outcome: Outcome) => void;
  #controller: Controller | undefined;
  #head: Omit<Answer, keyof AnswerBody> | undefined;
  #encoding = '';
  #unpacker: Unpacker | undefined;
  readonly #buffers = new ReadBuffers();
  #isRead = false;
  #isOver = false;

  constructor({ signal, limits }: Required<SendOptions>, resolve: (outcome: Outcome) => void) {
    this.#signal = signal;
    this.#reader = new AnswerReader(limits);
    this.#resolve = resolve;
    // The client itself notices a signal only once there is a connection.
    signal.addEventListener('abort', this.#abort);
  }

  /** The request is about to leave. An error here keeps it back, and leaves the connection to others. */
  onRequestStart(controller: Controller): void {
    if (this.#isOver) throw new Error('nobody waits for it any more');
    this.#controller = controller;
  }

  onResponseStart(_controller: Controller, statusCode: number, headers: Headers): void {
    if (statusCode < 200) return;
    this.#head = headOf(statusCode, headers);
    this.#encoding = headerOf(headers, 'content-encoding').toLowerCase();
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
    if (!this.#unpacker.write(chunk, () => controller.resume())) controller.pause();
  }

  onResponseEnd(): void {
    this.#isRead = true;
    // Without a body, the headers may say all the same how it is packed.
    if (this.#unpacker === undefined) this.#finish();
    else this.#unpacker.end();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#fail(error);
  }

  readonly #abort = (): void => this.#fail(formatAbort(this.#signal));

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
    this.#signal.removeEventListener('abort', this.#abort);
    this.#unpacker?.dispose();
    if (!this.#isRead) this.#controller?.abort(new Error('nothing more of it is wanted'));
    this.#resolve(outcome);
  }
}

function headOf(status: number, headers: Headers): Omit<Answer, keyof AnswerBody> {
  const product = headerOf(headers, 'x-elastic-product');
  const warning = headerOf(headers, 'warning');
  return {
    status,
    contentType: (headerOf(headers, 'content-type').split(';')[0] ?? '').trim().toLowerCase(),
    warnings: parseWarnings(warning),
    warnedBy: /^299 (\S+)/.exec(warning)?.[1],
    product: product === '' ? undefined : product,
  };
}

function headerOf(headers: Headers, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}
