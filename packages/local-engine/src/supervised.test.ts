import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '@dbmole/core/process-identity';
import { describe, expect, it } from 'vitest';
import { giveToEngineUser } from './engine-user.ts';
import { type LaunchPlan, runSupervised, supervise } from './supervised.ts';

async function planFor(script: string, more: Partial<LaunchPlan> = {}): Promise<LaunchPlan> {
  const directory = mkdtempSync(join(tmpdir(), 'local-engine-test-'));
  await giveToEngineUser(directory);
  const place = { cwd: directory, directory, log: join(directory, 'log'), env: { PATH: process.env.PATH ?? '' } };
  return { command: 'sh', args: ['-c', script], stopSignal: 'SIGTERM', stopWithin: 500, ...place, ...more };
}

async function waitForLog(plan: LaunchPlan, text: string): Promise<void> {
  while (!(existsSync(plan.log) && readFileSync(plan.log, 'utf8').includes(text))) await sleep(10);
}

describe('supervise', () => {
  it('runs the server with its output in the log, and at the end removes everything', async () => {
    const plan = await planFor('echo hello; exec sleep 60');
    const server = await supervise(plan);
    await waitForLog(plan, 'hello');
    const { pid = 0 } = server;
    expect(isProcessAlive(pid)).toBe(true);
    await server.stop();
    expect(server.pid).toBeUndefined();
    expect(isProcessAlive(pid)).toBe(false);
    expect(existsSync(plan.directory)).toBe(false);
  });

  it('starts it again after a kill, in the same directory', async () => {
    const plan = await planFor('echo run >> runs; echo up; exec sleep 60');
    const server = await supervise(plan);
    await waitForLog(plan, 'up');
    const first = server.pid;
    const gone = server.waitForExit();
    server.signal('SIGKILL');
    await gone;
    expect(server.pid).toBeUndefined();
    await server.start();
    await waitForLog(plan, 'up\nup');
    expect(server.pid).not.toBe(first);
    expect(readFileSync(join(plan.directory, 'runs'), 'utf8')).toBe('run\nrun\n');
    await server.stop();
  });

  it('kills a server that does not heed the stop signal', async () => {
    const plan = await planFor("trap '' TERM; echo up; while true; do sleep 0.1; done");
    const server = await supervise(plan);
    await waitForLog(plan, 'up');
    const { pid = 0 } = server;
    await server.stop();
    expect(isProcessAlive(pid)).toBe(false);
  });

  it('ends what the server has started, even in sessions of their own', async () => {
    const plan = await planFor('setsid sh -c "echo child \\$\\$; exec sleep 60" & exec sleep 60');
    const server = await supervise(plan);
    await waitForLog(plan, 'child');
    const child = Number(/child (\d+)/.exec(readFileSync(plan.log, 'utf8'))?.[1]);
    expect(isProcessAlive(child)).toBe(true);
    await server.stop();
    await expect.poll(() => isProcessAlive(child)).toBe(false);
  });

  it('can end the children alone', async () => {
    const plan = await planFor('sleep 60 & echo up; wait; exec sleep 60');
    const server = await supervise(plan);
    await waitForLog(plan, 'up');
    expect(await server.killChildren()).toBe(1);
    expect(server.pid).toBeDefined();
    await server.stop();
  });

  it('says why a program cannot be started', async () => {
    const plan = await planFor('', { command: '/nonexistent/server' });
    await expect(supervise(plan)).rejects.toThrow(/ENOENT/);
    expect(existsSync(plan.directory)).toBe(false);
  });
});

describe('runSupervised', () => {
  it('returns nothing for a success, else the end of what was printed, and keeps the directory', async () => {
    const plan = await planFor('cat; echo done');
    writeFileSync(join(plan.directory, 'input'), 'given\n');
    expect(await runSupervised({ ...plan, input: join(plan.directory, 'input') }, {})).toBeUndefined();
    expect(readFileSync(plan.log, 'utf8')).toBe('given\ndone\n');
    expect(await runSupervised({ ...plan, args: ['-c', 'echo broken; exit 3'] }, {})).toMatch(/broken$/);
    expect(await runSupervised({ ...plan, command: '/nonexistent/program' }, {})).toMatch(/ENOENT/);
    expect(existsSync(plan.directory)).toBe(true);
    rmSync(plan.directory, { recursive: true });
  });

  it('ends the program and removes its directory when it is aborted', async () => {
    const plan = await planFor('echo up; exec sleep 60');
    const controller = new AbortController();
    const run = runSupervised(plan, { signal: controller.signal });
    await waitForLog(plan, 'up');
    const pid = Number(readFileSync(join(plan.directory, 'engine.pid'), 'utf8'));
    controller.abort(new Error('not needed'));
    await expect(run).rejects.toThrow('not needed');
    await expect.poll(() => isProcessAlive(pid)).toBe(false);
    await expect.poll(() => existsSync(plan.directory)).toBe(false);
  });
});
