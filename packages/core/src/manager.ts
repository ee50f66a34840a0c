import type { Duplex } from 'node:stream';
import type { BaseConnection } from './connection.ts';
import type { Tunnel } from './tunnel/tunnel.ts';

/** What a backend is opened with. Certificates are checked against `serverName` also when the bytes go through a tunnel. */
export interface BackendTarget<C extends BaseConnection> {
  /** With secrets resolved. */
  config: C;
  connectHost: string;
  connectPort: number;
  /** The configured host. */
  serverName: string;
  /** Present when there is a tunnel: opens a new stream to `connectHost:connectPort`; use this instead of a socket. */
  dial?: () => Duplex;
}

/** All that the manager needs to know of a backend. */
export interface Backend {
  dispose(): Promise<void>;
}

export interface ManagerOptions<C extends BaseConnection, B extends Backend> {
  createBackend(target: BackendTarget<C>, signal: AbortSignal): Promise<B>;
  createTunnel(config: C, signal: AbortSignal): Promise<Tunnel>;
  resolvePort(config: C): number;
}

/** A backend on loan. It is not disposed before every lease of it was released. */
export interface Lease<B extends Backend> {
  name: string;
  backend: B;
  config: BaseConnection;
  release(): void;
  /** Says that this backend is dead: the next `acquire` opens a new one. Releasing is still owed. */
  invalidate(): void;
}

export interface ConnectionStatus {
  state: 'closed' | 'opening' | 'open';
  tunnel?: ReturnType<Tunnel['status']>;
}

export interface Manager<B extends Backend> {
  /** The live backend of this name, opening it when needed. Waiting ends with the signal; the opening goes on for others. */
  acquire(name: string | undefined, signal: AbortSignal): Promise<Lease<B>>;
  status(name: string): ConnectionStatus;
  /** Closes one connection when its last call has ended. Used after `remove` and by a test of a connection. */
  close(name: string): Promise<void>;
  /** Closes everything and refuses new calls; used once, at shutdown. */
  disposeAll(): Promise<void>;
}
