import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { systemCode } from './system-code.ts';

const maxLinks = 40;
const busyRetryMs = 2_000;

const writeHints = new Map([
  ['ENOSPC', 'Free some space on the disk and retry.'],
  ['EROFS', 'The file system is read-only; keep the file somewhere else.'],
  ['EBUSY', 'If the file is mounted into a container by itself, mount its folder instead.'],
]);

/**
 * Replaces a file as a whole: readers see the old bytes or the new ones, also after a crash or on a full disk.
 * `path` must not be a link (see `resolveTarget`). The file is for its owner only.
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeDurably(temporary, data);
    await renameBusy(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    removeQuietly(temporary);
    throw cannotWrite(path, error);
  }
}

/** What `writeFileAtomic` leaves behind when its process dies. */
export function isTemporaryFor(path: string, name: string): boolean {
  return name.startsWith(`.${basename(path)}.`) && name.endsWith('.tmp');
}

/** Where a write has to go so that symbolic links stay what they are. The file itself need not exist. */
export function resolveTarget(path: string): string {
  let current = resolve(path);
  for (let links = 0; links < maxLinks; links++) {
    if (!isLink(current)) return join(realFolder(dirname(current)), basename(current));
    current = resolve(dirname(current), readlinkSync(current));
  }
  throw new Failure('config', `${path} is a symbolic link in a loop`, { hint: 'Replace the link with a file.' });
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Nothing is there, or it cannot be reached; writing will tell.
    return false;
  }
}

/** Creates the folder for its owner only; one that exists is left as it is. */
export function makeFolder(path: string): void {
  try {
    makeFolders(path);
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** One by one, for Node's own way never ends where the system says of a folder it cannot make that it is not there, as in /proc. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It may never have been created, or another process was faster.
  }
}

function cannotWrite(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = systemCode(error);
  return new Failure('config', `${path} cannot be written${code ? ` (${code})` : ''}; its content is unchanged`, {
    code: 'E_STORE_WRITE',
    hint: writeHint(code) ?? 'Check the permissions of the file and its folder.',
    cause: error,
  });
}

/** What to do about an error of the system when a file is written, if it has nothing to do with permissions. */
export function writeHint(code: string | undefined): string | undefined {
  return writeHints.get(code ?? '');
}

/** `writeFileSync` on the descriptor, because `writeSync` may write a part and not say so when the disk is full. */
function writeDurably(path: string, data: string | Uint8Array): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    if (process.platform !== 'win32') fchmodSync(fd, 0o600);
    writeFileSync(fd, data);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Windows refuses to replace a file that is being read; it is free a moment later. */
async function renameBusy(from: string, to: string): Promise<void> {
  const end = Date.now() + busyRetryMs;
  for (;;) {
    try {
      return renameSync(from, to);
    } catch (error) {
      const busy = process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? '');
      if (!busy || Date.now() > end) throw error;
      await delay(20);
    }
  }
}

/** Makes the rename itself durable. Some systems cannot open a folder; then there is nothing more to do. */
function syncFolder(path: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    fsyncSync(fd);
  } catch {
    // The data is safe either way, only the name may be lost with the power.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
