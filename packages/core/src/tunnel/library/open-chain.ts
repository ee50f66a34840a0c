import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { checkAborted, waitFor } from '../../abort.ts';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { errorCode, errorText, type TunnelCode, tunnelFailure } from '../failures.ts';
import { openCredentials } from '../keys/credentials.ts';
import { HostKeyPolicy } from '../keys/host-keys.ts';
import { defaultKnownHostsFiles, readKnownHosts } from '../keys/known-hosts-files.ts';
import type { Step } from '../plan.ts';
import { openSshLink } from '../program/openssh-link.ts';
import type { SshProgram } from '../program/ssh-program.ts';
import type { Hop } from '../route.ts';
import { createTunnelStream } from '../stream.ts';
import type { TunnelTimeouts } from '../timeouts.ts';
import { type Link, openLink } from './link.ts';
import { loadSsh2 } from './ssh2-library.ts';

export interface ChainOptions {
  program: SshProgram;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  log: Log;
  signal: AbortSignal;
  timeouts: TunnelTimeouts;
  /** Replace those that ssh reads, for hops that the connection itself describes. */
  knownHostsFiles?: readonly string[] | undefined;
  acceptedKeysFile?: string | undefined;
}

/** Opens one server after the other, each through those before it. What was opened before a failure is closed again. */
export async function openChain(steps: readonly Step[], options: ChainOptions): Promise<readonly Link[]> {
  const links: Link[] = [];
  try {
    for (const step of steps) links.push(await openPatiently(step, links.at(-1), options));
    return links;
  } catch (error) {
    const cause = tunnelFailure('E_SSH_TUNNEL_CLOSED', 'the tunnel could not be opened');
    for (const link of links.toReversed()) void link.close(cause);
    throw error;
  }
}

/** A server that has too many logins at the moment hangs up on the newest. No credential was sent, so we may come again. */
async function openPatiently(step: Step, before: Link | undefined, options: ChainOptions): Promise<Link> {
  for (const ms of options.timeouts.busyMs) {
    try {
      return await openStep(step, before, options);
    } catch (error) {
      const isEarly = error instanceof Failure && error.detail.hungUpEarly;
      if (!isEarly || before?.loss.cause !== undefined) throw error;
      options.log('info', 'the SSH server hung up before the handshake; retrying', { ms, why: errorText(error) });
    }
    // Those who were sent away together must not come back together.
    const { signal } = options;
    await delay(ms * (1 + Math.random() / 2), undefined, { signal }).catch(() => checkAborted(signal));
  }
  return await openStep(step, before, options);
}

async function openStep(step: Step, before: Link | undefined, options: ChainOptions): Promise<Link> {
  return step.by === 'ssh' ? await openSshLink(step, options) : await openHop(step.hop, before, options);
}

/** What can fail without the network comes first; nothing is sent before the server's key is accepted. */
async function openHop(hop: Hop, before: Link | undefined, options: ChainOptions): Promise<Link> {
  const { env, home, log, signal, timeouts } = options;
  const ssh2 = await loadSsh2();
  const files = hop.config?.knownHostsFiles ?? options.knownHostsFiles ?? defaultKnownHostsFiles(home);
  const accepted = options.acceptedKeysFile === undefined ? [] : [options.acceptedKeysFile];
  const policy = new HostKeyPolicy(hop, await readKnownHosts([...files, ...accepted], log));
  const credentials = await openCredentials({ ssh2, hop, env, home, log, agentTimeoutMs: timeouts.agentMs, signal }).catch(
    async (error: unknown) => {
      // Offering other keys is pointless for a host that does not exist: its name is wrong.
      const { host, port } = hop;
      const unknown = before ?? (await findUnknownHost({ host, port, timeoutMs: timeouts.connectMs, signal }));
      throw unknown instanceof Failure ? unknown : error;
    },
  );
  try {
    const socket = await dial(hop, before, options);
    return await openLink({ ssh2, hop, socket, credentials, policy, timeouts, log, signal });
  } finally {
    credentials.close();
  }
}

async function dial({ host, port }: Hop, before: Link | undefined, { signal, timeouts }: ChainOptions): Promise<Duplex> {
  if (before === undefined) return await openSocket({ host, port, timeoutMs: timeouts.connectMs, signal });
  const stream = createTunnelStream(() => before.openChannel(host, port));
  // The link before has a limit of its own, and says better what is wrong; this one is for the day when it does not.
  const onTimeout = (): Failure =>
    tunnelFailure('E_SSH_CHANNEL_TIMEOUT', `${before.label} did not reach the SSH server ${host}:${port}`);
  try {
    await waitFor<void>({ timeoutMs: timeouts.channelMs * 2, onTimeout, signal }, (resolve, reject) => {
      stream.once('connect', () => resolve()).once('error', reject);
      stream.connect();
    });
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

interface SocketOptions {
  host: string;
  port: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * A connected socket to the SSH server. It has an error listener for life, and Nagle's algorithm is off before the first
 * byte: with it, a small query waits 40 ms for an acknowledgement.
 */
async function openSocket(options: SocketOptions): Promise<Socket> {
  const { host, port } = options;
  // The runtime's 250 ms per address would give up on a far server that has several.
  const socket = connect({ host, port, autoSelectFamilyAttemptTimeout: 3_000 });
  socket.on('error', () => {});
  socket.setNoDelay(true);
  const onTimeout = (): Failure =>
    tunnelFailure('E_SSH_CONNECT_TIMEOUT', `no answer from the SSH server ${host}:${port} within ${options.timeoutMs} ms`);
  try {
    await waitFor<void>({ ...options, onTimeout }, (resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('error', (error) => reject(explain(error, options)));
    });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** What connecting would end in, when the name is that of no host at all; otherwise nothing is known before one connects. */
async function findUnknownHost(options: SocketOptions): Promise<Failure | undefined> {
  const onTimeout = (): Failure =>
    tunnelFailure('E_SSH_CONNECT_TIMEOUT', `${options.host} was not resolved within ${options.timeoutMs} ms`);
  try {
    await waitFor<unknown>({ ...options, onTimeout }, (resolve, reject) => {
      void lookup(options.host).then(resolve, reject);
    });
    return undefined;
  } catch (error) {
    return error instanceof Error && errorCode(error) === 'ENOTFOUND' ? explain(error, options) : undefined;
  }
}

function explain(error: Error, { host, port }: SocketOptions): Failure {
  const code = codeFor(String(errorCode(error)));
  const what =
    code === 'E_SSH_DNS' ? `cannot resolve the SSH server ${host}` : `cannot connect to the SSH server ${host}:${port}`;
  return tunnelFailure(code, `${what}: ${errorText(error) || String(errorCode(error))}`, { cause: error });
}

function codeFor(code: string): TunnelCode {
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'E_SSH_DNS';
  if (code === 'ECONNREFUSED') return 'E_SSH_CONNECT_REFUSED';
  if (code === 'ETIMEDOUT') return 'E_SSH_CONNECT_TIMEOUT';
  return 'E_SSH_NETWORK';
}
