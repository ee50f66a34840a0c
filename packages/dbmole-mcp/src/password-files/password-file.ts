import { Failure, readSmallFile } from '@dbmole/core';

export interface PasswordFile {
  path: string;
  text: string;
}

/** Mode bits that make a file useless: read by others, it is not a secret; written by others, it is theirs. */
export const openToOthers = { toRead: 0o077, toWrite: 0o002 } as const;

/** A file with passwords that other programs keep; undefined when it is not there. Throws a Failure when it cannot be trusted. */
export function readPasswordFile(path: string, forbidden: number): PasswordFile | undefined {
  const image = readSmallFile(path, { kind: 'secret', code: 'E_SECRET_FILE' });
  if (image === undefined) return undefined;
  // Windows has no such bits.
  if (process.platform !== 'win32' && (image.mode & forbidden) !== 0) {
    const what = forbidden === openToOthers.toRead ? 'is open to other users' : 'can be written by every user';
    throw new Failure('secret', `${path} ${what} (mode ${image.mode.toString(8)}), so it is not used`, {
      code: 'E_SECRET_FILE',
      hint: `Run \`chmod 600 ${path}\`.`,
    });
  }
  return { path, text: image.bytes.toString('utf8') };
}

export function missingFile(path: string): Failure {
  return new Failure('secret', `${path} does not exist`, {
    code: 'E_SECRET_FILE',
    hint: 'Create it, or configure the password in another way.',
  });
}

/** Own properties only, and an empty variable counts as unset. */
export function variable(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return (Object.hasOwn(env, name) && env[name]) || undefined;
}
