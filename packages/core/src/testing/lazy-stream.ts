import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { DialledStream } from '../tunnel/tunnel.ts';

/** A stream as tunnels hand it out: it looks like a socket to a driver and connects on `connect()` or the first write. */
export function createLazyStream(host: string, port: number): DialledStream {
  return new LazyStream(() => connect({ host, port }));
}

class LazyStream extends Duplex {
  readonly #open: () => Socket;
  #socket: Socket | undefined;

  constructor(open: () => Socket) {
    super({ allowHalfOpen: false });
    this.#open = open;
    // A driver may not listen yet; without a listener an early error would end the process.
    this.on('error', () => undefined);
  }

  connect(): this {
    this.#connected();
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#connected().write(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.#socket?.end();
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket?.destroy();
    callback(error);
  }

  #connected(): Socket {
    if (this.#socket !== undefined) return this.#socket;
    const socket = this.#open();
    this.#socket = socket;
    socket.on('connect', () => this.emit('connect'));
    socket.on('data', (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    return socket;
  }
}
