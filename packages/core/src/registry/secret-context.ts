import type { SourceRef } from '../connection.ts';
import { Failure, type FailureCode } from '../failure.ts';
import type { Origin } from './entry.ts';
import type { Environment } from './expand.ts';
import type { SecretMemory, SecretUse } from './secret-memory.ts';

/** Everything that reading one secret depends on. */
export interface SecretContext {
  env: Environment;
  origin: Origin;
  connection: string;
  /** For messages, for example `ssh.jump[0].password`. */
  field: string;
  /** Relative paths start here, and commands run here. */
  base: string;
  home: string;
  signal?: AbortSignal | undefined;
  commandTimeoutMs?: number;
  platform?: NodeJS.Platform;
  /** Texts that are shown of this connection; a secret that is one of them is none. */
  shown?: ReadonlySet<string>;
  /** What programs said before; without it, each runs anew. */
  memory?: SecretMemory;
  /** Hears of every secret that a program gave. */
  onUse?(use: SecretUse): void;
  /** Looks the connection up in a file of other programs; undefined when it is not there. */
  lookUp?(ref: SourceRef): Promise<string | undefined>;
}

/** Of which connection and field a message speaks. */
export type SecretOwner = Pick<SecretContext, 'connection' | 'field' | 'origin'>;

export function secretFailure(
  { connection, field, origin }: SecretOwner,
  what: string,
  options: { code: FailureCode; hint?: string | undefined; cause?: unknown },
): Failure {
  const { code, hint, cause } = options;
  return new Failure('secret', `the field ${field} of connection "${connection}" (${origin.where}) ${what}`, {
    code,
    cause,
    ...(hint !== undefined && { hint }),
  });
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
export const largestSecret = 65_536;
