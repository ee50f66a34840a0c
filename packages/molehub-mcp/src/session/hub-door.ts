import type { Fields, ToolDefinition } from './json.ts';

/** Who asks, as the session knows it. */
export interface SessionCaller {
  session: string;
  signal: AbortSignal;
  onProgress?: ((params: Fields) => void) | undefined;
  elicitation: Fields | undefined;
  elicit(params: Fields, signal: AbortSignal): Promise<Fields>;
  answers?: { inputResponses?: unknown; requestState?: unknown };
}

/** What is listed. */
export interface Offer {
  shown: readonly ToolDefinition[];
  instructions: string;
}

export interface OpenHub {
  /** What is offered now. */
  offer(): Offer;
  /** Failures of the hub are results; what a server throws as an error of the protocol is an `RpcError`. */
  call(name: string, args: Fields, caller: SessionCaller): Promise<Fields>;
  onListChanged(listener: () => void): () => void;
  /** The session is over. */
  leave(session: string): void;
}

/** The hub behind a session. It is opened when something is asked that the remembered list does not answer. */
export interface HubDoor {
  /** What a hub would offer, when nothing that it depends on has changed since the last one. */
  remembered(): Offer | undefined;
  open(): Promise<OpenHub>;
}
