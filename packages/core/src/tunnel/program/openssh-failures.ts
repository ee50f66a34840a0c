import type { Failure } from '../../failure.ts';
import { type TunnelCode, tunnelFailure } from '../failures.ts';
import { cleanServerText } from '../library/server-text.ts';
import { complaint } from './ssh-program.ts';

/** What the program says when it gives up; it has no codes. The first that fits counts. */
const loginComplaints: readonly (readonly [RegExp, TunnelCode])[] = [
  [/REMOTE HOST IDENTIFICATION HAS CHANGED/, 'E_SSH_HOST_KEY_CHANGED'],
  [/REVOKED HOST KEY|host key .* revoked/i, 'E_SSH_HOST_KEY_REVOKED'],
  [/host key is known for|Host key verification failed/i, 'E_SSH_HOST_KEY_UNKNOWN'],
  [/Could not resolve hostname/i, 'E_SSH_DNS'],
  [/no matching .* found|Unable to negotiate/i, 'E_SSH_ALGORITHM_MISMATCH'],
  [/Permission denied|Too many authentication failures/i, 'E_SSH_AUTH_FAILED'],
  [/Connection timed out|Operation timed out|banner exchange/i, 'E_SSH_CONNECT_TIMEOUT'],
  [/Connection refused/i, 'E_SSH_CONNECT_REFUSED'],
  [/kex_exchange_identification|Connection (?:reset|closed)/i, 'E_SSH_NETWORK'],
];

/** It complains at the end; before that a server may show any text, and as much as it likes. */
const maxComplaint = 8_192;

/** What the shell says of a ProxyCommand that it cannot run. */
const missingProgram = /: (?:command )?not found$|: No such file or directory$|: (?:cannot execute|Permission denied$)/;

export function explainLogin(label: string, stderr: string): Failure {
  const end = stderr.slice(-maxComplaint);
  const proxy = readProxyComplaint(end);
  const code = loginComplaints.find(([pattern]) => pattern.test(proxy ?? end))?.[1] ?? 'E_SSH_PROGRAM';
  const detail = { hungUpEarly: proxy === undefined && /^kex_exchange_identification/m.test(end) };
  const isMissing = proxy !== undefined && missingProgram.test(proxy);
  const words = proxy === undefined ? complaint(stderr, 'last') : `its ProxyCommand failed: ${complaint(proxy, 'last')}`;
  return tunnelFailure(isMissing ? 'E_SSH_CONFIG' : code, `ssh cannot connect to ${label}: ${words}`, { detail });
}

/** Whether the connection that a ProxyCommand made was lost: ssh does not know its address. */
export function isProxyLoss(stderr: string): boolean {
  return / UNKNOWN port \d/.test(stderr.slice(-maxComplaint));
}

/** The last words of a ProxyCommand, before those of ssh itself. */
function readProxyComplaint(end: string): string | undefined {
  if (!isProxyLoss(end)) return undefined;
  const [before = ''] = end.split(/^(?:kex_exchange_identification|banner exchange|Connection (?:closed|reset) by UNKNOWN)/m);
  return before.trim().split(/\r?\n/).at(-1)?.trim() || undefined;
}

interface ChannelPlace {
  label: string;
  host: string;
  port: number;
}

export function explainChannel({ label, host, port }: ChannelPlace, stderr: string): Failure {
  const target = `${host}:${port}`;
  if (/administratively prohibited/i.test(stderr)) {
    return tunnelFailure('E_SSH_FORWARD_PROHIBITED', `the SSH server ${label} does not allow forwarding to ${target}`);
  }
  const why = /open failed: (?:connect failed: )?(.*)/.exec(stderr)?.[1];
  if (why !== undefined) {
    return tunnelFailure('E_SSH_TARGET_UNREACHABLE', `the SSH server ${label} cannot reach ${target}: ${cleanServerText(why)}`);
  }
  // Over a master that is all that it says, whether the target cannot be reached or may not be.
  if (/Stdio forwarding request failed/i.test(stderr)) {
    const message = `the SSH server ${label} cannot reach ${target}, or does not allow it`;
    return tunnelFailure('E_SSH_TARGET_UNREACHABLE', message);
  }
  return tunnelFailure('E_SSH_NETWORK', `the connection through ${label} to ${target} ended: ${complaint(stderr, 'last')}`);
}
