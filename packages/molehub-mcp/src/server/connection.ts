import { Failure, type Fields } from '@dbmole/core';
import type { Offers, Seen } from '../manifest/manifest.ts';
import type { RequestHooks } from './direct-requests.ts';

/** A server that has answered the handshake. */
export interface ServerConnection {
  readonly pid: number | undefined;
  readonly identity: Omit<Seen, keyof Offers>;
  /** What it says it has beside tools. */
  readonly capabilities: Fields;
  /** Sends a request in the server's era. The result is what the server wrote. */
  request(method: string, params: Fields, hooks: RequestHooks & { capabilities?: Fields }): Promise<Fields>;
  /** Ends the server, whatever it does. Never rejects. */
  end(): Promise<void>;
  /** Ends a server that does not react; nothing for one in the network. */
  kill(): void;
}

/** The server has refused a request without looking at it, because it no longer knows the session. A new connection may send it again. */
export class SessionOver extends Failure {}

/** What a server asks and says by itself. */
export interface ConnectionEvents {
  onListChanged(): void;
  /** A server of the older era asks the person of the call that it is working on. */
  elicit(params: Fields, signal: AbortSignal): Promise<Fields>;
  /** It has ended without being asked to. */
  onLost(how: string): void;
}

export interface OpenOptions {
  /** The name in the configuration, for messages. */
  name: string;
  era: 'legacy' | 'modern' | undefined;
  signal: AbortSignal;
  startMs: number;
  events: ConnectionEvents;
}

/** A request that every server answers while it is alive. */
export async function checkAlive(connection: ServerConnection, signal: AbortSignal): Promise<void> {
  const method = connection.identity.era === 'legacy' ? 'ping' : 'server/discover';
  await connection.request(method, {}, { signal });
}
