import { chown } from 'node:fs/promises';

/** `nobody`, who is there on every system we know: no user has to be made. */
const nobody = 65534;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The servers refuse to run as root; everyone else runs them as themselves. For `spawn`. */
export function engineUser(): { uid: number; gid: number } | Record<string, never> {
  return isRoot() ? { uid: nobody, gid: nobody } : {};
}

export async function giveToEngineUser(path: string): Promise<void> {
  if (isRoot()) await chown(path, nobody, nobody);
}
