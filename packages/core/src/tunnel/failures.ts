import { Failure, type FailureOptions } from '../failure.ts';

interface FailureEntry {
  /** The meaning, for the documentation. */
  meaning: string;
  /** The hint unless the caller passes a better one. */
  nextStep: string;
}

/** Every way a tunnel can fail. The set is closed; documentation is generated from it. */
export const tunnelFailures = {
  E_SSH_DNS: {
    meaning: 'The name of the SSH server cannot be resolved.',
    nextStep: 'Check "ssh" of the connection: it must name a Host of ~/.ssh/config, or a host that resolves on this machine.',
  },
  E_SSH_CONNECT_REFUSED: {
    meaning: 'Nothing listens on the port of the SSH server.',
    nextStep: 'Check "port" in the "ssh" part of the connection, and that the SSH server runs.',
  },
  E_SSH_CONNECT_TIMEOUT: {
    meaning: 'The SSH server does not answer at all.',
    nextStep: 'Check host, port, firewall and VPN.',
  },
  E_SSH_NOT_SSH_OR_REFUSED: {
    meaning: 'The port is open, but the server there hangs up before the SSH handshake or does not speak SSH.',
    nextStep: 'Check that an SSH server listens on this port. A busy server also hangs up: retry in a minute.',
  },
  E_SSH_HANDSHAKE_TIMEOUT: {
    meaning: 'The SSH server accepted the connection and then stopped answering before the login was complete.',
    nextStep: 'Run `ssh -v` with the same host and port: the server may be overloaded, or not be an SSH server.',
  },
  E_SSH_ALGORITHM_MISMATCH: {
    meaning: 'The SSH server and this client have no algorithm in common.',
    nextStep: 'Update the SSH server, or enable common algorithms there, such as curve25519-sha256 and aes128-gcm.',
  },
  E_SSH_HOST_KEY_UNKNOWN: {
    meaning: 'The host key of the SSH server has not been accepted yet. No credential was sent.',
    nextStep: 'Compare the fingerprint with one from a trusted source, then accept it with ssh or as a pin in "hostKeys".',
  },
  E_SSH_HOST_KEY_CHANGED: {
    meaning: 'The host key of the SSH server is not the accepted one. No credential was sent.',
    nextStep: 'Ask the owner of the server: it was rebuilt, or someone is intercepting the connection.',
  },
  E_SSH_HOST_KEY_REVOKED: {
    meaning: 'The SSH server shows a key that known_hosts marks as revoked. No credential was sent.',
    nextStep: 'Do not connect. Ask the owner of the server.',
  },
  E_SSH_KEY_NOT_FOUND: {
    meaning: 'The private key file cannot be read.',
    nextStep: 'Check "privateKey" in the "ssh" part of the connection: a path, or the text of a key.',
  },
  E_SSH_KEY_FORMAT: {
    meaning: 'The private key has a format or a type that is not supported.',
    nextStep: 'Convert a copy of it to the OpenSSH format with `ssh-keygen -p -f FILE`.',
  },
  E_SSH_KEY_PASSPHRASE: {
    meaning: 'The private key is encrypted, and the passphrase is missing or wrong.',
    nextStep: 'Set "passphrase" in the "ssh" part of the connection, or load the key into an agent with ssh-add.',
  },
  E_SSH_AGENT_UNAVAILABLE: {
    meaning: 'The SSH agent cannot be reached, does not answer, or holds no keys.',
    nextStep: 'Start the agent and load a key with ssh-add, or set "privateKey".',
  },
  E_SSH_AUTH_FAILED: {
    meaning: 'The SSH server accepted none of the credentials.',
    nextStep: 'Check "user" and the credential; `ssh -v` with the same ones shows details.',
  },
  E_SSH_MFA_REQUIRED: {
    meaning: 'The SSH server asks for something that only a person can answer, such as a code.',
    nextStep: 'Use a key or an agent that this server accepts without a code, or ask its owner for such an account.',
  },
  E_SSH_CONFIG: {
    meaning: 'The ssh configuration of this host cannot be used.',
    nextStep: 'Check it with `ssh -G HOST`, and try `ssh HOST`.',
  },
  E_SSH_PROGRAM: {
    meaning: 'The ssh program of this machine is needed, but cannot be run or failed.',
    nextStep: 'Try `ssh HOST` in a terminal; it prints more there.',
  },
  E_SSH_FORWARD_PROHIBITED: {
    meaning: 'The SSH server does not allow forwarding to this target.',
    nextStep: 'Ask for AllowTcpForwarding (and PermitOpen for this target) for this user on the SSH server.',
  },
  E_SSH_TARGET_UNREACHABLE: {
    meaning: 'The SSH server cannot reach the target. The tunnel itself is fine.',
    nextStep: 'Check host and port of the connection as seen from the SSH server.',
  },
  E_SSH_CHANNEL_TIMEOUT: {
    meaning: 'The SSH server did not report whether it reached the target. The tunnel itself is fine.',
    nextStep: 'Check host, port and firewall of the target as seen from the SSH server.',
  },
  E_SSH_KEEPALIVE_TIMEOUT: {
    meaning: 'The SSH server stopped answering.',
    nextStep: 'Retry: a new tunnel is opened.',
  },
  E_SSH_NETWORK: {
    meaning: 'The connection to the SSH server broke.',
    nextStep: 'Retry: a new tunnel is opened.',
  },
  E_SSH_TUNNEL_CLOSED: {
    meaning: 'The tunnel was closed by this server.',
    nextStep: 'Retry: a new tunnel is opened when it is needed.',
  },
} as const satisfies Record<`E_SSH_${string}`, FailureEntry>;

export type TunnelCode = keyof typeof tunnelFailures;

export function tunnelFailure(
  code: TunnelCode,
  message: string,
  options: Pick<FailureOptions, 'hint' | 'cause' | 'detail'> = {},
): Failure {
  return new Failure('tunnel', message, { hint: tunnelFailures[code].nextStep, ...options, code });
}

/** The `code` that the runtime and libraries put on their errors, whatever was thrown. */
export function errorCode(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
