import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createOwnedFolder, giveToEngineUser, sweepCache, sweepFolders } from '@dbmole/local-engine';
import { openCacheRoot } from '../fetch/cache.ts';
import { sayProgress } from '../fetch/progress.ts';

const prefix = 'dbmole-run-';
// A unix socket's path may have 107 bytes; this leaves room for the longest name that a server puts into the directory.
const maxLength = 85;

/** A directory for the data, log and socket of one server; the supervisor removes it. */
export async function createRunDirectory(mode = 0o700): Promise<string> {
  const parent = tmpdir().length + prefix.length + 7 <= maxLength ? tmpdir() : '/tmp';
  const directory = await createOwnedFolder(parent, prefix);
  await chmod(directory, mode);
  await giveToEngineUser(directory);
  return directory;
}

let swept: Promise<void> | undefined;

/** Once per process, before the first start: ends and removes what runs that were killed have left. */
export function sweepLeftovers(): Promise<void> {
  swept ??= sweep();
  return swept;
}

async function sweep(): Promise<void> {
  const removed = (await sweepFolders(tmpdir(), prefix)) + (await sweepCache(openCacheRoot()));
  if (removed > 0) sayProgress(`removed ${removed} directories of runs that were killed`);
}
