import type { BaseConnection, SshRoute } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { openCredentials } from './credentials.ts';
import { HostKeyPolicy } from './host-keys.ts';
import { defaultKnownHostsFiles, readKnownHosts } from './known-hosts-files.ts';
import { type Link, openLink } from './link.ts';
import { type Hop, parseHop } from './route.ts';
import { createSession } from './session.ts';
import { openSocket } from './socket.ts';
import { loadSsh2 } from './ssh2-library.ts';
import { defaultTimeouts, type TunnelTimeouts } from './timeouts.ts';
import type { Tunnel } from './tunnel.ts';
import { checkAborted } from './wait.ts';

export interface TunnelOptions {
  /** With references resolved: every secret in it is plain text. */
  route: SshRoute;
  /** For the agent. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that `~` and `~/.ssh` mean. */
  home: string;
  log: Log;
  /** Gives up opening; a tunnel that is open is closed by `close`. */
  signal?: AbortSignal;
  timeouts?: Partial<TunnelTimeouts>;
  /** Instead of those that ssh reads. */
  knownHostsFiles?: readonly string[];
}

/** Opens a way through one SSH server. Whoever calls it owes `close`, also after a loss. */
export async function openTunnel(options: TunnelOptions): Promise<Tunnel> {
  checkAborted(options.signal);
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const link = await openHop(parseHop(options.route), options, timeouts);
  options.log('info', 'SSH tunnel open', { hop: link.hop.label, fingerprint: link.fingerprint });
  return createSession({ links: [link], timeouts, log: options.log });
}

/** The tunnel of a connection that has one. */
export async function openTunnelFor(config: BaseConnection, context: Omit<TunnelOptions, 'route'>): Promise<Tunnel> {
  if (config.ssh === undefined) throw new Failure('internal', `the connection "${config.name}" has no "ssh"`);
  return openTunnel({ ...context, route: config.ssh });
}

/** What can fail without the network comes first; nothing is sent before the server's key is accepted. */
async function openHop(hop: Hop, options: TunnelOptions, timeouts: TunnelTimeouts): Promise<Link> {
  const { env, home, log, signal } = options;
  const ssh2 = await loadSsh2();
  const entries = await readKnownHosts(options.knownHostsFiles ?? defaultKnownHostsFiles(home), log);
  const policy = new HostKeyPolicy(hop, entries);
  const credentials = await openCredentials({ ssh2, hop, env, home, log, agentTimeoutMs: timeouts.agentMs, signal });
  try {
    const socket = await openSocket({ host: hop.host, port: hop.port, timeoutMs: timeouts.connectMs, signal });
    return await openLink({ ssh2, hop, socket, credentials, policy, timeouts, log, signal });
  } finally {
    credentials.close();
  }
}
