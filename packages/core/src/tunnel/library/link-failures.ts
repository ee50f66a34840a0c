import type { Failure } from '../../failure.ts';
import { errorCode, errorText, type TunnelCode, tunnelFailure } from '../failures.ts';
import { cleanServerText } from './server-text.ts';

/** The end of one connection: it happens once, has one cause, and every listener is called with it. */
export interface Loss {
  readonly cause: Failure | undefined;
  /** Whether we hang up ourselves, which the other side may still answer. */
  readonly isClosing: boolean;
  /** Only the first cause counts: what follows an error is noise of the same event. */
  declare(cause: Failure): void;
  /** Calls at once when it already happened. Returns the way to stop listening. */
  onLoss(listener: (cause: Failure) => void): () => void;
  throwIfLost(): void;
  /** Declares the loss and hangs up, once however often it is called. */
  close(cause: Failure, hangUp: () => Promise<void>): Promise<void>;
}

export function createLoss(): Loss {
  const listeners = new Set<(cause: Failure) => void>();
  let cause: Failure | undefined;
  let closing: Promise<void> | undefined;
  const declare = (first: Failure) => {
    if (cause !== undefined) return;
    cause = first;
    for (const listener of [...listeners]) listener(first);
    listeners.clear();
  };
  return {
    get cause() {
      return cause;
    },
    get isClosing() {
      return closing !== undefined;
    },
    declare,
    throwIfLost() {
      if (cause !== undefined) throw cause;
    },
    close(reason, hangUp) {
      closing ??= hangUp();
      declare(reason);
      return closing;
    },
    onLoss(listener) {
      if (cause !== undefined) {
        listener(cause);
        return () => {};
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** How far the connection to one SSH server has come; the same error means different things at different times. */
export type Phase = 'handshake' | 'login' | 'ready';

export interface LinkErrorContext {
  phase: Phase;
  label: string;
  /** How the other side began, if it was not with a greeting of SSH. */
  said: string;
  /** Builds the failure of a refused login, with the server's words if it had any. */
  refused(words?: string): Failure;
}

/** What went wrong, from the error of ssh2. Its messages may hold text of the server. */
export function explainLinkError(error: Error & { level?: string }, context: LinkErrorContext): Failure {
  if (context.phase === 'ready') return explainWhenReady(error, context);
  if (context.phase === 'login') return explainLogin(error, context);
  return explainHandshake(error, context);
}

/** The server hung up without an error. */
export function explainHangUp({ phase, label, said }: LinkErrorContext): Failure {
  const when = { handshake: 'during the handshake', login: 'during the login', ready: '' }[phase];
  const detail = { hungUpEarly: phase === 'handshake' && isFull(said) };
  return tunnelFailure('E_SSH_NETWORK', `the SSH server ${label} closed the connection ${when}`.trimEnd(), { detail });
}

function explainHandshake(error: Error & { level?: string }, { label, said }: LinkErrorContext): Failure {
  const text = cleanServerText(error.message);
  if (text.startsWith('Handshake failed: no matching')) {
    return failure(
      'E_SSH_ALGORITHM_MISMATCH',
      `the SSH server ${label} supports none of the algorithms of this client: ${text}`,
      error,
    );
  }
  if (text === 'Handshake failed: signature verification failed') {
    return failure('E_SSH_HOST_KEY_CHANGED', `the SSH server ${label} cannot prove that it holds its host key`, error);
  }
  const words = said === '' ? '' : ` (it says: "${cleanServerText(said)}")`;
  const message = `${label} does not complete an SSH handshake: ${text}${words}`;
  const hungUp = error.level === 'client-socket' || text === 'Connection lost before handshake';
  const detail = { hungUpEarly: hungUp && isFull(said) };
  return tunnelFailure('E_SSH_NOT_SSH_OR_REFUSED', message, { cause: error, detail });
}

/** What OpenSSH says, if anything, when it hangs up on those who come at the same time as too many others. */
function isFull(said: string): boolean {
  return said === '' || said.startsWith('Exceeded MaxStartups');
}

function explainLogin(error: Error & { level?: string }, { label, refused }: LinkErrorContext): Failure {
  if (error.level === 'client-authentication') return refused();
  // A number is the reason of the server's own farewell, for example "Too many authentication failures".
  if (typeof errorCode(error) === 'number') return refused(error.message);
  return failure(
    'E_SSH_NETWORK',
    `the connection to the SSH server ${label} broke during the login: ${cleanServerText(error.message)}`,
    error,
  );
}

function explainWhenReady(error: Error & { level?: string }, { label }: LinkErrorContext): Failure {
  if (error.level === 'client-timeout')
    return failure('E_SSH_KEEPALIVE_TIMEOUT', `the SSH server ${label} stopped answering`, error);
  return failure('E_SSH_NETWORK', `the connection to the SSH server ${label} broke: ${cleanServerText(errorText(error))}`, error);
}

function failure(code: TunnelCode, message: string, cause: Error): Failure {
  return tunnelFailure(code, message, { cause });
}
