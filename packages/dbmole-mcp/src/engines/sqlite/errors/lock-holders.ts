import { readFileSync, statSync } from 'node:fs';

const maxShown = 3;

/** Who holds a lock on the file, for the error of one that is locked; empty where nothing is known. */
export function describeHolders(file: string): string {
  const holders = listHolders(file) ?? [];
  return holders.length === 0 ? '' : ` (locked by ${holders.slice(0, maxShown).join(', ')})`;
}

/** The processes that hold a lock on the file: `python3, process 4711`. Undefined where the system does not tell, as only Linux does. */
export function listHolders(file: string): string[] | undefined {
  try {
    const paths = [file, `${file}-shm`];
    const inodes = new Set(paths.flatMap((path) => statSync(path, { throwIfNoEntry: false })?.ino ?? []).map(String));
    const ids = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, id = '', inode = ''] = /^\d+: \S+ +\S+ +\S+ (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? [];
        return inodes.has(inode) ? [id] : [];
      });
    return [...new Set(ids)].map((id) => `${readName(id)}, process ${id}`);
  } catch {
    return undefined;
  }
}

function readName(id: string): string {
  try {
    return readFileSync(`/proc/${id}/comm`, 'utf8').trim();
  } catch {
    return 'a program';
  }
}
