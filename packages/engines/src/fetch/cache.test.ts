import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { thisProcess } from '@dbmole/core/process-identity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cached, cachePath, cacheRoot, isCached, withLock } from './cache.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dbmole-cache-test-'));
  process.env.DBMOLE_CACHE = root;
});

afterEach(() => {
  delete process.env.DBMOLE_CACHE;
  rmSync(root, { recursive: true, force: true });
});

describe('cacheRoot', () => {
  it('is what the environment says, else a place outside root’s closed home, else the user’s cache', () => {
    expect(cacheRoot({ DBMOLE_CACHE: '/x' }, true)).toBe('/x');
    expect(cacheRoot({ XDG_CACHE_HOME: '/c' }, true)).toBe('/var/tmp/dbmole-cache');
    expect(cacheRoot({ XDG_CACHE_HOME: '/c' }, false)).toBe('/c/dbmole');
    expect(cacheRoot({}, false)).toMatch(/\/\.cache\/dbmole$/);
  });
});

describe('cached', () => {
  const fillWith = (text: string) => async (directory: string) => {
    await sleep(50);
    writeFileSync(join(directory, 'file'), text);
  };

  it('fills once, however many ask at the same time', async () => {
    let fills = 0;
    const fill = async (directory: string) => {
      fills += 1;
      await fillWith('a')(directory);
    };
    const paths = await Promise.all([cached('x', fill), cached('x', fill), cached('x', fill)]);
    expect(new Set(paths)).toEqual(new Set([cachePath('x')]));
    expect(readFileSync(join(cachePath('x'), 'file'), 'utf8')).toBe('a');
    expect(fills).toBe(1);
    expect(readdirSync(root)).toEqual(['x']);
  });

  it('shows nothing until it is whole', async () => {
    const filling = cached('x', fillWith('a'));
    await sleep(20);
    expect(isCached('x')).toBe(false);
    await filling;
    expect(isCached('x')).toBe(true);
  });

  it('leaves nothing behind when filling fails, and tries again the next time', async () => {
    await expect(cached('x', () => Promise.reject(new Error('no network')))).rejects.toThrow('no network');
    expect(readdirSync(root)).toEqual([]);
    await cached('x', fillWith('b'));
    expect(isCached('x')).toBe(true);
  });

  it.runIf(process.getuid?.() === 0)('refuses a cache that belongs to someone else', async () => {
    spawnSync('chown', ['65534', root]);
    await expect(cached('x', fillWith('a'))).rejects.toThrow(/belongs to user 65534/);
  });
});

describe('withLock', () => {
  it('takes over the lock of a process that is gone', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(join(root, '.lock-x'), JSON.stringify({ ...thisProcess(), pid, nonce: 'a1', at: Date.now() }));
    expect(await withLock('x', async () => 'done')).toBe('done');
    expect(readdirSync(root)).toEqual([]);
  });
});
