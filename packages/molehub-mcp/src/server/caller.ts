import type { Fields } from '@dbmole/core';

/** The client behind a call, as far as a server has to know. */
export interface HubCaller {
  /** The id of its session with the hub. */
  session: string;
  /** Aborted when the client gives the call up. */
  signal: AbortSignal;
  /** Absent where the client does not want to hear of progress. */
  onProgress?: ((params: Fields) => void) | undefined;
  /** What the client can show to its person; undefined where it shows nothing. */
  elicitation: Fields | undefined;
  /** Asks the person. */
  elicit(params: Fields, signal: AbortSignal): Promise<Fields>;
  /** Set in the newer era, where a result may be a question to the person, whose answer comes with the next call. */
  answers?: { inputResponses?: unknown; requestState?: unknown };
}

export interface ServerCall {
  tool: string;
  args: Fields;
  /** Milliseconds, instead of the server's own. */
  timeoutMs?: number | undefined;
}
