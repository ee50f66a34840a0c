import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { isRoot } from '@dbmole/local-engine';
import { findProgram, runCommand } from '../run/run-command.ts';
import type { Obstacle } from '../servers/recipe.ts';
import { withLock } from './cache.ts';
import { withProgress } from './progress.ts';

const policy = '/usr/sbin/policy-rc.d';

/** Only root installs packages on the machine itself. */
export function findInstallObstacle(name: string): Obstacle | undefined {
  const advice = `Install ${name}.`;
  if (!isRoot()) return { reason: `${name} is not installed, and only root can install it`, advice };
  if (findProgram('apt-get') !== undefined) return undefined;
  return { reason: `there is no ${name} and no apt-get to install it`, advice };
}

/** Installs a package of the machine's own distribution, unless `isThere` says that another process did so meanwhile. */
export async function installDebianPackage(name: string, isThere: () => boolean): Promise<void> {
  await withLock('apt-get', async () => {
    if (isThere()) return;
    await withProgress(`installing ${name}`, () =>
      withoutServices(async () => {
        const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
        await runCommand({ command: 'apt-get', args: ['-qq', 'update'], env });
        // Another program may be installing something.
        const wait = ['-o', 'DPkg::Lock::Timeout=120'];
        const packages = ['-qq', '-y', ...wait, '--no-install-recommends', 'install', name];
        await runCommand({ command: 'apt-get', args: packages, env });
      }),
    );
  });
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
