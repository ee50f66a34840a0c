import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CheckStatement } from './mysql-fuzz.ts';

/** One defect in our reading of the text: a place in the source, and what stands there instead. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Where the defect shows: a mode of all engines, or of MariaDB. */
  readonly mode: string;
  readonly engine?: 'mariadb1011';
  /** The cases that the guard takes for reads then; where there are none, the fuzzer has to find it. */
  readonly cases?: readonly string[];
}

const source = fileURLToPath(new URL('../../src/engines/mysql/guard/', import.meta.url));

/** The guard with the defect, from a copy of its source. Fails when the source is no longer what the defect was made for. */
export async function openMutant(mutant: Mutant): Promise<{ check: CheckStatement; dispose(): void }> {
  const root = mkdtempSync(join(tmpdir(), 'dbmole-mutant-'));
  const folder = join(root, 'guard');
  mkdirSync(folder);
  for (const file of readdirSync(source).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    cpSync(join(source, file), join(folder, file));
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), anchorImports(file === mutant.file ? applyMutant(text, mutant) : text));
  }
  const module: Record<string, unknown> = await import(pathToFileURL(join(folder, 'statement.ts')).href);
  const check = module.checkStatement;
  if (typeof check !== 'function') throw new Error('the guard has no checkStatement any more');
  return { check: (sql, mode) => Reflect.apply(check, undefined, [sql, mode]), dispose: () => rmSync(root, { recursive: true }) };
}

function applyMutant(text: string, { name, file, from, to }: Mutant): string {
  const found = text.split(from).length - 1;
  if (found === 1) return text.replace(from, () => to);
  throw new Error(`${name}: ${found} places in ${file} read ${JSON.stringify(from)}; make the defect anew`);
}

/** What is imported from outside of the folder stays where it is: the copy has the same failures as we have. */
function anchorImports(text: string): string {
  const core = fileURLToPath(new URL('../../../core/src/index.ts', import.meta.url));
  return text
    .replace(/from '(\.\.\/[^']+)'/g, (_, path: string) => `from '${fileURLToPath(new URL(path, pathToFileURL(source)))}'`)
    .replaceAll("from '@dbmole/core'", `from '${core}'`);
}
