import type { SourceRef } from '../../connection.ts';
import { Failure, type FailureCode, type Hint } from '../../failure.ts';
import type { Origin } from '../entry.ts';
import type { Environment } from './expand.ts';
import type { SecretMemory, SecretUse } from './secret-memory.ts';

/** Everything that reading one secret depends on. */
export interface SecretContext {
  env: Environment;
  origin: Origin;
  connection: string;
  /** For messages, for example `ssh.jump[0].password`. */
  field: string;
  /** What messages call a secret that belongs to no connection. */
  subject?: string;
  /** Relative paths start here, and commands run here. */
  base: string;
  home: string;
  signal?: AbortSignal | undefined;
  commandTimeoutMs?: number;
  platform?: NodeJS.Platform;
  /** Texts that are shown of this connection; a value that is one of them is not treated as secret. */
  shown?: ReadonlySet<string>;
  /** Earlier output of programs; without it, each runs again. */
  memory?: SecretMemory;
  /** Called with every secret that a program gave. */
  onUse?(use: SecretUse): void;
  /** Looks the connection up in a file of other programs; undefined when it is not there. */
  lookUp?(ref: SourceRef): Promise<string | undefined>;
}

/** The connection and field that a message is about. */
export type SecretOwner = Pick<SecretContext, 'connection' | 'field' | 'origin' | 'subject'>;

export function secretFailure(
  { connection, field, origin, subject = `the field ${field} of connection "${connection}" (${origin.where})` }: SecretOwner,
  what: string,
  options: { code: FailureCode; hint?: Hint | undefined; cause?: unknown },
): Failure {
  return new Failure('secret', `${subject} ${what}`, options);
}

/** Programs run only for connections that a person wrote into a file; the variable may have been set by anything. */
export function mayRunPrograms(origin: Origin): boolean {
  return origin.kind !== 'env';
}

export function programRefused(owner: SecretOwner): Failure {
  return secretFailure(owner, 'refers to a command or a keychain, and programs run only for connections in a file', {
    code: 'E_SECRET_COMMAND',
    hint: 'Use {"env": "NAME"} or {"file": "/path"} here, or move the connection into the store or a project file.',
  });
}

/** The secret as text without the newline that editors and `echo` put at its end; only one, a secret may end with others. */
export function decodeSecret(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}

/** Bytes of a secret at most, wherever it comes from. */
export const maxSecretBytes = 65_536;
