import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive, type ProcessIdentity, readCommandLine, readStartTime, thisProcess } from '@dbmole/core/process-identity';
import { isRoot } from './engine-user.ts';

const ownerFile = 'owner.json';
const workPrefix = 'work-';
/** A folder without an owner is just being created, unless it is older than this. */
const creationMs = 60_000;

/** A folder that lives as long as this process, or as the supervisor that takes it over: `sweepFolders` removes it later. */
export async function createOwnedFolder(parent: string, prefix: string): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await writeOwner(folder, process.pid);
  return folder;
}

export async function writeOwner(folder: string, pid: number): Promise<void> {
  const start = readStartTime(pid);
  await writeFile(join(folder, ownerFile), JSON.stringify({ ...thisProcess(), pid, start }));
}

/** What one of our processes works in. Of a cached entry, `content` alone is kept, under its final name. */
export interface WorkFolder {
  path: string;
  content: string;
  log: string;
}

export async function createWorkFolder(cache: string): Promise<WorkFolder> {
  const path = await createOwnedFolder(cache, workPrefix);
  const content = join(path, 'content');
  await mkdir(content);
  // The user that runs the engine has to enter both, whatever umask we were started with.
  await chmod(path, 0o755);
  await chmod(content, 0o755);
  return { path, content, log: join(path, 'log') };
}

/**
 * The folder of this name in the cache, filled on first use. It is filled elsewhere and renamed, so no process ever sees half of
 * it. Two processes that fill it at the same time do the work twice, and the first rename wins.
 */
export async function cachedFolder(cache: string, name: string, fill: (work: WorkFolder) => Promise<void>): Promise<string> {
  const path = join(cache, name);
  if (existsSync(path)) return path;
  const work = await createWorkFolder(cache);
  try {
    await fill(work);
    await rename(work.content, path).catch((error: unknown) => {
      if (!existsSync(path)) throw error;
    });
  } finally {
    await removeFolder(work.path);
  }
  return path;
}

/** Ends the servers that killed processes left in a cache, and removes their folders. Returns how many folders there were. */
export function sweepCache(cache: string): Promise<number> {
  return sweepFolders(cache, workPrefix);
}

export async function sweepFolders(parent: string, prefix: string): Promise<number> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  let removed = 0;
  for (const folder of names.map((name) => join(parent, name))) {
    if (!(await isOurs(folder)) || !isAbandoned(folder)) continue;
    endServer(folder);
    await removeFolder(folder);
    removed += 1;
  }
  return removed;
}

/** Two processes may sweep at the same time, and an engine that is ending may still write. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => undefined);
}

/** Only root may touch what others own, and root's folders belong to the user that runs the servers. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() === true && (isRoot() || found.uid === process.getuid?.());
}

function isAbandoned(folder: string): boolean {
  const owner = readOwner(folder);
  if (owner === undefined) return isOlderThan(folder, creationMs);
  const here = thisProcess();
  // Another machine or container may own it, and from here we cannot see whether that process lives.
  if (owner.host !== here.host || owner.namespace !== here.namespace) return false;
  if (owner.boot !== here.boot || !isProcessAlive(owner.pid)) return true;
  return readStartTime(owner.pid) !== owner.start;
}

function isOlderThan(folder: string, ms: number): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > ms;
}

function readOwner(folder: string): ProcessIdentity | undefined {
  try {
    // `writeOwner` wrote it; a folder that someone else made has no such file.
    return JSON.parse(readFileSync(join(folder, ownerFile), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

/** The supervisor writes the server's id into the folder; by now another process may have that id. */
function endServer(folder: string): void {
  const pid = Number(readPid(folder));
  if (!(pid > 1) || !readCommandLine(pid)?.includes(folder)) return;
  try {
    // The whole group: Elasticsearch is a launcher and a node.
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
}

function readPid(folder: string): string {
  try {
    return readFileSync(join(folder, 'engine.pid'), 'utf8');
  } catch {
    return '';
  }
}
