import type { BaseConnection } from '../connection.ts';
import type { DialledStream, TunnelStatus } from '../tunnel/tunnel.ts';

/** What a backend is opened with, which follows from its connection: a server in the network, or a file. */
export type BackendTarget<C extends BaseConnection> = C extends { file: string } ? FileTarget<C> : NetworkTarget<C>;

/** Certificates are checked against `serverName` also when the bytes go through a tunnel. */
export interface NetworkTarget<C extends BaseConnection> {
  /** The connection with resolved secrets. */
  config: C;
  connectHost: string;
  connectPort: number;
  /** The configured host. */
  serverName: string;
  /** Present when there is a tunnel: opens a new stream to `connectHost:connectPort`, or to another address as seen from there; use this instead of a socket. */
  dial?: (host?: string, port?: number) => DialledStream;
}

export interface FileTarget<C extends BaseConnection> {
  config: C;
  /** Absolute. */
  file: string;
}

/** All that the manager needs to know of a backend. */
export interface Backend {
  dispose(): Promise<void>;
  /** True when it must not be lent again: the next call opens a new one. Asked after each call. */
  isSpent?(): boolean;
  /** How many statements were given up and may still be running, as the database has not confirmed their end. */
  unconfirmed?(): number;
  pool?(): PoolStatus;
}

/** The sessions of one connection with its server, and the calls that wait for one. */
export interface PoolStatus {
  sessions: number;
  waiting: number;
}

/** A backend on loan. It is not disposed before every lease of it was released. */
export interface Lease<B extends Backend> {
  name: string;
  backend: B;
  /** The connection as it was configured, with references to secrets still unresolved. */
  config: BaseConnection;
  release(): void;
  /** Whether the server could be reached by the call that ended last. */
  reached(isSo: boolean): void;
  /** Says that this backend is dead: the next `acquire` opens a new one. Releasing is still owed. */
  invalidate(): void;
}

/** Where a connection leads and who defined it, as short texts. */
export interface Destination {
  name: string;
  readonly: boolean;
  facts: Readonly<Record<string, string>>;
}

export interface ConnectionStatus {
  /** `failed`: the last call could not reach the server; the next one tries again. */
  state: 'closed' | 'opening' | 'open' | 'failed';
  /** The count of the backend; absent when there are none. */
  unconfirmed?: number;
  /** Absent for a backend without sessions. */
  pool?: PoolStatus;
  tunnel?: TunnelStatus;
}
