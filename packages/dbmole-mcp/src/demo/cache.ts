import { statSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { Failure } from '@dbmole/core';
import { engineUser } from '@dbmole/local-engine';

/**
 * The folder with the engine, the prepared data and the running copies of it. Root has one of its own: the engine then runs as
 * another user, who may not enter root's home, and must not run what others could have put into a folder that all may write to.
 */
export function cacheFolder(options: { env: NodeJS.ProcessEnv; home: string; root: boolean }): string {
  const { env, home, root } = options;
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env;
  // Its specification asks to ignore a relative one.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'dbmole');
  if (root) return '/var/cache/dbmole';
  return join(process.platform === 'win32' && local ? local : join(home, '.cache'), 'dbmole');
}

/** Creates the folder where it is missing. */
export async function openCache(folder: string, root: boolean): Promise<void> {
  try {
    const made = await mkdir(folder, { recursive: true });
    if (root && made !== undefined) await openFolders(folder, made);
  } catch (error) {
    throw badCache(`${folder} cannot be made`, error);
  }
  const owner = statSync(folder).uid;
  if (process.getuid !== undefined && owner !== process.getuid())
    throw badCache(`${folder} belongs to another user (uid ${owner})`);
  const closed = root ? closedFolder(folder) : undefined;
  if (closed !== undefined)
    throw badCache(`PostgreSQL runs as user ${engineUser().uid} when this server is root, and that user may not enter ${closed}`);
}

/** Whatever mask root has: those that we have just made are to be entered by the other user. */
async function openFolders(folder: string, top: string): Promise<void> {
  await chmod(folder, 0o755);
  if (folder !== top) await openFolders(dirname(folder), top);
}

/** A folder on the way that is not open to everybody. */
function closedFolder(folder: string): string | undefined {
  if ((statSync(folder).mode & 0o001) === 0) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : closedFolder(above);
}

function badCache(why: string, cause?: unknown): Failure {
  return new Failure('config', `the cache for the sample database cannot be used: ${why}`, {
    code: 'E_DEMO_CACHE',
    hint: 'Set XDG_CACHE_HOME, in the environment of this server, to a folder that fits.',
    cause,
  });
}
