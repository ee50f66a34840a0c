import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { useNode } from '@dbmole/engines';
import { afterAll, beforeAll } from 'vitest';

/** The lines of Node whose SQLite is promised to work. */
export const nodeLines = [22, 24] as const;

/** Opens files in this line of Node while the tests of the describe run, as `DBMOLE_NODE` does for people. */
export function useSqlite(line: (typeof nodeLines)[number]): () => string {
  const node = useNode(line);
  const { DBMOLE_NODE: before } = process.env;
  beforeAll(() => {
    process.env.DBMOLE_NODE = node();
  });
  afterAll(() => {
    if (before === undefined) delete process.env.DBMOLE_NODE;
    else process.env.DBMOLE_NODE = before;
  });
  return node;
}

const writer = `process.removeAllListeners('warning');
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
for (const { file, sql } of JSON.parse(require('node:fs').readFileSync(0, 'utf8'))) {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}`;

/** Runs statements on files without any of our code, and creates them. */
export function runSqlAll(node: string, jobs: readonly { file: string; sql: string }[]): void {
  execFileSync(node, ['-e', writer], { input: JSON.stringify(jobs) });
}

export function runSql(node: string, file: string, sql: string): void {
  runSqlAll(node, [{ file, sql }]);
}

const reader = `process.removeAllListeners('warning');
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const db = new DatabaseSync(process.argv[1], { readOnly: true });
console.log(JSON.stringify(db.prepare(process.argv[2]).all()));`;

export function readSql(node: string, file: string, sql: string): Record<string, unknown>[] {
  return JSON.parse(execFileSync(node, ['-e', reader, file, sql], { encoding: 'utf8' }));
}

/** All files of a folder, with their contents, sizes and times. */
export function fingerprint(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex');
      return `${name} ${size} ${mtimeMs} ${hash}`;
    });
}
