import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTemporaryFor, makeFolder, removeQuietly, resolveTarget, writeFileAtomic } from './atomic-write.ts';
import { withFileLock } from './file-lock.ts';
import { type FileImage, readSmallFile } from './read-file.ts';

interface ChangeOptions {
  path: string;
  /** Gets the present content and returns the new one; undefined leaves the file alone. Throwing changes nothing. */
  edit(image: FileImage | undefined): string | undefined;
  /** Keeps the bytes from before the change beside the file. */
  backup?: boolean;
  lockWaitMs?: number;
  /** Nothing is changed any more once it is aborted. */
  signal?: AbortSignal | undefined;
}

/** Reads, changes and writes a file as one atomic step. */
export async function changeFile(options: ChangeOptions): Promise<void> {
  const target = resolveTarget(options.path);
  makeFolder(dirname(target));
  const { lockWaitMs: waitMs, signal } = options;
  const limits = { ...(waitMs !== undefined && { waitMs }), signal };
  await withFileLock(`${target}.lock`, () => changeLocked(target, options), limits);
}

async function changeLocked(target: string, options: ChangeOptions): Promise<void> {
  sweep(target);
  const image = readSmallFile(target);
  const text = options.edit(image);
  if (text === undefined) return;
  if (image && options.backup) await writeFileAtomic(`${target}.bak`, image.bytes);
  await writeFileAtomic(target, text);
}

/** We hold the lock, so every temporary file belongs to a process that died. */
function sweep(target: string): void {
  for (const name of readdirSync(dirname(target))) {
    if (isTemporaryFor(target, name) || isTemporaryFor(`${target}.bak`, name)) removeQuietly(join(dirname(target), name));
  }
}
