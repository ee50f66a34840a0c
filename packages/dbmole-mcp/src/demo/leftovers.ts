import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The process that a work folder belongs to. */
interface Owner {
  pid: number;
  /** Ids are used again; together with the time of its start one names a process for good. */
  start: string | undefined;
  /** Ids mean something in one namespace only, and each container has its own. */
  namespace: string | undefined;
}

const ownerFile = 'owner.json';

export async function writeOwner(folder: string): Promise<void> {
  const owner: Owner = { pid: process.pid, start: startOf(process.pid), namespace: namespaceOfThis() };
  await writeFile(join(folder, ownerFile), JSON.stringify(owner));
}

/**
 * Ends and removes what is left of servers that were killed together with their keepers. What another container may own stays:
 * we cannot see whether that one lives. Answers how many folders there were.
 */
export async function removeLeftovers(cache: string, isWorkFolder: (name: string) => boolean): Promise<number> {
  const names = (await readdir(cache)).filter(isWorkFolder);
  const left = names.map((name) => join(cache, name)).filter((folder) => isGone(readOwner(folder)));
  for (const folder of left) {
    endEngine(join(folder, 'content', 'data'));
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => undefined);
  }
  return left.length;
}

/** The engine writes its id into its data folder; by now another process may have that id. */
function endEngine(data: string): void {
  const pid = Number.parseInt(read(join(data, 'postmaster.pid')) ?? '', 10);
  if (!(pid > 1) || !commandLineOf(pid)?.includes(data)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
}

function readOwner(folder: string): Owner | undefined {
  try {
    // We wrote it. A folder of somebody else's making has no such file.
    return JSON.parse(readFileSync(join(folder, ownerFile), 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

/** Without an owner it is just being made. */
function isGone(owner: Owner | undefined): boolean {
  if (owner === undefined || owner.namespace !== namespaceOfThis()) return false;
  return !isAlive(owner.pid) || startOf(owner.pid) !== owner.start;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function startOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return askPs(pid, 'lstart=');
  // The second field is a name in parentheses that may hold anything, so we count from its end.
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function commandLineOf(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return askPs(pid, 'command=');
  return read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ');
}

function askPs(pid: number, column: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

function namespaceOfThis(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
