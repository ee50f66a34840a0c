import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cacheFolder, openCache } from './demo-engine.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dbmole-cache-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('where the cache is', () => {
  const home = '/home/ada';
  it.each([
    [{ XDG_CACHE_HOME: '/fast' }, false, '/fast/dbmole'],
    [{ XDG_CACHE_HOME: '/fast' }, true, '/fast/dbmole'],
    [{ XDG_CACHE_HOME: 'relative' }, false, '/home/ada/.cache/dbmole'],
    [{}, false, '/home/ada/.cache/dbmole'],
    // Root's home is closed to the user who runs the engine then.
    [{}, true, '/var/cache/dbmole'],
  ])('%j, root: %s', (env, root, folder) => {
    expect(cacheFolder({ env, home, root })).toBe(folder);
  });

  it('is created when it is missing', async () => {
    const folder = join(temporaryFolder(), 'a', 'dbmole');
    await openCache(folder, false);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('can be entered by the user who runs the engine, whatever mask root has', async () => {
    const folder = join(temporaryFolder(), 'a', 'b', 'dbmole');
    const mask = process.umask(0o077);
    onTestFinished(() => void process.umask(mask));
    await openCache(folder, true);
    expect(statSync(folder).mode & 0o777).toBe(0o755);
  });

  it('says so when it cannot be made', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(openCache(join(file, 'dbmole'), false)).rejects.toMatchObject({
      code: 'E_DEMO_CACHE',
      hint: expect.stringContaining('XDG_CACHE_HOME'),
    });
  });

  it('is not used as root where the user who runs the engine cannot enter', async () => {
    const closed = join(temporaryFolder(), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    await expect(openCache(join(closed, 'dbmole'), true)).rejects.toMatchObject({
      code: 'E_DEMO_CACHE',
      message: expect.stringContaining(`may not enter ${closed}`),
    });
  });
});
