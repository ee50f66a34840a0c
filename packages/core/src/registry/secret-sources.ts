import type { BaseConnection } from '../connection.ts';
import type { Failure } from '../failure.ts';
import { nearestNames } from '../nearest.ts';
import type { Environment } from './expand.ts';
import { type SecretOwner, secretFailure } from './secret-context.ts';
import type { Fields } from './tree.ts';

export interface SourceRequest {
  env: Environment;
  home: string;
  /** Where in the source, as `name` of the reference says. */
  name: string | undefined;
}

/**
 * Looks up the secret of a connection in a file that other programs keep. `config` has the real host and port, and no secret.
 * Undefined: there is none. A Failure says more.
 */
export type SecretSource<C extends BaseConnection> = (
  config: C,
  request: SourceRequest,
) => string | undefined | Promise<string | undefined>;

/** By what `from` of a reference says. */
export type SecretSources<C extends BaseConnection> = Readonly<Record<string, SecretSource<C>>>;

/** The name of a source that this reference refers to and nobody offers. It has not been validated yet. */
export function unknownSource({ from }: Fields, known: readonly string[]): string | undefined {
  return typeof from === 'string' && !known.includes(from) ? from : undefined;
}

export function sourceFailure(name: string, known: readonly string[], owner: SecretOwner): Failure {
  const [nearest] = nearestNames(name, known, 1);
  const meant = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
  const there = known.length === 0 ? 'This server looks into no files of other programs' : `There are ${known.join(', ')}`;
  return secretFailure(owner, `refers to ${JSON.stringify(name.slice(0, 64))}, which is no source of secrets${meant}`, {
    code: 'E_SECRET_SOURCE',
    hint: `${there}; other forms are {"env": …}, {"file": …}, {"command": […]} and {"keychain": {…}}.`,
  });
}
