import { existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@dbmole/core/failure';
import { withFileLock } from '@dbmole/core/file-lock';
import { cachedFolder, isRoot } from '@dbmole/local-engine';
import { runCommand } from '../run/run-command.ts';

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

/** The directory of that name in the cache, filled on first use. Two processes that want the same one do the work once. */
export async function cached(name: string, fill: (directory: string) => Promise<void>): Promise<string> {
  const path = cachePath(name);
  if (existsSync(path)) return path;
  return withLock(name, () => cachedFolder(cacheRoot(), name, ({ content }) => fill(content)));
}

/** What was unpacked must be readable for the user that runs the servers. */
export async function makeReadable(directory: string): Promise<void> {
  await runCommand({ command: 'chmod', args: ['-R', 'a+rX', directory] });
}

/** For work that takes minutes, so waiting has no end and looks seldom. */
export function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  openCacheRoot();
  return withFileLock(cachePath(`.lock-${name}`), work, { waitMs: Number.POSITIVE_INFINITY, pollMs: 200 });
}

export function openCacheRoot(): string {
  const root = cacheRoot();
  mkdirSync(root, { recursive: true, mode: 0o755 });
  const owner = statSync(root).uid;
  // In a directory that all may write to, someone else may have made ours first; we would run what lies in it.
  if (process.getuid !== undefined && owner !== process.getuid()) {
    throw new Failure('config', `The cache ${root} belongs to user ${owner}, not to us`, {
      hint: 'Remove it, or set DBMOLE_CACHE to a directory of your own.',
    });
  }
  return root;
}
