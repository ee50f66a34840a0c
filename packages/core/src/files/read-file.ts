import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { Failure, type FailureCode } from '../failure.ts';
import { systemCode } from './system-code.ts';

/** One reading of a file. Whatever is decided about a file is decided on these bytes and never on a second reading. */
export interface FileImage {
  path: string;
  bytes: Buffer;
  stamp: string;
  /**
   * Whether the file was written so recently that another write may carry the same time, so that the stamp cannot be relied on yet.
   */
  fresh: boolean;
  mode: number;
  uid: number;
}

interface ReadOptions {
  maxBytes?: number;
  code?: FailureCode;
  kind?: 'config' | 'secret';
  /** Refuses a symbolic link as the last part of the path. */
  noFollow?: boolean;
}

/** The default limit of bytes for a file. */
export const maxFileBytes = 1_048_576;

/** Some file systems keep times to two seconds. */
const coarsestTimeMs = 2_000;

/** Changes whenever the file is written, replaced, or deleted (undefined); `unknown` where the system does not tell. */
export function readStamp(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && formatStamp(stats);
  } catch {
    return 'unknown';
  }
}

/** Reads a small regular file; undefined when it does not exist. Never waits on a pipe or a device. */
export function readSmallFile(path: string, options: ReadOptions = {}): FileImage | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (options.noFollow ? (constants.O_NOFOLLOW ?? 0) : 0));
    return readImage(fd, path, options);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw code === undefined ? error : cannotRead(path, `(${code})`, options, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whether a user other than this one and root could have written what was read. Always false on Windows, whose profiles are closed to others. */
export function isWritableByOthers({ uid, mode }: Pick<FileImage, 'uid' | 'mode'>): boolean {
  const user = process.geteuid?.();
  return user !== undefined && ((uid !== user && uid !== 0) || (mode & 0o022) !== 0);
}

function readImage(fd: number, path: string, options: ReadOptions): FileImage {
  const stats = fstatSync(fd, { bigint: true });
  if (!stats.isFile()) throw cannotRead(path, 'because it is not a regular file', options);
  const limit = options.maxBytes ?? maxFileBytes;
  // Some files of the system say that they are empty and are not.
  const capacity = Math.min(limit, Math.max(Number(stats.size), 65_536)) + 1;
  const bytes = Buffer.alloc(capacity);
  let length = 0;
  for (let got = -1; got !== 0 && length < capacity; length += got)
    got = readSync(fd, bytes, length, bytes.length - length, null);
  if (length > limit) throw cannotRead(path, `because it is larger than ${limit} bytes`, options);
  if (length === capacity) throw cannotRead(path, 'because it grows while it is read', options);
  return {
    path,
    bytes: Buffer.from(bytes.subarray(0, length)),
    stamp: formatStamp(stats),
    fresh: Date.now() - Number(stats.mtimeMs) < coarsestTimeMs,
    mode: Number(stats.mode) & 0o777,
    uid: Number(stats.uid),
  };
}

function formatStamp(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}

function cannotRead(path: string, why: string, options: ReadOptions, cause?: unknown): Failure {
  return new Failure(options.kind ?? 'config', `${path} cannot be read ${why}`, {
    ...(options.code && { code: options.code }),
    hint: 'Check the path and its permissions.',
    cause,
  });
}
