/**
 * The ladder of retries, from the outside in. Each rung retries only where the error proves that the statement or request has not
 * run; where its outcome is open, a write fails with `E_OUTCOME_UNKNOWN`. So a write runs once. docs/architecture.md has the table.
 */
export const maxAttempts = {
  /** `withManaged`: a call of a tool, on a new backend, after a stale error or a login that has expired. */
  call: 2,
  /** `Manager.acquire`: the configuration changed during the opening, or the tunnel is dead. Nothing was sent. */
  backend: 2,
  /** `SessionPool.use`: on a new session, where the first was dead before the server answered anything. */
  session: 2,
  /** A read whose premise is false, so that the server ran nothing: with what the guard knows for all calls. */
  sharedPremise: 2,
  /** The same in all, the last ones on the session that has just checked it. */
  premise: 5,
  /** A request to a cluster that may have arrived, if it is a read: it does no harm twice. */
  lostRequest: 2,
} as const;

interface Retry {
  max: number;
  /** Whether the error proves that another attempt does no harm, and is of use. */
  mayRetry(error: unknown, attempt: number): boolean;
}

/** Runs the work until it succeeds or may not be retried. Attempts are counted from 1. */
export async function retry<T>({ max, mayRetry }: Retry, work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= max || !mayRetry(error, attempt)) throw error;
    }
  }
}
