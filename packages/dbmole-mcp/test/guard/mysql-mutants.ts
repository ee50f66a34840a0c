import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CheckStatement } from './mysql-fuzz.ts';

/** One defect in our reading of the text: a place in the source, and its replacement. */
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
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    const text = readFileSync(join(source, file), 'utf8');
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), anchorImports(file === mutant.file ? applyMutant(text, mutant) : text, file));
  }
  const module: Record<string, unknown> = await import(pathToFileURL(join(folder, 'text/statement.ts')).href);
  const check = module.checkStatement;
  if (typeof check !== 'function') throw new Error('the guard has no checkStatement any more');
  return { check: (sql, mode) => Reflect.apply(check, undefined, [sql, mode]), dispose: () => rmSync(root, { recursive: true }) };
}

function applyMutant(text: string, { name, file, from, to }: Mutant): string {
  const found = text.split(from).length - 1;
  if (found === 1) return text.replace(from, () => to);
  throw new Error(`${name}: ${found} places in ${file} read ${JSON.stringify(from)}; update the mutant`);
}

/** Imports from outside the guard keep pointing to the original, so that the copy throws the same class of failure. */
function anchorImports(text: string, file: string): string {
  const core = fileURLToPath(new URL('../../../core/src/index.ts', import.meta.url));
  return text
    .replace(/from '(\.[^']+)'/g, (statement, path: string) => {
      const target = join(dirname(join(source, file)), path);
      return target.startsWith(source) ? statement : `from '${target}'`;
    })
    .replaceAll("from '@dbmole/core'", `from '${core}'`);
}
