import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { thisProcess } from '@dbmole/core/process-identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cachedFolder, createWorkFolder, sweepCache, sweepFolders } from './work-folder.ts';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'local-engine-test-'));
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe('cachedFolder', () => {
  it('fills a folder on first use and finds it afterwards', async () => {
    let fills = 0;
    const open = () =>
      cachedFolder(parent, 'thing', async ({ content }) => {
        fills += 1;
        writeFileSync(join(content, 'file'), 'made');
      });
    const path = await open();
    expect(await open()).toBe(path);
    expect(fills).toBe(1);
    expect(readFileSync(join(path, 'file'), 'utf8')).toBe('made');
    expect(readdirSync(parent)).toEqual(['thing']);
  });

  it('leaves nothing when filling fails, and fills it the next time', async () => {
    const failing = cachedFolder(parent, 'thing', async ({ content }) => {
      writeFileSync(join(content, 'file'), 'half');
      throw new Error('the network went away');
    });
    await expect(failing).rejects.toThrow('the network went away');
    expect(readdirSync(parent)).toEqual([]);
    await cachedFolder(parent, 'thing', async () => undefined);
    expect(readdirSync(parent)).toEqual(['thing']);
  });

  it('keeps one whole folder when two processes fill it at the same time', async () => {
    const fill = (text: string) =>
      cachedFolder(parent, 'thing', async ({ content }) => {
        for (const file of ['a', 'b']) writeFileSync(join(content, file), text);
        await sleep(20);
      });
    const [one, two] = await Promise.all([fill('one'), fill('two')]);
    expect(one).toBe(two);
    expect(readFileSync(join(one, 'a'), 'utf8')).toBe(readFileSync(join(one, 'b'), 'utf8'));
    expect(readdirSync(parent)).toEqual(['thing']);
  });
});

const deadPid = () => spawnSync('true').pid;
const dead = () => ({ ...thisProcess(), pid: deadPid() });

function makeFolder(name: string, owner?: object): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  if (owner !== undefined) writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
  return folder;
}

describe('sweepFolders', () => {
  it('removes the folder of an owner that is gone, or whose process id was reused', async () => {
    makeFolder('engine-a', dead());
    makeFolder('engine-b', { ...thisProcess(), start: '1' });
    makeFolder('engine-c', { ...thisProcess(), boot: 'before the restart' });
    utimesSync(makeFolder('engine-d'), 0, 0);
    expect(await sweepFolders(parent, 'engine-')).toBe(4);
    expect(readdirSync(parent)).toEqual([]);
  });

  it('keeps what is in use, what is being created, and what another machine or container may own', async () => {
    makeFolder('engine-a', thisProcess());
    makeFolder('engine-b');
    makeFolder('engine-c', { ...dead(), namespace: 'pid:[1]' });
    makeFolder('engine-d', { ...dead(), host: 'elsewhere' });
    makeFolder('something-else', dead());
    expect(await sweepFolders(parent, 'engine-')).toBe(0);
    expect(readdirSync(parent)).toHaveLength(5);
  });

  it('keeps the work folders of this process in a cache', async () => {
    const { path } = await createWorkFolder(parent);
    expect(await sweepCache(parent)).toBe(0);
    expect(existsSync(path)).toBe(true);
    writeFileSync(join(path, 'owner.json'), JSON.stringify(dead()));
    expect(await sweepCache(parent)).toBe(1);
  });

  it('ends the server that was left there', async () => {
    const folder = makeFolder('engine-a', dead());
    const server = spawn('sh', ['-c', 'while true; do sleep 0.1; done', folder], { detached: true, stdio: 'ignore' });
    writeFileSync(join(folder, 'engine.pid'), String(server.pid));
    const [, signal] = await Promise.all([sweepFolders(parent, 'engine-'), once(server, 'exit').then(([, name]) => name)]);
    expect(signal).toBe('SIGKILL');
  });

  it('does not end another program that has the process id now', async () => {
    const folder = makeFolder('engine-a', dead());
    const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    writeFileSync(join(folder, 'engine.pid'), String(other.pid));
    await sweepFolders(parent, 'engine-');
    expect(existsSync(folder)).toBe(false);
    expect(other.exitCode ?? other.signalCode).toBeNull();
    other.kill();
  });
});
