import type { Failure } from '../failure.ts';
import { markEarlyHangUp } from './early-hang-up.ts';
import { type TunnelCode, tunnelFailure } from './failures.ts';
import { cleanServerText } from './server-text.ts';
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

export function explainLogin(label: string, stderr: string): Failure {
  const end = stderr.slice(-maxComplaint);
  const code = loginComplaints.find(([pattern]) => pattern.test(end))?.[1] ?? 'E_SSH_PROGRAM';
  const failure = tunnelFailure(code, `ssh cannot open the way to ${label}: ${complaint(stderr, 'last')}`);
  return /^kex_exchange_identification/m.test(stderr) ? markEarlyHangUp(failure) : failure;
}

export interface ChannelPlace {
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
    const message = `the SSH server ${label} does not open a way to ${target}: it cannot reach it, or does not allow it`;
    return tunnelFailure('E_SSH_TARGET_UNREACHABLE', message);
  }
  return tunnelFailure('E_SSH_NETWORK', `the way through ${label} to ${target} ended: ${complaint(stderr, 'last')}`);
}
