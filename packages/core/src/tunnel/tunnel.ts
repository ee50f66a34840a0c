import type { Duplex } from 'node:stream';

export type TunnelState = 'connecting' | 'ready' | 'lost' | 'closed';

export interface TunnelStatus {
  state: TunnelState;
  /** The SSH servers on the way, outermost first, as `user@host:port`. */
  hops: readonly string[];
  /** The fingerprint of the last hop, `SHA256:…`. */
  fingerprint?: string;
  channels: number;
  /** How many connections take it; absent where it cannot be shared. */
  users?: number;
  lastError?: string;
}

/** A stream that goes where it was made for; it is on its way after `connect()`, or after the first write. */
export interface DialledStream extends Duplex {
  connect(): unknown;
}

/** A way through SSH servers. It opens no listening port: a driver gets a stream. */
export interface Tunnel {
  /** Throws or waits when the tunnel is not usable; a no-op when it is. Called before every use. */
  ensureFresh(signal?: AbortSignal): Promise<void>;
  /** A socket-like stream; the channel opens when the driver calls `connect()` or first writes. */
  stream(host: string, port: number): DialledStream;
  status(): TunnelStatus;
  /** The listener runs once, when the tunnel is lost or closed. */
  onClosed(listener: (cause: unknown) => void): void;
  close(): Promise<void>;
}
