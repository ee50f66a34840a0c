import { chown } from 'node:fs/promises';

/** Every Linux has the user `nobody`, so we create no account. */
const nobody = 65534;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Options of `spawn`: servers refuse to run as root, so root runs them as another user. Everyone else runs them as themselves. */
export function engineUser(): { uid: number; gid: number } | Record<string, never> {
  return isRoot() ? { uid: nobody, gid: nobody } : {};
}

export async function giveToEngineUser(path: string): Promise<void> {
  if (isRoot()) await chown(path, nobody, nobody);
}
