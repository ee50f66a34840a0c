import type { Readable, Writable } from 'node:stream';
import { LineReader } from '@dbmole/core/line-reader';
import { type Fields, isFields, rpcCodes } from './json.ts';
import { LegacySession, type SessionOptions } from './legacy-session.ts';

/** A model's arguments are not longer. */
const maxLineBytes = 16 * 1024 * 1024;
/** A client that does not read its answers is not read from, either. */
const maxUnreadBytes = 4 * 1024 * 1024;

interface Served {
  take(message: Fields): void;
  close(): void;
}

interface ClientOptions extends Omit<SessionOptions, 'send'> {
  stdin: Readable;
  stdout: Writable;
}

/** One client over two streams, in the era that its first message belongs to. */
export class ClientSession {
  readonly #options: ClientOptions;
  readonly #session: SessionOptions;
  readonly #lines: LineReader;
  #served: Served | undefined;
  /** Messages that came while the library of the newer era was being loaded. */
  #early: Fields[] | undefined;
  #isClosed = false;

  constructor(options: ClientOptions) {
    const { session, door, onCall, stdin } = options;
    this.#options = options;
    this.#session = { session, door, onCall, send: (message) => this.#send(message) };
    this.#lines = new LineReader({ bytes: maxLineBytes }, (event) => {
      if (event.kind === 'line') this.#receive(event.text);
      else this.#refuse(null, rpcCodes.invalidRequest, `a message may have at most ${maxLineBytes} bytes`);
    });
    stdin.on('data', this.#onData);
  }

  /** Calls of this client are given up. */
  close(): void {
    if (this.#isClosed) return;
    this.#options.stdin.off('data', this.#onData);
    this.#served?.close();
    this.#isClosed = true;
  }

  readonly #onData = (chunk: Buffer): void => {
    const { stdin, stdout } = this.#options;
    this.#lines.push(chunk);
    if (stdout.writableLength <= maxUnreadBytes) return;
    stdin.pause();
    stdout.once('drain', () => stdin.resume());
  };

  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#refuse(null, rpcCodes.parse, 'this line is not JSON');
      return;
    }
    if (isFields(message) && message.jsonrpc === '2.0') this.#take(message);
    else this.#refuse(null, rpcCodes.invalidRequest, 'this line is not a JSON-RPC message');
  }

  #take(message: Fields): void {
    const { method, id } = message;
    if (this.#early !== undefined) {
      this.#early.push(message);
      return;
    }
    if (method === 'initialize') {
      this.#served?.close();
      this.#served = new LegacySession(this.#session);
    }
    if (this.#served !== undefined) this.#served.take(message);
    else if (method === 'ping' && id !== undefined) this.#send({ jsonrpc: '2.0', id, result: {} });
    else void this.#openModern(message);
  }

  async #openModern(first: Fields): Promise<void> {
    const early = [first];
    this.#early = early;
    try {
      const [{ ModernSession }, hub] = await Promise.all([import('./modern-session.ts'), this.#options.door.open()]);
      if (this.#isClosed) return;
      this.#served = new ModernSession(this.#session, hub);
      // The SDK takes its transport in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
      this.#early = undefined;
      for (const message of early) this.#take(message);
    } catch (error) {
      this.#early = undefined;
      for (const { id } of early) if (id !== undefined) this.#refuse(id, rpcCodes.internal, String(error));
    }
  }

  #refuse(id: unknown, code: number, message: string): void {
    this.#send({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #send(message: Fields): void {
    if (!this.#isClosed) this.#options.stdout.write(`${JSON.stringify(message)}\n`);
  }
}
