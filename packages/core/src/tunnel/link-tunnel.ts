import { untilAborted } from '../abort.ts';
import type { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { tunnelFailure } from './failures.ts';
import type { Link } from './library/link.ts';
import { createTunnelStream, type TunnelStream } from './stream.ts';
import type { TunnelTimeouts } from './timeouts.ts';
import type { Tunnel, TunnelState, TunnelStatus } from './tunnel.ts';

interface SessionOptions {
  /** The last one leads to the target; those before it carry the next. */
  links: readonly Link[];
  timeouts: TunnelTimeouts;
  log: Log;
}

/** A tunnel over links that are open. It does not reconnect: after a loss, the owner opens another. */
export function createSession(options: SessionOptions): Tunnel {
  return new Session(options);
}

class Session implements Tunnel {
  readonly #options: SessionOptions;
  readonly #last: Link;
  /** Those whose channel is open or opening. */
  readonly #streams = new Set<TunnelStream>();
  readonly #listeners = new Set<(cause: unknown) => void>();
  #channels = 0;
  #cause: Failure | undefined;
  #state: TunnelState = 'ready';
  #probing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const last = options.links.at(-1);
    if (last === undefined) throw new TypeError('a tunnel has one link at least');
    this.#last = last;
    for (const link of options.links) link.loss.onLoss((cause) => this.#end('lost', cause));
  }

  async ensureFresh(signal?: AbortSignal): Promise<void> {
    if (this.#cause !== undefined) throw this.#cause;
    const silence = Date.now() - this.#last.lastHeard();
    // A clock that was set back says nothing about silence.
    if (silence >= 0 && silence < this.#options.timeouts.staleMs) return;
    this.#probing ??= this.#last.probe().finally(() => {
      this.#probing = undefined;
    });
    await (signal === undefined ? this.#probing : untilAborted(this.#probing, signal));
  }

  stream(host: string, port: number): TunnelStream {
    const stream: TunnelStream = createTunnelStream(() => this.#openFor(stream, host, port));
    return stream;
  }

  status(): TunnelStatus {
    return {
      state: this.#state,
      hops: this.#options.links.map((link) => link.label),
      ...(this.#last.fingerprint === undefined ? {} : { fingerprint: this.#last.fingerprint }),
      channels: this.#channels,
      ...(this.#state === 'lost' && this.#cause !== undefined ? { lastError: this.#cause.message } : {}),
    };
  }

  onClosed(listener: (cause: unknown) => void): void {
    if (this.#cause === undefined) this.#listeners.add(listener);
    else queueMicrotask(() => listener(this.#cause));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const cause = tunnelFailure('E_SSH_TUNNEL_CLOSED', `the SSH tunnel through ${this.#last.label} was closed`);
    this.#end('closed', cause);
    this.#state = 'closed';
    // The innermost first: its goodbye travels through the others.
    for (const link of [...this.#options.links].reverse()) await link.close(cause);
  }

  async #openFor(stream: TunnelStream, host: string, port: number): ReturnType<Link['openChannel']> {
    if (this.#cause !== undefined) throw this.#cause;
    this.#streams.add(stream);
    let isOpen = false;
    stream.once('close', () => {
      this.#streams.delete(stream);
      if (isOpen) this.#channels--;
    });
    const channel = await this.#last.openChannel(host, port);
    if (!stream.closed) {
      isOpen = true;
      this.#channels++;
    }
    return channel;
  }

  /** Every stream gets the real cause before it could see a mere end of data. */
  #end(state: TunnelState, cause: Failure): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#state = state;
    for (const stream of this.#streams) stream.destroy(cause);
    if (state === 'lost')
      this.#options.log('warn', 'SSH tunnel lost', { hop: this.#last.label, code: cause.code, why: cause.message });
    for (const listener of this.#listeners) listener(cause);
    this.#listeners.clear();
    // The other links of the way lead nowhere any more.
    if (state === 'lost') for (const link of this.#options.links) void link.close(cause);
  }
}
