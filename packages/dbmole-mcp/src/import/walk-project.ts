import { type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a project that say where its databases are, or are databases. */
interface ProjectFiles {
  files: readonly string[];
  /** There were more than were looked at. */
  isCut: boolean;
}

const maxEntries = 20_000;
const maxDepth = 8;
const maxFiles = 200;
const passedBy = /^(?:\..*|node_modules|__pycache__|venv|vendor)$/;

/** Walks through a folder, breadth first, because what matters lies near the top. No link is followed. */
export function walkProject(root: string, isWanted: (path: string) => boolean): ProjectFiles {
  const files: string[] = [];
  const folders = [{ path: root, depth: 0 }];
  let entries = 0;
  for (const { path, depth } of folders) {
    const inner = listEntries(path, maxEntries - entries);
    entries += inner.length;
    const kept = inner.filter(({ name }) => !passedBy.test(name));
    if (depth < maxDepth) folders.push(...listPaths(kept, path, 'isDirectory').map((one) => ({ path: one, depth: depth + 1 })));
    files.push(...listPaths(kept, path, 'isFile').filter(isWanted));
    if (entries >= maxEntries || files.length >= maxFiles) return { files: files.slice(0, maxFiles), isCut: true };
  }
  return { files, isCut: false };
}

function listPaths(entries: readonly Dirent[], folder: string, kind: 'isDirectory' | 'isFile'): string[] {
  return entries.filter((entry) => entry[kind]()).map(({ name }) => join(folder, name));
}

/** The first entries of a folder, none of one that cannot be read. */
function listEntries(path: string, most: number): Dirent[] {
  const entries: Dirent[] = [];
  try {
    const folder = opendirSync(path);
    try {
      for (let entry = folder.readSync(); entry !== null && entries.length < most; entry = folder.readSync()) entries.push(entry);
    } finally {
      folder.closeSync();
    }
  } catch {
    // It is gone, or belongs to another user.
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
