import type { Fields } from '@dbmole/core';

/** The client behind a call, as far as a server has to know. */
export interface HubCaller {
  /** The id of its session with the hub. */
  session: string;
  /** Aborted when the client gives the call up. */
  signal: AbortSignal;
  /** Absent where the client does not want to hear of progress. */
  onProgress?: ((params: Fields) => void) | undefined;
  /** The place of the call in a trace, as the client gave it. */
  trace?: Fields | undefined;
  /** What the client can show to its person; undefined where it shows nothing. */
  elicitation: Fields | undefined;
  /** Asks the person. */
  elicit(params: Fields, signal: AbortSignal): Promise<Fields>;
  /** Present in the newer era, where a result may be a question to the person, whose answer comes with the next call. */
  answers?: { inputResponses?: unknown; requestState?: unknown };
}

/** A request to a server: the call of a tool, or another that is passed on like one. */
export interface ServerCall {
  method: string;
  params: Fields;
  /** The name of the tool, the prompt or the resource, for messages. */
  what: string;
  /** Milliseconds, instead of the server's own. */
  timeoutMs?: number | undefined;
}
