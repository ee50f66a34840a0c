/** Milliseconds, except where a name says otherwise. */
export interface TunnelTimeouts {
  /** TCP to the SSH server. */
  connectMs: number;
  /** The time from the first byte to the login. */
  handshakeMs: number;
  /** The pauses before retrying a server that hung up before the handshake, one per retry. */
  busyMs: readonly number[];
  /** The SSH server's own connection to the target. Drivers wait for 10 s, and do not know that there is an SSH server to blame. */
  channelMs: number;
  agentMs: number;
  /** For `ssh -G`, per host. */
  configMs: number;
  /** The whole way, however many servers are on it. */
  wayMs: number;
  /** The silence after which `ensureFresh` asks the server. */
  staleMs: number;
  probeMs: number;
  keepaliveMs: number;
  /** How many keepalives in a row may stay unanswered. */
  keepaliveCount: number;
  /** How long a polite goodbye may take. */
  closeMs: number;
}

export const defaultTimeouts: TunnelTimeouts = {
  connectMs: 10_000,
  handshakeMs: 15_000,
  busyMs: [500, 1_500],
  channelMs: 9_000,
  agentMs: 5_000,
  configMs: 5_000,
  wayMs: 25_000,
  staleMs: 15_000,
  probeMs: 3_000,
  keepaliveMs: 10_000,
  keepaliveCount: 2,
  closeMs: 250,
};
