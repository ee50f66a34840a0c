import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Folder {
  readonly path: string;
  /** A path inside. */
  at(...parts: string[]): string;
}

export interface TempFolder extends Folder, Disposable {}

/** A folder of its own for one test. */
export function createTempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'mole-')));
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  return { path, at: (...parts) => join(path, ...parts), [Symbol.dispose]: remove };
}
