import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { Failure } from '@dbmole/core';
import { writeOwner } from './leftovers.ts';

/** Where the engine, the prepared data and the running copies of it lie. */
export interface Cache {
  folder: string;
  /** Who runs the engine when we are root, which it refuses to be: `nobody`, whom every Linux has. */
  user: { uid: number; gid: number } | undefined;
}

const nobody = { uid: 65534, gid: 65534 };

/**
 * The user's cache. Root has another one: the engine then runs as another user, who may not enter root's home, and must not run
 * what others could have put into a folder that all may write to.
 */
export function cacheFolder(options: { env: NodeJS.ProcessEnv; home: string; root: boolean }): string {
  const { env, home, root } = options;
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = env;
  // Its specification asks to ignore a relative one.
  if (xdg && isAbsolute(xdg)) return join(xdg, 'dbmole');
  if (root) return '/var/cache/dbmole';
  return join(process.platform === 'win32' && local ? local : join(home, '.cache'), 'dbmole');
}

export async function openCache(folder: string, root: boolean): Promise<Cache> {
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
    throw badCache(`PostgreSQL runs as user ${nobody.uid} when this server is root, and that user may not enter ${closed}`);
  return { folder, user: root ? nobody : undefined };
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

/** What one of our processes works in. `content` is what it is about; it alone is kept under another name. */
export interface WorkFolder {
  path: string;
  content: string;
  log: string;
}

const workPrefix = 'work-';

export function isWorkFolder(name: string): boolean {
  return name.startsWith(workPrefix);
}

export async function createWorkFolder({ folder }: Cache): Promise<WorkFolder> {
  const path = join(folder, `${workPrefix}${randomBytes(6).toString('hex')}`);
  const content = join(path, 'content');
  await mkdir(path);
  await writeOwner(path);
  await mkdir(content);
  // Whatever mask we were started with.
  await chmod(path, 0o755);
  await chmod(content, 0o755);
  return { path, content, log: join(path, 'log') };
}

/** An empty data folder. Only this belongs to the user that runs the engine, who has no business in the rest of the cache. */
export async function createDataFolder({ content }: WorkFolder, { user }: Cache): Promise<string> {
  const data = join(content, 'data');
  await mkdir(data, { mode: 0o700 });
  if (user) await chown(data, user.uid, user.gid);
  return data;
}

/**
 * The folder of this name, made at its first use. It is filled elsewhere and renamed: nobody ever sees half of one, whatever
 * interrupts us. Two servers that fill it at once do the work twice, and the first rename counts.
 */
export async function cached(cache: Cache, name: string, fill: (work: WorkFolder) => Promise<void>): Promise<string> {
  const path = join(cache.folder, name);
  if (existsSync(path)) return path;
  const work = await createWorkFolder(cache);
  try {
    await fill(work);
    await rename(work.content, path).catch((error: unknown) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await rm(work.path, { recursive: true, force: true, maxRetries: 5 });
  }
  return path;
}
