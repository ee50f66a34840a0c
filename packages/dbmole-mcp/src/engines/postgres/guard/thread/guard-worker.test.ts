import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What is imported for more than its types. */
const imports = /^import (?!type )[^;]*?from '([^']+)';/gm;

function findImports(file: URL, seen = new Map<string, URL>()): Map<string, URL> {
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
    const isOurs = name.startsWith('.');
    const found = isOurs ? new URL(name, file) : file;
    const key = isOurs ? found.href : name;
    if (seen.has(key)) continue;
    seen.set(key, found);
    if (isOurs) findImports(found, seen);
  }
  return seen;
}

it('loads nothing of the protocol into the thread of the guard, which would take 4 MB', () => {
  const found = findImports(new URL('guard-worker.ts', import.meta.url));
  expect(found.size).toBeGreaterThan(20);
  expect(found.get('@dbmole/core')?.pathname).toBeUndefined();
});
