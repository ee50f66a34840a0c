import type { BaseConnection } from '../../connection.ts';
import type { Failure } from '../../failure.ts';
import { nearestNames } from '../../nearest.ts';
import type { Fields } from '../tree.ts';
import type { Environment } from './expand.ts';
import { type SecretOwner, secretFailure } from './secret-context.ts';

export interface SourceRequest {
  env: Environment;
  home: string;
  /** Where in the source, as `name` of the reference says. */
  name: string | undefined;
}

/**
 * Looks up the secret of a connection in a file that other programs keep. `config` has the real host and port, and no secret.
 * Undefined: not found. A Failure says more.
 */
export type SecretSource<C extends BaseConnection> = (
  config: C,
  request: SourceRequest,
) => string | undefined | Promise<string | undefined>;

/** Keyed by the `from` of a reference. */
export type SecretSources<C extends BaseConnection> = Readonly<Record<string, SecretSource<C>>>;

/** The source that this reference names and that does not exist. It has not been validated yet. */
export function unknownSource({ from }: Fields, known: readonly string[]): string | undefined {
  return typeof from === 'string' && !known.includes(from) ? from : undefined;
}

export function sourceFailure(name: string, known: readonly string[], owner: SecretOwner): Failure {
  const [nearest] = nearestNames(name, known, 1);
  const meant = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
  const there = known.length === 0 ? 'This server reads no files of other programs' : `Use ${known.join(', ')}`;
  return secretFailure(owner, `refers to ${JSON.stringify(name.slice(0, 64))}, which is not a source of secrets${meant}`, {
    code: 'E_SECRET_SOURCE',
    hint: `${there}; other forms are {"env": …}, {"file": …}, {"command": […]} and {"keychain": {…}}.`,
  });
}
