import type { Failure } from '../failure.ts';

/** Who made a call, as far as a call has to know. */
export interface Caller {
  /** Aborted when the caller gives the call up. */
  readonly signal: AbortSignal;
  /** Undefined: it does not want to hear of progress. */
  readonly progressToken: string | number | undefined;
  /** Receives the failure itself, beside the answer that is made of it. */
  onFailure?(failure: Failure): void;
  notify(method: 'notifications/progress', params: Record<string, unknown>): Promise<void>;
}
