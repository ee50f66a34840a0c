import { readFileSync, statSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveToEngineUser, isRoot } from './engine-user.ts';
import { isProcessAlive, readCommandLine, readStartTime } from './process-table.ts';
import { sayProgress } from './progress.ts';

const prefix = 'dbmole-engine-';
// A unix socket's path may have 107 bytes; this leaves room for the longest name that a server puts into the directory.
const longest = 85;

/** A directory for the data, log and socket of one server. Whoever starts a supervisor for it calls `writeOwner`. */
export async function createRunDirectory(mode = 0o700): Promise<string> {
  const parent = tmpdir().length + prefix.length + 7 <= longest ? tmpdir() : '/tmp';
  const directory = await mkdtemp(join(parent, prefix));
  await writeOwner(directory, process.pid);
  await chmod(directory, mode);
  await giveToEngineUser(directory);
  return directory;
}

/** The directory lives as long as this process. */
export async function writeOwner(directory: string, pid: number): Promise<void> {
  await writeFile(join(directory, 'owner'), `${pid} ${readStartTime(pid) ?? ''}`);
}

let swept: Promise<void> | undefined;

/** Once per process, before the first start: ends and removes what runs that were killed have left. */
export function sweepLeftovers(): Promise<void> {
  swept ??= sweep(tmpdir());
  return swept;
}

export async function sweep(parent: string): Promise<void> {
  const names = await readdir(parent);
  for (const name of names.filter((candidate) => candidate.startsWith(prefix))) {
    const directory = join(parent, name);
    if ((await isOurs(directory)) && isAbandoned(directory)) await clear(directory);
  }
}

/** Only root may touch what others own, and root's directories belong to the user that runs the servers. */
async function isOurs(directory: string): Promise<boolean> {
  const found = await stat(directory).catch(() => undefined);
  return found?.isDirectory() === true && (isRoot() || found.uid === process.getuid?.());
}

function isAbandoned(directory: string): boolean {
  const [pid, started] = (read(join(directory, 'owner')) ?? '').split(' ');
  // No owner yet: just being made, unless its maker died at that very moment.
  if (!pid) return Date.now() - statSync(directory).mtimeMs > 60_000;
  return !isProcessAlive(Number(pid)) || (readStartTime(Number(pid)) ?? '') !== started;
}

async function clear(directory: string): Promise<void> {
  const pid = Number(read(join(directory, 'engine.pid')) ?? 0);
  if (pid > 1 && readCommandLine(pid)?.includes(directory)) {
    // Its whole group: Elasticsearch is a launcher and a node.
    killGroup(pid);
    sayProgress(`ended process ${pid}, left by a run that was killed`);
  }
  // Two processes may sweep at once.
  await rm(directory, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone in the meantime.
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
