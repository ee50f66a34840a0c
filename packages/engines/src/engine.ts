import type { EngineKind, ServerId } from './catalog.ts';

/** PEM texts, as `createAuthority` makes them. */
export interface EngineTls {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The same as files. */
export interface TlsFiles {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

export interface EngineOptions {
  /** Serve TLS with these. Only for engines that we start from binaries. */
  readonly tls?: EngineTls;
  /** Further server options, in the engine's own names. Only for engines that we start from binaries. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Elasticsearch: switch security on, with one superuser. */
  readonly security?: boolean;
  /** PostgreSQL 18: HypoPG is there for CREATE EXTENSION. */
  readonly hypopg?: boolean;
  /** PostgreSQL: makes it a standby of this one, a restartable server of the same version, which stops while its data are copied. */
  readonly standbyOf?: RunningEngine;
  /** The test wants to kill and restart it (`control`), so it must be an owned process. */
  readonly restartable?: boolean;
}

/** Only for an owned process; the port and the data stay the same. */
export interface EngineControl {
  /** The server's process, undefined while it is down. */
  readonly pid: number | undefined;
  signal(name: NodeJS.Signals): void;
  /** Ends it like a power cut, by SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Shuts down cleanly. Resolves when the process is gone. */
  shutDown(): Promise<void>;
  /** Resolves when it answers again. */
  start(): Promise<void>;
}

export interface EngineAddress {
  readonly scheme: 'postgres' | 'mysql' | 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Empty where the engine asks for none. */
  readonly user: string;
  readonly password: string;
  readonly database: string | undefined;
}

export interface RunningEngine extends EngineAddress {
  readonly id: ServerId;
  readonly kind: EngineKind;
  /** The version that the catalog promises; an engine from the environment may have another. */
  readonly version: string;
  readonly source: 'env' | 'container' | 'binary';
  readonly url: string;
  /** Data, log and socket of an owned process. Gone after `stop`. */
  readonly directory: string | undefined;
  readonly control: EngineControl | undefined;
  /** Ends our use of it: a private engine stops and leaves nothing, one that others use too goes on. */
  stop(): Promise<void>;
}
