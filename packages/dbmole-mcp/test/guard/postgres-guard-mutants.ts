import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { createChecker } from '../../src/engines/postgres/guard/checker.ts';

/** A defect: this text of a file of the guard becomes another. */
export interface Mutation {
  readonly file: string;
  readonly text: string;
  readonly becomes: string;
}

export interface MutantFactory {
  /** The guard with the defect; undefined: as it is. */
  create(mutation: Mutation | undefined): Promise<typeof createChecker>;
  dispose(): Promise<void>;
}

const source = fileURLToPath(new URL('../../src', import.meta.url));
/** Ignored by git, and beside the packages that the copy imports. */
const cache = fileURLToPath(new URL('../../.cache', import.meta.url));

/** Copies of the guard, side by side in one copy of the source. */
export async function createMutantFactory(): Promise<MutantFactory> {
  await mkdir(cache, { recursive: true });
  const root = await mkdtemp(join(cache, 'guard-mutants-'));
  await cp(source, root, { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  const engine = join(root, 'engines/postgres');
  let count = 0;
  return {
    async create(mutation) {
      const folder = join(engine, `guard-${count++}`);
      await cp(join(engine, 'guard'), folder, { recursive: true });
      if (mutation !== undefined) await mutate(join(folder, mutation.file), mutation);
      const module = (await import(join(folder, 'checker.ts'))) as { createChecker: typeof createChecker };
      return module.createChecker;
    },
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}

async function mutate(path: string, { file, text, becomes }: Mutation): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(text);
  if (parts.length !== 2) throw new Error(`the code changed; update the mutation: ${file} has ${parts.length - 1} times ${text}`);
  await writeFile(path, parts.join(becomes));
}
