import type { RuleEntry } from '../../../ddl/rule-table.ts';

export type LockMode =
  | 'ACCESS SHARE'
  | 'ROW SHARE'
  | 'ROW EXCLUSIVE'
  | 'SHARE UPDATE EXCLUSIVE'
  | 'SHARE'
  | 'SHARE ROW EXCLUSIVE'
  | 'EXCLUSIVE'
  | 'ACCESS EXCLUSIVE';

/** The lock modes, weakest first: what each blocks, and the modes that it conflicts with, by their places in this list. */
export const lockModes: Readonly<Record<LockMode, { blocks: string; conflicts: readonly LockMode[] }>> = {
  'ACCESS SHARE': { blocks: 'blocks only ACCESS EXCLUSIVE', conflicts: ['ACCESS EXCLUSIVE'] },
  'ROW SHARE': { blocks: 'blocks neither reads nor writes', conflicts: ['EXCLUSIVE', 'ACCESS EXCLUSIVE'] },
  'ROW EXCLUSIVE': {
    blocks: 'blocks neither reads nor writes',
    conflicts: ['SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  },
  'SHARE UPDATE EXCLUSIVE': {
    blocks: 'blocks neither reads nor writes, only VACUUM and other DDL',
    conflicts: ['SHARE UPDATE EXCLUSIVE', 'SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  },
  SHARE: {
    blocks: 'blocks writes, not reads',
    conflicts: ['ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  },
  'SHARE ROW EXCLUSIVE': {
    blocks: 'blocks writes, not reads',
    conflicts: ['ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'SHARE', 'SHARE ROW EXCLUSIVE', 'EXCLUSIVE', 'ACCESS EXCLUSIVE'],
  },
  EXCLUSIVE: {
    blocks: 'blocks writes and SELECT … FOR UPDATE, not plain reads',
    conflicts: [
      'ROW SHARE',
      'ROW EXCLUSIVE',
      'SHARE UPDATE EXCLUSIVE',
      'SHARE',
      'SHARE ROW EXCLUSIVE',
      'EXCLUSIVE',
      'ACCESS EXCLUSIVE',
    ],
  },
  'ACCESS EXCLUSIVE': {
    blocks: 'blocks reads and writes',
    conflicts: [
      'ACCESS SHARE',
      'ROW SHARE',
      'ROW EXCLUSIVE',
      'SHARE UPDATE EXCLUSIVE',
      'SHARE',
      'SHARE ROW EXCLUSIVE',
      'EXCLUSIVE',
      'ACCESS EXCLUSIVE',
    ],
  },
};

export const works = {
  catalog: 'changes the catalog only; the table is neither rewritten nor scanned',
  scan: 'scans the whole table; nothing is rewritten',
  rewrite: 'rewrites the whole table and all of its indexes',
  index: 'reads the whole table and builds an index; the table is not rewritten',
  reindex: 'reads the whole table and builds the index again',
  twice: 'reads the whole table twice and waits for older transactions; the table is not rewritten',
  copy: 'copies the files of the table, not its indexes; no row is changed',
  empty: 'replaces the files of the table and its indexes by empty ones',
  drop: 'removes the files when it commits',
  vacuum: 'reads what has changed since the last time; pages stay where they are',
  query: 'runs the query and writes its result into a new table',
  refresh: 'runs the query and replaces the whole content',
  diff: 'runs the query, compares, and changes the rows that differ',
} as const;

type Work = keyof typeof works;

function isLockMode(text: string): text is LockMode {
  return text in lockModes;
}

function isWork(text: string): text is Work {
  return text in works;
}

/** A rule for one version. */
interface Rule {
  /** Undefined: no table is locked. */
  lock: LockMode | undefined;
  otherLock: LockMode | undefined;
  work: Work;
}

/** The last case that has begun with this version; undefined where the version has no such action. */
export function findRule({ cases }: RuleEntry, version: number): Rule | undefined {
  const found = cases.findLast(({ name }) => Number(name) <= Math.max(version, 14));
  if (found === undefined) return undefined;
  const [lock = '', other = '', work = ''] = found.value.split(' | ');
  if (!isWork(work)) return undefined;
  return { lock: isLockMode(lock) ? lock : undefined, otherLock: isLockMode(other) ? other : undefined, work };
}
