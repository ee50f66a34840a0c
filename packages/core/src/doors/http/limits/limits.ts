/** The limits of one server. Times are in milliseconds. */
export interface HttpLimits {
  /** Bytes of one request's body. */
  body: number;
  /** Calls that run at the same time for one principal, including those whose answer has not been read. */
  callsPerClient: number;
  /** The same for all principals. */
  calls: number;
  callsPerMinute: number;
  connections: number;
  /** For the head of a request, counted from its connection or from the end of the request before it. */
  headerTimeout: number;
  /** For a connection without a request, a body that does not arrive, and an answer that is not read. */
  idleTimeout: number;
}

export const defaultLimits: HttpLimits = {
  body: 4 * 1024 * 1024,
  callsPerClient: 64,
  calls: 256,
  callsPerMinute: 6_000,
  connections: 1_024,
  headerTimeout: 10_000,
  idleTimeout: 60_000,
};
