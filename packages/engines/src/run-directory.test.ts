import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStartTime } from './process-table.ts';
import { createRunDirectory, sweep } from './run-directory.ts';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'dbmole-sweep-test-'));
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

function makeDirectory(name: string, owner?: string): string {
  const directory = join(parent, name);
  mkdirSync(directory);
  if (owner !== undefined) writeFileSync(join(directory, 'owner'), owner);
  return directory;
}

const deadPid = () => spawnSync('true').pid;

describe('sweep', () => {
  it('removes the directory of an owner that is gone, or whose process id is another’s now', async () => {
    const gone = makeDirectory('dbmole-engine-a', `${deadPid()} 1`);
    const reused = makeDirectory('dbmole-engine-b', `${process.pid} 1`);
    const forgotten = makeDirectory('dbmole-engine-c');
    utimesSync(forgotten, 0, 0);
    await sweep(parent);
    expect(existsSync(gone)).toBe(false);
    expect(existsSync(reused)).toBe(false);
    expect(existsSync(forgotten)).toBe(false);
  });

  it('leaves what is in use, what is being made, and what is not ours', async () => {
    const kept = [
      makeDirectory('dbmole-engine-a', `${process.pid} ${readStartTime(process.pid)}`),
      makeDirectory('dbmole-engine-b'),
      makeDirectory('something-else', `${deadPid()} 1`),
    ];
    await sweep(parent);
    expect(kept.filter((directory) => !existsSync(directory))).toEqual([]);
  });

  it('ends the server that was left there', async () => {
    const directory = makeDirectory('dbmole-engine-a', `${deadPid()} 1`);
    const server = spawn('sh', ['-c', 'while true; do sleep 0.1; done', directory], { detached: true, stdio: 'ignore' });
    writeFileSync(join(directory, 'engine.pid'), String(server.pid));
    const [, signal] = await Promise.all([sweep(parent), once(server, 'exit').then(([, name]) => name)]);
    expect(signal).toBe('SIGKILL');
  });

  it('does not end another program that has the process id now', async () => {
    const directory = makeDirectory('dbmole-engine-a', `${deadPid()} 1`);
    const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    writeFileSync(join(directory, 'engine.pid'), String(other.pid));
    await sweep(parent);
    expect(existsSync(directory)).toBe(false);
    expect(other.exitCode ?? other.signalCode).toBeNull();
    other.kill();
  });
});

it('makes a directory whose path leaves room for a socket', async () => {
  const directory = await createRunDirectory();
  expect(directory.length).toBeLessThanOrEqual(90);
  rmSync(directory, { recursive: true });
});
