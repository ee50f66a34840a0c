/** Who made a call, as far as a call has to know. */
export interface Caller {
  /** Aborted when the caller gives the call up. */
  readonly signal: AbortSignal;
  /** Undefined: it does not want to hear of progress. */
  readonly progressToken: string | number | undefined;
  notify(method: 'notifications/progress', params: Record<string, unknown>): Promise<void>;
}
