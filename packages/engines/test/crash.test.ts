import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isProcessAlive } from '@dbmole/core/process-identity';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepareEngines } from '../src/index.ts';
import { findTraces } from './traces.ts';

const fixture = fileURLToPath(new URL('./fixtures/start-and-leave.ts', import.meta.url));
const within = { timeout: 15_000, interval: 50 };

interface Left {
  readonly runner: ChildProcessByStdio<null, Readable, null>;
  readonly directory: string;
  readonly pid: number;
}

async function startRunner(...args: string[]): Promise<Left> {
  const runner = spawn(process.execPath, ['--import', 'tsx', fixture, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: runner.stdout }), 'line');
  // The fixture writes one line of this form.
  return { runner, ...(JSON.parse(String(line)) as { directory: string; pid: number }) };
}

beforeAll(async () => {
  const problems = await prepareEngines(['postgres18']);
  expect([...problems]).toEqual([]);
});

describe('an engine whose user is gone', () => {
  it('ends, and leaves nothing, when the user was killed', async () => {
    const { runner, directory, pid } = await startRunner();
    expect(isProcessAlive(pid)).toBe(true);
    runner.kill('SIGKILL');
    await expect.poll(() => isProcessAlive(pid), within).toBe(false);
    await expect.poll(() => findTraces(directory), within).toEqual([]);
  });

  it('ends when the user forgot to stop it, and does not keep him', async () => {
    const { runner, directory, pid } = await startRunner('exit');
    if (runner.exitCode === null) await once(runner, 'exit');
    expect(runner.exitCode).toBe(0);
    await expect.poll(() => isProcessAlive(pid), within).toBe(false);
    await expect.poll(() => findTraces(directory), within).toEqual([]);
  });
});
