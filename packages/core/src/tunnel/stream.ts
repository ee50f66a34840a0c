import { Duplex } from 'node:stream';
import { discardChannel } from './library/channel.ts';

/** What we need of a channel of an SSH connection. `close` ends both directions at once. */
export interface ByteChannel extends Duplex {
  close(): void;
}

export type WriteCallback = (error?: Error | null) => void;

const bufferSize = 64 * 1024;

/** The stream, ready to be handed to a driver: an error that the driver does not listen to must not end the process. */
export function createTunnelStream(openChannel: () => Promise<ByteChannel>): TunnelStream {
  const stream = new TunnelStream(openChannel);
  stream.on('error', () => {});
  return stream;
}

/**
 * Looks like a socket to every driver. The channel opens when the driver calls `connect` (its arguments are ignored: where
 * the stream leads was decided when it was made) or first writes.
 *
 * A channel of ssh2 must not be given to a driver itself: after a loss it says that writes succeeded, and drops them.
 */
export class TunnelStream extends Duplex {
  readonly #openChannel: () => Promise<ByteChannel>;
  #channel: ByteChannel | undefined;
  #opening = false;
  /** The reason why nothing can be written any more, whatever the channel itself says. */
  #broken: Error | undefined;
  /** What was written before the channel was there. */
  #early: Buffer | undefined;
  #pendingWrite: WriteCallback | undefined;
  #pendingEnd: WriteCallback | undefined;

  constructor(openChannel: () => Promise<ByteChannel>) {
    super({ allowHalfOpen: false, readableHighWaterMark: bufferSize, writableHighWaterMark: bufferSize });
    this.#openChannel = openChannel;
  }

  connect(...args: unknown[]): this {
    const listener = args.at(-1);
    if (typeof listener === 'function') this.once('connect', () => listener());
    this.#open();
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
    this.#channel?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: WriteCallback): void {
    this.#send(chunk, callback);
  }

  /** What was written together leaves as one packet: apart, each would wait for the acknowledgement of the one before. */
  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], callback: WriteCallback): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), callback);
  }

  override _final(callback: WriteCallback): void {
    if (this.#opening && this.#channel === undefined) {
      this.#pendingEnd = callback;
      return;
    }
    this.#channel?.end();
    callback();
    // Without a channel the other direction would never end.
    if (this.#channel === undefined) this.destroy();
  }

  override _destroy(error: Error | null, callback: WriteCallback): void {
    const channel = this.#channel;
    this.#channel = undefined;
    this.#broken ??= brokenPipe();
    if (channel !== undefined) discardChannel(channel.removeAllListeners('data'));
    this.#settleWrite(error ?? this.#broken);
    this.#settleEnd(error ?? this.#broken);
    // A TLS layer on top reports its own error (a wrong certificate) only after it has destroyed us; our `close` must not
    // overtake it, or a driver reports that, or dies of the second error.
    setImmediate(() => setImmediate(() => callback(error)));
  }

  #open(): void {
    if (this.#opening || this.destroyed) return;
    this.#opening = true;
    this.#openChannel().then(
      (channel) => this.#attach(channel),
      (error: Error) => this.destroy(error),
    );
  }

  #attach(channel: ByteChannel): void {
    if (this.destroyed) {
      discardChannel(channel);
      return;
    }
    this.#channel = channel;
    channel.on('error', (error: Error) => this.destroy(error));
    channel.on('end', () => this.#endOfData());
    channel.on('close', () => this.#channelClosed());
    channel.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause();
    });
    // The listener is not called inside the promise: what it throws has to surface as itself.
    process.nextTick(() => {
      if (this.destroyed) return;
      this.emit('connect');
      this.emit('ready');
      this.#flushEarly();
    });
  }

  #flushEarly(): void {
    const chunk = this.#early;
    this.#early = undefined;
    if (chunk !== undefined) this.#forward(chunk);
    const end = this.#pendingEnd;
    this.#pendingEnd = undefined;
    if (end !== undefined) this._final(end);
  }

  #send(chunk: Buffer, callback: WriteCallback): void {
    if (this.#broken !== undefined) {
      callback(this.#broken);
      return;
    }
    this.#pendingWrite = callback;
    if (this.#channel !== undefined) {
      this.#forward(chunk);
      return;
    }
    this.#early = chunk;
    this.#open();
  }

  #forward(chunk: Buffer): void {
    const channel = this.#channel;
    if (channel === undefined || !channel.writable) this.#settleWrite(brokenPipe());
    else channel.write(chunk, (error) => this.#settleWrite(error));
  }

  #endOfData(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }

  #channelClosed(): void {
    this.#broken ??= brokenPipe();
    this.#settleWrite(this.#broken);
    this.#endOfData();
  }

  #settleWrite(error: Error | null | undefined): void {
    const callback = this.#pendingWrite;
    this.#pendingWrite = undefined;
    callback?.(error);
  }

  #settleEnd(error: Error): void {
    const callback = this.#pendingEnd;
    this.#pendingEnd = undefined;
    callback?.(error);
  }
}

/** Drivers know this code from sockets; they would not recognize a Failure. */
function brokenPipe(): Error {
  return Object.assign(new Error('write EPIPE: the channel through the SSH tunnel is closed'), {
    code: 'EPIPE',
    syscall: 'write',
  });
}
