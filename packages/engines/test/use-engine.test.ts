import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./fixtures/run-vitest.ts', import.meta.url));
let empty: string;

beforeAll(() => {
  empty = mkdtempSync(join(tmpdir(), 'dbmole-use-test-'));
});

afterAll(() => rmSync(empty, { recursive: true }));

interface Outcome {
  readonly code: number | null;
  readonly passed: number;
  readonly skipped: number;
  readonly failed: number;
  readonly stderr: string;
}

/** A whole test run of its own over the fixture. */
async function runFixture(env: NodeJS.ProcessEnv): Promise<Outcome> {
  const ours = { CI: '', DBMOLE_BROKER: '', DBMOLE_SKIPPED_FILE: '', DBMOLE_CONTAINERS: 'off' };
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    env: { ...process.env, ...ours, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  // The reporter's own form.
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Record<string, number>;
  const { numPassedTests = -1, numPendingTests = -1, numFailedTests = -1 } = report;
  return { code: child.exitCode, passed: numPassedTests, skipped: numPendingTests, failed: numFailedTests, stderr };
}

/** No npm and an empty cache: there is no way to this engine. */
const without = () => ({ PATH: '/nonexistent', DBMOLE_CACHE: empty });

describe('useEngine', () => {
  it('runs the tests, and one shared engine for all who ask', async () => {
    expect(await runFixture({})).toMatchObject({ code: 0, passed: 4, skipped: 0, failed: 0 });
  });

  it('skips tests and hooks on a laptop that cannot have the engine, and names them at the end', async () => {
    const outcome = await runFixture(without());
    expect(outcome).toMatchObject({ code: 0, passed: 1, skipped: 3, failed: 0 });
    const { stderr } = outcome;
    expect(stderr).toMatch(/skipped for want of an engine \(2\):/);
    expect(stderr).toMatch(
      /postgres18: 2 tests skipped in .*use-engine\.fixture\.ts > private: PostgreSQL 18: npm is not on the PATH/,
    );
    expect(stderr).toMatch(/postgres18: 1 test skipped in .*use-engine\.fixture\.ts > shared/);
  });

  it('fails in CI', async () => {
    const outcome = await runFixture({ ...without(), CI: 'true' });
    expect(outcome.code).toBe(1);
    expect(outcome.passed).toBe(1);
  });
});
