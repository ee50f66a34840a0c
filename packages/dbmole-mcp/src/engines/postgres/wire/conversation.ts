import type { Duplex } from 'node:stream';
import { Failure } from '@dbmole/core';
import { ReadBuffers } from '@dbmole/core/read-buffers';
import type { Cell } from '../../../engine.ts';
import type { RowShape } from './long-message.ts';
import { parseTexts, ServerError, terminate } from './messages.ts';
import type { Segment } from './segment.ts';
import { lostFailure } from './wire.ts';
import { protocolFailure, WireFilter, type WireListener } from './wire-filter.ts';

const goodbyeMs = 500;
/** The limit of the login, of answers to our own questions, and of unsolicited messages. The names of 5,000 types are the longest. */
const maxUnaskedBytes = 4 * 1024 * 1024;
/** A process id and a secret, 4 bytes each. */
const keyLength = 8;
const maxParameterLength = 256;

/** The stream to the server after the login: what is asked, and which answer belongs to which question. */
export class Conversation implements WireListener {
  /** The server keeps it up to date. It tells much else of itself, which is not kept. */
  timeZone: string | undefined;
  /** With it, another connection may stop what runs on this one. */
  key: Buffer = Buffer.alloc(0);
  lost: Error | undefined;
  /** Set by `abandon`: resolves when the server, or what is between us and it, has closed the connection. */
  pendingEnd: Promise<void> | undefined;
  readonly #stream: Duplex;
  readonly #filter: WireFilter;
  readonly #buffers: ReadBuffers;
  readonly #closed: Promise<void>;
  readonly #segments: Segment[] = [];
  /** Bytes that came since the last thing that was sent, but for answers to a statement of the caller. */
  #unasked = 0;
  #closing: Promise<void> | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#buffers = new ReadBuffers(stream);
    this.#filter = new WireFilter(this);
    this.#closed = new Promise((resolve) => stream.once('close', resolve));
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    // Before the login is over, the error says why we cannot connect.
    stream.on('error', (error) => this.lose(this.#filter.listener === this ? lostFailure(error) : error));
    stream.on('end', () => this.lose(lostFailure()));
    stream.on('close', () => this.lose(lostFailure()));
  }

  /** The process that serves us, as far as we know: a proxy may have its own numbers. */
  get pid(): string | undefined {
    return this.key.length >= 4 ? String(this.key.readInt32BE(0)) : undefined;
  }

  get stream(): Duplex {
    return this.#stream;
  }

  /** Undefined: to ourselves. */
  listen(listener: WireListener = this): void {
    this.#filter.listener = listener;
  }

  note(type: string, body: Buffer): void {
    if (type === 'K') {
      if (body.length !== keyLength) throw protocolFailure();
      this.key = Buffer.from(body);
    } else if (body.length <= maxParameterLength) {
      const [name, value] = parseTexts(body);
      if (name === 'TimeZone') this.timeZone = value;
    }
  }

  /** Sends everything in one write. There is one segment for each Sync in it. */
  send(bytes: Buffer, segments: readonly Segment[]): void {
    if (this.lost !== undefined) {
      for (const segment of segments) segment.end(this.lost);
      return;
    }
    this.#unasked = 0;
    this.#segments.push(...segments);
    this.#stream.write(bytes);
  }

  shape(): RowShape | undefined {
    return this.#segments[0]?.shape;
  }

  row(cells: readonly Cell[]): void {
    this.#segments[0]?.row(cells);
  }

  message(type: string, body: Buffer): void {
    if (type === 'S') this.note(type, body);
    else if (type === 'G' || type === 'W') this.lose(copyFailure());
    else this.#answer(type, body);
  }

  /** Closes the stream at once; pending requests fail with the reason. */
  lose(reason: Error): void {
    if (this.lost !== undefined) return;
    this.#stream.destroy();
    this.#fail(reason);
  }

  /**
   * Gives up a statement that the server does not stop. Our half of the stream is closed, which ends a statement that notices; the
   * other half stays open, as the server closes it when the statement has ended.
   */
  abandon(reason: Error): void {
    if (this.lost !== undefined) return;
    this.pendingEnd = this.#closed;
    this.#stream.end();
    this.#fail(reason);
  }

  #fail(reason: Error): void {
    this.lost = reason;
    for (const segment of this.#segments.splice(0)) segment.end(reason);
  }

  /** In good order, if the server takes part. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.lost === undefined) {
      this.#stream.end(terminate);
      const timer = setTimeout(() => this.#stream.destroy(), goodbyeMs);
      await this.#closed;
      clearTimeout(timer);
    }
    this.#stream.destroy();
  }

  #take(chunk: Buffer): void {
    this.#buffers.add(chunk.length);
    this.#unasked += this.#segments[0]?.isCallers ? 0 : chunk.length;
    if (this.#unasked > maxUnaskedBytes) this.#hangUp();
    if (this.lost !== undefined) return;
    try {
      this.#filter.push(chunk);
    } catch (error) {
      // Lengths that do not fit together are reported by the buffer.
      this.lose(error instanceof RangeError ? protocolFailure() : asError(error));
    }
  }

  #hangUp(): void {
    this.#stream.destroy();
    this.lose(protocolFailure());
  }

  #answer(type: string, body: Buffer): void {
    const segment = this.#segments[0];
    if (segment === undefined) {
      // Said before the server closes the connection of its own accord.
      if (type === 'E') this.lose(new ServerError(body));
      else if (type !== 'N' && type !== 'A') throw protocolFailure();
      return;
    }
    if (type === 'Z') this.#segments.shift();
    segment.message(type, body);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** To give the data would be up to us, and the server waits for it: there is no way back but to close. */
function copyFailure(): Failure {
  return new Failure('input', 'COPY … FROM STDIN is not supported', { hint: 'Use INSERT with params.' });
}
