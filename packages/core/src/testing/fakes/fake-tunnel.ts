import type { Duplex } from 'node:stream';
import { Failure } from '../../failure.ts';
import type { DialledStream, Tunnel, TunnelState } from '../../tunnel/tunnel.ts';
import { createLazyStream } from './lazy-stream.ts';

export interface FakeTunnelOptions {
  /** Where a stream leads; by default to the address that was asked for, without any tunnel. */
  dial?: (host: string, port: number) => DialledStream;
}

export interface FakeTunnel extends Tunnel {
  /** Dies, as when the network goes away: every stream breaks and listeners are told. */
  lose(cause?: unknown): void;
  /** The addresses that streams were asked for, as `host:port`. */
  readonly dialled: readonly string[];
  readonly closings: number;
}

/** A tunnel without SSH. */
export function createFakeTunnel({ dial = createLazyStream }: FakeTunnelOptions = {}): FakeTunnel {
  const listeners: ((cause: unknown) => void)[] = [];
  const streams = new Set<Duplex>();
  const dialled: string[] = [];
  let state: TunnelState = 'ready';
  let closings = 0;

  const end = (next: TunnelState, cause: unknown) => {
    const first = state === 'ready';
    state = next;
    for (const stream of streams) stream.destroy();
    if (first) for (const listener of listeners) listener(cause);
  };
  return {
    async ensureFresh() {
      if (state !== 'ready') throw new Failure('tunnel', `the tunnel is ${state}`);
    },
    stream(host, port) {
      dialled.push(`${host}:${port}`);
      const stream = dial(host, port);
      streams.add(stream);
      stream.once('close', () => streams.delete(stream));
      if (state !== 'ready') stream.destroy();
      return stream;
    },
    status: () => ({ state, hops: ['fake@bastion:22'], channels: streams.size }),
    onClosed: (listener) => void listeners.push(listener),
    async close() {
      closings += 1;
      end('closed', undefined);
    },
    lose: (cause) => end('lost', cause),
    dialled,
    get closings() {
      return closings;
    },
  };
}
