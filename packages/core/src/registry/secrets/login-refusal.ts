import { Failure } from '../../failure.ts';

const sshRefusals: readonly string[] = ['E_SSH_AUTH_FAILED', 'E_SSH_KEY_PASSPHRASE'];

/** Whether a server did not accept the login, so that another secret may help. */
export function isLoginRefusal(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'auth' || sshRefusals.includes(error.code));
}
