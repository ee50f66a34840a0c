import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, removeQuietly, writeFileAtomic } from '../../files/atomic-write.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { isProcessAlive, type ProcessIdentity, readStartTime, thisProcess } from '../../files/process-identity.ts';
import { isWritableByOthers, readSmallFile } from '../../files/read-file.ts';
import { isFields } from '../../registry/tree.ts';

/** Says that a server runs for a project. The process removes it when it ends; after a crash it is stale. */
export interface RunningMark extends ProcessIdentity {
  root: string;
  /** Where MCP is served, reachable from this machine. */
  url: string;
  port: number;
  /** When the server began to listen, in milliseconds since 1970. */
  at: number;
  nonce: string;
}

/** How long to wait for another process that opens the same project; it may be waiting for a third one to end. */
const lockWaitMs = 20_000;

/** The server of a project root that runs now. */
export function readRunning(stateFolder: string, root: string): RunningMark | undefined {
  const mark = readMark(markPath(stateFolder, root));
  return mark !== undefined && isRunning(mark) ? mark : undefined;
}

/** Every server that runs now. Marks of servers that crashed are removed. */
export async function listRunning(stateFolder: string): Promise<RunningMark[]> {
  const folder = marksFolder(stateFolder);
  const marks = listNames(folder).flatMap((name) => readMark(join(folder, name)) ?? []);
  for (const mark of marks) if (!isRunning(mark)) await removeStale(stateFolder, mark);
  return marks.filter(isRunning);
}

/** Runs `work` while no other process opens the same project. */
export async function withProjectLock<T>(stateFolder: string, root: string, work: () => Promise<T>): Promise<T> {
  makeFolder(marksFolder(stateFolder));
  return await withFileLock(`${markPath(stateFolder, root)}.lock`, work, { waitMs: lockWaitMs });
}

/** Writes the mark of this process; the caller holds the lock of the project. */
export async function writeMark(stateFolder: string, server: Pick<RunningMark, 'root' | 'url' | 'port'>): Promise<RunningMark> {
  const mark = { ...server, ...thisProcess(), at: Date.now(), nonce: randomBytes(8).toString('hex') };
  await writeFileAtomic(markPath(stateFolder, server.root), `${JSON.stringify(mark, null, 2)}\n`);
  return mark;
}

/** Removes exactly this mark: another process may have replaced it. */
export function removeMark(stateFolder: string, { root, nonce }: Pick<RunningMark, 'root' | 'nonce'>): void {
  const path = markPath(stateFolder, root);
  if (readMark(path)?.nonce === nonce) removeQuietly(path);
}

/** Whether the process of the mark is the one that wrote it. A process of another machine or container does not count as running here. */
function isRunning(mark: RunningMark): boolean {
  const here = thisProcess();
  if (mark.host !== here.host || mark.boot !== here.boot || mark.namespace !== here.namespace) return false;
  return isProcessAlive(mark.pid) && (mark.start === undefined || readStartTime(mark.pid) === mark.start);
}

async function removeStale(stateFolder: string, mark: RunningMark): Promise<void> {
  try {
    await withProjectLock(stateFolder, mark.root, async () => removeMark(stateFolder, mark));
  } catch {
    // It stays until the next start for this project; it does not count until then.
  }
}

function marksFolder(stateFolder: string): string {
  return join(stateFolder, 'running');
}

/** A path can be longer than a file name, so the name is a digest of it. */
function markPath(stateFolder: string, root: string): string {
  return join(marksFolder(stateFolder), `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.json`);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch {
    // No server has run yet.
    return [];
  }
}

/**
 * A mark that cannot be read or understood counts as absent, and the next start replaces it. So does one that another user could have
 * written: the token is sent to the URL in it.
 */
function readMark(path: string): RunningMark | undefined {
  try {
    const image = readSmallFile(path);
    if (image === undefined || isWritableByOthers(image)) return undefined;
    const mark: unknown = JSON.parse(image.bytes.toString('utf8'));
    return isMark(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

const textKeys = ['root', 'url', 'host', 'nonce'];
const numberKeys = ['pid', 'port', 'at'];

function isMark(value: unknown): value is RunningMark {
  if (!isFields(value)) return false;
  return textKeys.every((key) => typeof value[key] === 'string') && numberKeys.every((key) => typeof value[key] === 'number');
}
