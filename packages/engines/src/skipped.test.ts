import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { formatSkipped, readSkipped, recordSkipped, skippedVariable } from './skipped.ts';

const skipped = { engine: 'mysql80', where: 'a.test.ts > reads', tests: 3, reason: 'no\nnetwork' };

it('keeps one line for each group', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dbmole-skipped-test-'));
  vi.stubEnv(skippedVariable, join(directory, 'list'));
  recordSkipped(skipped);
  recordSkipped({ ...skipped, tests: 1 });
  expect(readSkipped(join(directory, 'list'))).toEqual([
    'mysql80: 3 tests skipped in a.test.ts > reads: no network',
    'mysql80: 1 test skipped in a.test.ts > reads: no network',
  ]);
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

it('needs no file', () => {
  vi.stubEnv(skippedVariable, undefined);
  expect(() => recordSkipped(skipped)).not.toThrow();
  expect(formatSkipped(skipped)).toContain('mysql80');
});
