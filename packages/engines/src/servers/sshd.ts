import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRoot } from '@dbmole/local-engine';
import { cached, cachePath, isCached, makeReadable, withLock } from '../fetch/cache.ts';
import { fetchDebianPackages, findDebianObstacle, privateCommand } from '../fetch/fetch-debian.ts';
import { withProgress } from '../fetch/progress.ts';
import { findProgram, runCommand } from '../run/run-command.ts';
import { unavailable } from '../unavailable.ts';
import type { Obstacle } from './recipe.ts';

const tree = 'openssh-bookworm';
const policy = '/usr/sbin/policy-rc.d';

export interface SshProgram {
  readonly command: string;
  readonly args: readonly string[];
}

export function findSshdObstacle(): Obstacle | undefined {
  if (findProgram('ssh-keygen') === undefined)
    return { reason: 'ssh-keygen is not on the PATH', advice: 'Install openssh-client.' };
  if (findProgram('sshd') !== undefined || isCached(tree)) return undefined;
  if (!isRoot()) return findDebianObstacle();
  if (findProgram('apt-get') !== undefined) return undefined;
  return { reason: 'there is no sshd and no apt-get to install it', advice: 'Install openssh-server.' };
}

/** The machine's own server; else root installs it, and everyone else keeps a private copy, which root could not run. */
export async function openSshd(): Promise<SshProgram> {
  const obstacle = findSshdObstacle();
  if (obstacle) throw unavailable(`OpenSSH server: ${obstacle.reason}`, obstacle.advice);
  if (isRoot() && findProgram('sshd') === undefined) await withLock('openssh-server', install);
  // Where the server keeps its unprivileged half; on a memory disk, so it is gone after a reboot.
  if (isRoot()) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const command = findProgram('sshd');
  return command === undefined ? openPrivateCopy() : { command, args: [] };
}

async function install(): Promise<void> {
  if (findProgram('sshd') !== undefined) return;
  await withProgress('installing openssh-server', () =>
    withoutServices(async () => {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      await runCommand({ command: 'apt-get', args: ['-qq', 'update'], env });
      // Someone else may be installing something.
      const wait = ['-o', 'DPkg::Lock::Timeout=120'];
      const packages = ['-qq', '-y', ...wait, '--no-install-recommends', 'install', 'openssh-server'];
      await runCommand({ command: 'apt-get', args: packages, env });
    }),
  );
}

/** We want the program, not a server that listens to the world: Debian asks this file before it starts one. */
async function withoutServices(work: () => Promise<void>): Promise<void> {
  if (existsSync(policy)) return work();
  await writeFile(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    await rm(policy, { force: true });
  }
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
