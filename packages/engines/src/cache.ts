import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@dbmole/core/failure';
import { isRoot } from './engine-user.ts';
import { isProcessAlive } from './process-table.ts';
import { runCommand } from './run-command.ts';

/**
 * Outside the work tree, kept between runs. Root's home is closed to the user that runs the servers,
 * so root's cache lies in the system's directory for lasting temporary files.
 */
export function cacheRoot(env: NodeJS.ProcessEnv = process.env, root = isRoot()): string {
  if (env.DBMOLE_CACHE) return env.DBMOLE_CACHE;
  if (root) return '/var/tmp/dbmole-cache';
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dbmole');
}

export function cachePath(name: string): string {
  return join(cacheRoot(), name);
}

export function isCached(name: string): boolean {
  return existsSync(cachePath(name));
}

/**
 * The directory of that name in the cache, filled on first use. It is filled under a temporary name and renamed, so nobody ever
 * sees half of one. Two processes that want the same one at once do the work once; should the lock fail, the first rename wins.
 */
export async function cached(name: string, fill: (directory: string) => Promise<void>): Promise<string> {
  const path = cachePath(name);
  if (existsSync(path)) return path;
  openCacheRoot();
  return withLock(name, async () => {
    if (!existsSync(path)) await fillAndRename(path, name, fill);
    return path;
  });
}

async function fillAndRename(path: string, name: string, fill: (directory: string) => Promise<void>): Promise<void> {
  const temporary = cachePath(`.${name}.${process.pid}.${randomBytes(3).toString('hex')}`);
  try {
    await mkdir(temporary);
    // The mask of whoever runs us must not lock out the user that runs the servers.
    await chmod(temporary, 0o755);
    await fill(temporary);
    await rename(temporary, path).catch((error: unknown) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** What was unpacked must be readable for the user that runs the servers. */
export async function makeReadable(directory: string): Promise<void> {
  await runCommand({ command: 'chmod', args: ['-R', 'a+rX', directory] });
}

/**
 * A lock file with the owner's process id. A dead owner's lock is taken over. Not watertight when two take over in the same
 * instant; it saves double work, correctness rests on the rename above.
 */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  openCacheRoot();
  const path = cachePath(`.lock-${name}`);
  while (!(await takeLock(path))) {
    if (await isAbandoned(path)) await rm(path, { force: true });
    else await sleep(100 + Math.random() * 100);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  if (text !== '') return !isProcessAlive(Number(text));
  // The owner writes its id right after it made the file; if it has not for so long, it died in between.
  const made = await stat(path).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs > 5_000;
}

function openCacheRoot(): void {
  const root = cacheRoot();
  mkdirSync(root, { recursive: true, mode: 0o755 });
  const owner = statSync(root).uid;
  // In a directory that all may write to, someone else may have made ours first; we would run what lies in it.
  if (process.getuid !== undefined && owner !== process.getuid()) {
    throw new Failure('config', `The cache ${root} belongs to user ${owner}, not to us`, {
      hint: 'Remove it, or set DBMOLE_CACHE to a directory of your own.',
    });
  }
}
