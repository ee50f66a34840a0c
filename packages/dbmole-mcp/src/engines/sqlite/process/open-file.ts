import { realpathSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { isWal } from './file-header.ts';
import type { OpenRequest } from './messages.ts';
import { type Database, loadSqlite } from './sqlite-module.ts';

export interface OpenedFile {
  db: Database;
  /** A file in WAL mode that no other process has open. */
  isUnlocked: boolean;
  /** Throws if the file changed while it was read without locks. */
  verify(): void;
}

/** The file changed under a read that took no locks. */
export class ChangedFileError extends Error {}

/** A program was interrupted while it wrote to a file in WAL mode. To read the rest of it, SQLite would create a file beside it. */
export class LeftWalError extends Error {}

/** What the path leads to is not the file itself. */
export class LinkError extends Error {}

/** Opens the file for one call, as strictly as this version of Node can. */
export function openFile({ file, noLinks, writes, waitMs }: OpenRequest): OpenedFile {
  const { DatabaseSync } = loadSqlite();
  if (noLinks) refuseLink(file);
  const isUnlocked = !writes && isUnusedWal(file);
  const options = {
    readOnly: !writes,
    timeout: waitMs,
    // What an application relies on, although SQLite leaves it off by default.
    enableForeignKeyConstraints: true,
    // Extensions are off by default and cannot be switched on later. The next two are known to newer versions only; VACUUM attaches a file.
    defensive: true,
    limits: { attach: writes ? 1 : 0 },
  };
  const before = isUnlocked ? readStamp(file) : undefined;
  const db = new DatabaseSync(writes ? file : toReadUrl(file, isUnlocked), options);
  try {
    // It may have become one meanwhile.
    if (noLinks) refuseLink(file);
  } catch (error) {
    db.close();
    throw error;
  }
  db.exec('pragma trusted_schema = off');
  if (!writes) db.exec('pragma query_only = on');
  return {
    db,
    isUnlocked,
    verify() {
      if (before !== undefined && before !== readStamp(file)) throw new ChangedFileError('the file was changed');
    },
  };
}

/** A link to a file elsewhere would give it to callers that may only name files of their own folder. */
function refuseLink(file: string): void {
  if (realpathSync(file) !== file || statSync(file).nlink > 1) throw new LinkError(`${file} is a link`);
}

/** Neither creates nor changes the file that programs share in WAL mode: without it, SQLite writes what it finds into one. */
function toReadUrl(file: string, isUnlocked: boolean): URL {
  const url = pathToFileURL(file);
  url.search = isUnlocked ? 'immutable=1' : 'readonly_shm=1';
  if (!isUnlocked && isWal(file) && !exists(`${file}-shm`)) throw new LeftWalError(`${file}-wal has content`);
  return url;
}

/**
 * A file in WAL mode that no process has open. To read it with locks, SQLite would create two files beside it and leave them there; it would
 * fail where none can be created.
 */
function isUnusedWal(file: string): boolean {
  return isWal(file) && !hasContent(`${file}-wal`) && (!exists(`${file}-shm`) || !exists(`${file}-wal`));
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function readStamp(file: string): string {
  const { mtimeNs, size, ino } = statSync(file, { bigint: true });
  return `${ino} ${mtimeNs} ${size} ${hasContent(`${file}-wal`)}`;
}
