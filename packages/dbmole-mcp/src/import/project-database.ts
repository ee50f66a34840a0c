import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { findProjectFolder, holdsHome, isBelow, realPlace } from '@dbmole/core/paths';
import { isSqliteFile } from '../engines/sqlite/process/file-header.ts';

interface SearchOptions {
  /** The folders where a relative path may begin. */
  bases: readonly string[];
  /** The folder whose project it has to be in. */
  cwd: string;
  home: string;
  /** The user named it, and no file of a project. */
  isOwn?: boolean;
}

/**
 * The path of a database that a file of a project names, or why it is not offered. The project may have been cloned: a path that leads out of
 * it could be one of the user's own databases, which only the user may name.
 */
export function findDatabase(named: string, { bases, cwd, home, isOwn = false }: SearchOptions): { file: string } | string {
  const file = bases.map((base) => resolve(base, named)).find(isRegular);
  if (file === undefined) return 'it names a file that is not there';
  const project = findProjectFolder(realPlace(cwd), ['.git', '.dbmole.json']) ?? cwd;
  const folders = holdsHome(project, home) ? [cwd] : [cwd, project];
  const isInside = folders.some((folder) => isBelow(relative(realPlace(folder), realPlace(file))));
  if (!isInside && !isOwn) return 'it names a file outside of the project; add it with "connections add" if you trust it';
  return isDatabase(file) ? { file } : 'it names a file that is no SQLite database';
}

function isRegular(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** Whether it begins like a database; false for what cannot be read. */
export function isDatabase(file: string): boolean {
  try {
    return isSqliteFile(file);
  } catch {
    return false;
  }
}
