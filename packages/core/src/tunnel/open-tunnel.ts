import { checkAborted, withDeadline } from '../abort.ts';
import type { SshRoute } from '../connection.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { tunnelFailure } from './failures.ts';
import type { Link } from './library/link.ts';
import { type ChainOptions, openChain } from './library/open-chain.ts';
import { createSession } from './link-tunnel.ts';
import { planRoute, type SshStep, type Step } from './plan.ts';
import { sshProgram } from './program/ssh-program.ts';
import { defaultTimeouts, type TunnelTimeouts } from './timeouts.ts';
import type { Tunnel } from './tunnel.ts';

export interface TunnelContext {
  /** For the agent, and for the program ssh. */
  env: Readonly<Record<string, string | undefined>>;
  /** The folder that `~` and `~/.ssh` mean. */
  home: string;
  log: Log;
  timeouts?: Partial<TunnelTimeouts>;
  /** Replace those that ssh reads, for servers that the connection itself describes. */
  knownHostsFiles?: readonly string[];
  /** More keys that a person has accepted, beside those of ssh. */
  acceptedKeysFile?: string;
  /** Replaces the person's configuration of ssh. */
  sshConfig?: string;
}

export interface TunnelOptions extends TunnelContext {
  /** The route with resolved references: every secret in it is plain text. */
  route: SshRoute;
  /** Gives up opening; a tunnel that is open is closed by `close`. */
  signal?: AbortSignal;
}

/** Opens a way through SSH servers, for one user. The caller must call `close`, even after a loss. */
export async function openTunnel({ route, signal, ...context }: TunnelOptions): Promise<Tunnel> {
  checkAborted(signal);
  return await openSteps(await planSteps(route, context, signal), context, signal);
}

/** The servers on the way, as far as they are known before anything is connected. */
export function planSteps(route: SshRoute, context: TunnelContext, signal: AbortSignal | undefined): Promise<readonly Step[]> {
  const { home, timeouts, knownHostsFiles, acceptedKeysFile } = context;
  const timeoutMs = { ...defaultTimeouts, ...timeouts }.configMs;
  return planRoute(route, { program: findProgram(context), home, timeoutMs, signal, knownHostsFiles, acceptedKeysFile });
}

export async function openSteps(
  steps: readonly Step[],
  context: TunnelContext,
  signal: AbortSignal | undefined,
): Promise<Tunnel> {
  const timeouts = { ...defaultTimeouts, ...context.timeouts };
  const ms = timeouts.wayMs;
  // Each step has a limit of its own, and five of them would be too long.
  const onTimeout = () =>
    tunnelFailure('E_SSH_CONNECT_TIMEOUT', `the tunnel through the SSH servers was not open within ${ms} ms`);
  const links = await withDeadline({ signals: [signal], ms, onTimeout }, (limited) =>
    openOrElse(steps, { ...context, program: findProgram(context), timeouts, signal: limited }),
  );
  const [{ label = '' } = {}] = links.slice(-1);
  context.log('info', 'SSH tunnel open', { hops: links.length, last: label, fingerprint: links.at(-1)?.fingerprint });
  return createSession({ links, timeouts, log: context.log });
}

function findProgram({ env, sshConfig }: TunnelContext) {
  return sshProgram(env, sshConfig === undefined ? [] : ['-F', sshConfig]);
}

/** Falls back to the machine's own ssh, if it can take the same route, for what our own library turns out not to support. */
async function openOrElse(steps: readonly Step[], options: ChainOptions): Promise<readonly Link[]> {
  try {
    return await openChain(steps, options);
  } catch (error) {
    const other = error instanceof Failure ? otherWay(steps, error) : undefined;
    if (other === undefined) throw error;
    return await openChain([other], options);
  }
}

/** Only for the way of one server: which of several it was that we cannot talk to is not known here. */
function otherWay([step, ...others]: readonly Step[], failure: Failure): SshStep | undefined {
  if (step?.by !== 'library' || step.otherwise === undefined || others.length > 0) return undefined;
  if (failure.code === 'E_SSH_ALGORITHM_MISMATCH') return { ...step.otherwise, why: 'algorithms that only it has' };
  if (failure.detail.refusedRsa) return { ...step.otherwise, why: 'an RSA key that was refused' };
  return undefined;
}
