import { Failure } from '../failure.ts';

interface FailureEntry {
  /** Whether trying again later, with nothing changed, can succeed. */
  retry: boolean;
  /** For the documentation: what happened. */
  meaning: string;
  /** The hint when the place that fails knows nothing better. */
  nextStep: string;
}

/** Every way a tunnel can fail. The set is closed; documentation is generated from it. */
export const tunnelFailures = {
  E_SSH_DNS: {
    retry: false,
    meaning: 'The name of the SSH server cannot be resolved.',
    nextStep: 'Check "host" in the "ssh" part of the connection, and that this machine can resolve it.',
  },
  E_SSH_CONNECT_REFUSED: {
    retry: true,
    meaning: 'Nothing listens on the port of the SSH server.',
    nextStep: 'Check "port" in the "ssh" part of the connection, and that the SSH server runs.',
  },
  E_SSH_CONNECT_TIMEOUT: {
    retry: true,
    meaning: 'The SSH server does not answer at all.',
    nextStep: 'Check host, port and firewall; a VPN may have to be up.',
  },
  E_SSH_NOT_SSH_OR_REFUSED: {
    retry: true,
    meaning: 'The port is open, but what is behind it hangs up before, or does not speak, the SSH protocol.',
    nextStep: 'Check that the port is that of an SSH server. A busy or guarded server also hangs up: try again in a minute.',
  },
  E_SSH_HANDSHAKE_TIMEOUT: {
    retry: true,
    meaning: 'The SSH server accepted the connection and then fell silent before we were logged in.',
    nextStep: 'Try the same with `ssh -v`; the server may be overloaded, or the port may not be that of an SSH server.',
  },
  E_SSH_ALGORITHM_MISMATCH: {
    retry: false,
    meaning: 'The SSH server and we have no algorithm in common.',
    nextStep: 'Update the SSH server, or allow one of the common algorithms there, for example curve25519-sha256 and aes128-gcm.',
  },
  E_SSH_HOST_KEY_UNKNOWN: {
    retry: false,
    meaning: 'Nobody has yet accepted the key that the SSH server shows. No credential was sent.',
    nextStep: 'A person has to compare the fingerprint and accept it: with ssh itself, or as a pin in "hostKeys".',
  },
  E_SSH_HOST_KEY_CHANGED: {
    retry: false,
    meaning: 'The SSH server shows another key than the accepted one. No credential was sent.',
    nextStep: 'A person has to find out why: the server was set up anew, or somebody is in between.',
  },
  E_SSH_HOST_KEY_REVOKED: {
    retry: false,
    meaning: 'The SSH server shows a key that known_hosts marks as revoked. No credential was sent.',
    nextStep: 'Do not connect. Ask those who run the server.',
  },
  E_SSH_KEY_NOT_FOUND: {
    retry: false,
    meaning: 'The private key file cannot be read.',
    nextStep: 'Check "privateKey" in the "ssh" part of the connection: a path, or the text of a key.',
  },
  E_SSH_KEY_FORMAT: {
    retry: false,
    meaning: 'The private key has a format or a type that is not supported.',
    nextStep: 'Convert a copy of it to the OpenSSH format: ssh-keygen -p -f <file>',
  },
  E_SSH_KEY_PASSPHRASE: {
    retry: false,
    meaning: 'The private key is encrypted, and the passphrase is missing or wrong.',
    nextStep: 'Set "passphrase" in the "ssh" part of the connection, or load the key into an agent with ssh-add.',
  },
  E_SSH_AGENT_UNAVAILABLE: {
    retry: false,
    meaning: 'The SSH agent cannot be reached, does not answer, or holds no keys.',
    nextStep: 'Start the agent and load a key with ssh-add, or set "privateKey".',
  },
  E_SSH_AUTH_FAILED: {
    retry: false,
    meaning: 'The SSH server accepted none of our credentials.',
    nextStep: 'Check "user" and the credential; `ssh -v` with the same ones shows more.',
  },
  E_SSH_MFA_REQUIRED: {
    retry: false,
    meaning: 'The SSH server asks for something that only a person can answer, such as a code.',
    nextStep:
      'Use a key or an agent that this server takes without a code; ask those who run it for such an account. Nobody can type a code here.',
  },
  E_SSH_CONFIG: {
    retry: false,
    meaning: 'What the configuration of ssh says of this host cannot be used.',
    nextStep: 'Look at it with `ssh -G <host>`, and try `ssh <host>`.',
  },
  E_SSH_PROGRAM: {
    retry: false,
    meaning: "The machine's own ssh is needed, and cannot be run or ended with an error.",
    nextStep: 'Try the same with `ssh <host>`; the program says more there.',
  },
  E_SSH_FORWARD_PROHIBITED: {
    retry: false,
    meaning: 'The SSH server does not allow forwarding to this target.',
    nextStep: 'Ask for AllowTcpForwarding (and PermitOpen for this target) for this user on the SSH server.',
  },
  E_SSH_TARGET_UNREACHABLE: {
    retry: false,
    meaning: 'The SSH server cannot reach the target. The tunnel itself is fine.',
    nextStep: 'Check host and port of the connection as seen from the SSH server.',
  },
  E_SSH_CHANNEL_TIMEOUT: {
    retry: true,
    meaning: 'The SSH server did not say whether it reached the target. The tunnel itself is fine.',
    nextStep: 'Check host, port and firewall of the target as seen from the SSH server.',
  },
  E_SSH_KEEPALIVE_TIMEOUT: {
    retry: true,
    meaning: 'The SSH server stopped answering.',
    nextStep: 'Call again: the tunnel is opened anew. What was running may have been done or not.',
  },
  E_SSH_NETWORK: {
    retry: true,
    meaning: 'The connection to the SSH server broke.',
    nextStep: 'Call again: the tunnel is opened anew. What was running may have been done or not.',
  },
  E_SSH_TUNNEL_CLOSED: {
    retry: false,
    meaning: 'We closed the tunnel ourselves.',
    nextStep: 'Call again: a new tunnel is opened when it is needed.',
  },
} as const satisfies Record<`E_SSH_${string}`, FailureEntry>;

export type TunnelCode = keyof typeof tunnelFailures;

export function tunnelFailure(code: TunnelCode, message: string, options: { hint?: string; cause?: unknown } = {}): Failure {
  const hint = options.hint ?? tunnelFailures[code].nextStep;
  return new Failure('tunnel', message, { code, hint, cause: options.cause });
}

/** Whether the same attempt may succeed later. A resolver that is out of reach is not a name that does not exist. */
export function isRetryable(failure: Failure): boolean {
  if (failure.code === 'E_SSH_DNS') return errorCode(failure.cause) === 'EAI_AGAIN';
  return isTunnelCode(failure.code) && tunnelFailures[failure.code].retry;
}

/** The `code` that the runtime and libraries put on their errors, whatever was thrown. */
export function errorCode(error: unknown): string | number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' || typeof error.code === 'number' ? error.code : undefined;
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isTunnelCode(code: string): code is TunnelCode {
  return Object.hasOwn(tunnelFailures, code);
}
