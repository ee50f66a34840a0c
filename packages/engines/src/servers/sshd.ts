import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot } from '@dbmole/local-engine';
import { cached, cachePath, isCached, makeReadable } from '../fetch/cache.ts';
import { fetchDebianPackages, findDebianObstacle, privateCommand } from '../fetch/fetch-debian.ts';
import { findInstallObstacle, installDebianPackage } from '../fetch/install-debian.ts';
import { withProgress } from '../fetch/progress.ts';
import { findProgram } from '../run/run-command.ts';
import { unavailable } from '../unavailable.ts';
import type { Obstacle } from './recipe.ts';

const tree = 'openssh-bookworm';

export interface SshProgram {
  readonly command: string;
  readonly args: readonly string[];
}

export function findSshdObstacle(): Obstacle | undefined {
  if (findProgram('ssh-keygen') === undefined)
    return { reason: 'ssh-keygen is not on the PATH', advice: 'Install openssh-client.' };
  if (isInstalled() || isCached(tree)) return undefined;
  return isRoot() ? findInstallObstacle('openssh-server') : findDebianObstacle();
}

/** The machine's own server; else root installs it, and everyone else keeps a private copy, which root could not run. */
export async function openSshd(): Promise<SshProgram> {
  const obstacle = findSshdObstacle();
  if (obstacle) throw unavailable(`OpenSSH server: ${obstacle.reason}`, obstacle.advice);
  if (isRoot() && !isInstalled()) await installDebianPackage('openssh-server', isInstalled);
  // Where the server keeps its unprivileged half; on a memory disk, so it is gone after a reboot.
  if (isRoot()) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const command = findProgram('sshd');
  return command === undefined ? openPrivateCopy() : { command, args: [] };
}

function isInstalled(): boolean {
  return findProgram('sshd') !== undefined;
}

async function openPrivateCopy(): Promise<SshProgram> {
  await cached(tree, async (directory) => {
    await withProgress('fetching openssh-server (10 MB)', () => fetchDebianPackages('bookworm', 'openssh-server', directory));
    await makeReadable(directory);
  });
  const { command, args } = privateCommand(cachePath(tree), join('usr/sbin', 'sshd'));
  // For every connection it would run itself again, and then without the loader.
  return { command, args: [...args, '-r'] };
}
