import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { askUser, Failure } from '../../failure.ts';
import { removeQuietly, writeHint } from '../../files/atomic-write.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { systemCode } from '../../files/system-code.ts';

export interface AuditFileOptions {
  /** Bytes after which the file is put aside; lines that are written meanwhile still go to it. */
  maxBytes?: number;
  /** Files that are kept beside the current one. */
  maxOld?: number;
}

export const maxOldFiles = 5;
const defaultMaxBytes = 16 * 1024 * 1024;
const lockMs = 2_000;

/** FILE.1 is the youngest of the files that were put aside. */
export function oldFile(path: string, age: number): string {
  return age === 0 ? path : `${path}.${age}`;
}

/**
 * A file of lines that several processes append to, each line with one write. The process that fills it puts it aside under a lock, and the others
 * notice that the path has become another file.
 */
export class AuditFile {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #maxOld: number;
  #open: { fd: number; ino: number; dev: number } | undefined;
  /** The last write was cut off, so that the next line needs a break before it. */
  #isTorn = false;
  #rotating: Promise<void> | undefined;

  constructor(path: string, { maxBytes = defaultMaxBytes, maxOld = maxOldFiles }: AuditFileOptions = {}) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#maxOld = maxOld;
  }

  /** Throws `E_AUDIT` when it cannot be written. */
  append(line: string): void {
    try {
      const fd = this.#reach();
      const bytes = Buffer.from(`${this.#isTorn ? '\n' : ''}${line}\n`);
      const written = writeSync(fd, bytes);
      this.#isTorn = written < bytes.length;
      if (this.#isTorn) throw new TornError();
      if (fstatSync(fd).size > this.#maxBytes) this.#rotating ??= this.#rotate().finally(() => (this.#rotating = undefined));
    } catch (error) {
      this.close();
      throw toAuditFailure(this.path, error);
    }
  }

  /** Throws `E_AUDIT` when it cannot be opened. */
  check(): void {
    try {
      this.#reach();
    } catch (error) {
      throw toAuditFailure(this.path, error);
    }
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.fd);
    this.#open = undefined;
  }

  /** Resolves when nothing is being put aside. */
  async settle(): Promise<void> {
    await this.#rotating;
  }

  #reach(): number {
    const { fd, ino, dev } = this.#open ?? this.#openFile();
    const there = statSync(this.path, { throwIfNoEntry: false });
    if (there?.ino === ino && there.dev === dev) return fd;
    this.close();
    return this.#openFile().fd;
  }

  #openFile() {
    const fd = openOwnFile(this.path);
    const { ino, dev } = fstatSync(fd);
    this.#open = { fd, ino, dev };
    return this.#open;
  }

  /** What fails here is tried again at the next line; until then the file grows. */
  async #rotate(): Promise<void> {
    try {
      await withFileLock(`${this.path}.lock`, async () => this.#putAside(), { waitMs: lockMs });
    } catch {
      // Another process holds the lock, or the folder cannot be written.
    }
  }

  #putAside(): void {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    // Another process was faster.
    if (size <= this.#maxBytes) return;
    removeQuietly(oldFile(this.path, this.#maxOld));
    for (let age = this.#maxOld - 1; age >= 0; age -= 1) moveQuietly(oldFile(this.path, age), oldFile(this.path, age + 1));
  }
}

class TornError extends Error {
  readonly code = 'ENOSPC';
}

function moveQuietly(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;
/** Windows has neither of them. */
const noFollow = constants.O_NOFOLLOW ?? 0;
const noWait = constants.O_NONBLOCK ?? 0;

/** A new file, or one that is ours alone: a link, a pipe or a file of another user could carry the lines to somewhere else. */
function openOwnFile(path: string): number {
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | noFollow, 0o600);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
  if (lstatSync(path).isSymbolicLink()) throw unsafe(path, 'it is a symbolic link');
  const fd = openSync(path, O_WRONLY | O_APPEND | noFollow | noWait);
  const why = describeForeign(fd);
  if (why === undefined) return fd;
  closeSync(fd);
  throw unsafe(path, why);
}

function describeForeign(fd: number): string | undefined {
  const { uid, nlink, mode } = fstatSync(fd);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return 'it is not a regular file';
  if (process.platform === 'win32') return undefined;
  if (uid !== process.getuid?.()) return 'it belongs to another user';
  if (nlink > 1) return 'it has another name as well (a hard link)';
  if ((mode & 0o077) !== 0) fchmodSync(fd, 0o600);
  return undefined;
}

function unsafe(path: string, why: string): Failure {
  return failure(path, `is not written to: ${why}`, 'name another file for --audit');
}

function toAuditFailure(path: string, error: unknown): Failure {
  return error instanceof Failure ? error : cannotWrite(path, systemCode(error));
}

function cannotWrite(path: string, code: string | undefined): Failure {
  const step = code === 'ENOENT' ? `create the folder of ${path}` : `make ${path} writable`;
  return failure(path, `cannot be written (${code ?? 'unknown error'})`, step, writeHint(code));
}

function failure(path: string, what: string, step: string, advice?: string): Failure {
  return new Failure('refused', `the audit log ${path} ${what}; nothing was run`, {
    code: 'E_AUDIT',
    hint: advice ?? askUser(step),
  });
}
