/** Writes the pages of docs/ that are made from the code. `npm run docs`; a test says when they are out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../steps.ts';
import { errorsPage } from './errors-page.ts';

export const pages: Readonly<Record<string, () => string>> = {
  'docs/errors.md': errorsPage,
};

export function isCurrent(file: string): boolean {
  return readFileSync(join(root, file), 'utf8') === pages[file]?.();
}

if (process.argv[1]?.endsWith('generate.ts')) {
  for (const [file, make] of Object.entries(pages)) writeFileSync(join(root, file), make());
}
