import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { engineIds } from './catalog.ts';
import { describeEngines } from './describe-engines.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dbmole-describe-test-'));
  vi.stubEnv('DBMOLE_CACHE', root);
  vi.stubEnv('DBMOLE_CONTAINERS', 'off');
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

it('names every engine once', async () => {
  expect((await describeEngines({})).map(({ id }) => id)).toEqual(engineIds);
});

it('says what is missing and what to do about it', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const reports = await describeEngines({});
  for (const [id, program] of [
    ['postgres18', 'npm'],
    ['mysql80', 'mvn'],
    ['elasticsearch9', 'mvn'],
  ]) {
    const report = reports.find((candidate) => candidate.id === id);
    expect(report?.available, id).toBe(false);
    expect(report?.reason).toContain(program);
    expect(report?.advice).toMatch(/\.$/);
  }
});

it('prefers an address from the environment, and does not show its password', async () => {
  const reports = await describeEngines({ DBMOLE_TEST_MYSQL97: 'mysql://root:Geheim-77@db.example:3307/' });
  const report = reports.find(({ id }) => id === 'mysql97');
  expect(report).toMatchObject({ available: true, reason: 'DBMOLE_TEST_MYSQL97 says db.example:3307' });
  expect(JSON.stringify(reports)).not.toContain('Geheim-77');
});
