import type { Duplex } from 'node:stream';
import { Failure } from '@dbmole/core';
import { ReadBuffers } from '@dbmole/core/read-buffers';
import type { Cell } from '../../engine.ts';
import { parseTexts, terminate } from './messages.ts';
import type { Segment } from './segment.ts';
import { ServerError } from './server-error.ts';
import { lostFailure } from './wire.ts';
import { protocolFailure, type RowShape, WireFilter, type WireListener } from './wire-filter.ts';

const goodbyeMs = 500;

/** The stream to the server after the login: what is asked, and which answer belongs to which question. */
export class Conversation implements WireListener {
  /** What the server told of itself: `TimeZone`, `server_version`, … It keeps us up to date. */
  readonly parameters = new Map<string, string>();
  /** With it, another connection may stop what runs on this one. */
  key: Buffer = Buffer.alloc(0);
  lost: Error | undefined;
  readonly #stream: Duplex;
  readonly #filter: WireFilter;
  readonly #buffers = new ReadBuffers();
  readonly #closed: Promise<void>;
  readonly #segments: Segment[] = [];

  constructor(stream: Duplex) {
    this.#stream = stream;
    this.#filter = new WireFilter(this);
    this.#closed = new Promise((resolve) => stream.once('close', resolve));
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    // Before the login is over, the error says why we cannot connect.
    stream.on('error', (error) => this.lose(this.#filter.listener === this ? lostFailure(error) : error));
    stream.on('end', () => this.lose(lostFailure()));
    stream.on('close', () => this.lose(lostFailure()));
  }

  /** Of the process that serves us, or so it is said: what stands between us and the server may have numbers of its own. */
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
      this.key = Buffer.from(body);
      return;
    }
    const [name = '', value = ''] = parseTexts(body);
    this.parameters.set(name, value);
  }

  /** In one write. There is one segment for each Sync in it. */
  send(bytes: Buffer, segments: readonly Segment[]): void {
    if (this.lost !== undefined) {
      for (const segment of segments) segment.end(this.lost);
      return;
    }
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

  /** Closes the stream at once; whoever waits for an answer is told why. */
  lose(reason: Error): void {
    if (this.lost !== undefined) return;
    this.lost = reason;
    this.#stream.destroy();
    for (const segment of this.#segments.splice(0)) segment.end(reason);
  }

  /** In good order, if the server takes part. */
  async close(): Promise<void> {
    if (this.lost === undefined) {
      this.#stream.end(terminate);
      const timer = setTimeout(() => this.#stream.destroy(), goodbyeMs);
      await this.#closed;
      clearTimeout(timer);
    }
  }

  #take(chunk: Buffer): void {
    this.#buffers.add(chunk.length);
    try {
      this.#filter.push(chunk);
    } catch (error) {
      // Lengths that do not fit together are reported by the buffer.
      this.lose(error instanceof RangeError ? protocolFailure() : asError(error));
    }
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
