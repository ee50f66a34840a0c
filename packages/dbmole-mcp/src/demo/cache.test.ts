import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Cache, cached, cacheFolder, createWorkFolder, isWorkFolder, openCache } from './cache.ts';
import { removeLeftovers } from './leftovers.ts';

const isRoot = process.getuid?.() === 0;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dbmole-cache-'));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const openTemporary = (): Promise<Cache> => openCache(join(temporaryFolder(), 'dbmole'), isRoot);

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

  it('is made when it is not there', async () => {
    const folder = join(temporaryFolder(), 'a', 'dbmole');
    expect(await openCache(folder, false)).toEqual({ folder, user: undefined });
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('can be entered by the user who runs the engine, whatever mask root has', async () => {
    const folder = join(temporaryFolder(), 'a', 'b', 'dbmole');
    const mask = process.umask(0o077);
    onTestFinished(() => void process.umask(mask));
    expect((await openCache(folder, true)).user).toEqual({ uid: 65534, gid: 65534 });
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

describe('what is made once', () => {
  it('is made at the first use and found at the next', async () => {
    const cache = await openTemporary();
    let times = 0;
    const open = () =>
      cached(cache, 'thing', async ({ content }) => {
        times += 1;
        writeFileSync(join(content, 'file'), 'made');
      });
    const path = await open();
    expect(await open()).toBe(path);
    expect(times).toBe(1);
    expect(readFileSync(join(path, 'file'), 'utf8')).toBe('made');
    expect(readdirSync(cache.folder)).toEqual(['thing']);
  });

  it('leaves nothing when it fails half way, and is made by the next', async () => {
    const cache = await openTemporary();
    const failing = cached(cache, 'thing', async ({ content }) => {
      writeFileSync(join(content, 'file'), 'half');
      throw new Error('the network went away');
    });
    await expect(failing).rejects.toThrow('the network went away');
    expect(readdirSync(cache.folder)).toEqual([]);
    await cached(cache, 'thing', async () => undefined);
    expect(readdirSync(cache.folder)).toEqual(['thing']);
  });

  it('may be made by two at once: one of them counts, whole', async () => {
    const cache = await openTemporary();
    const fill = (text: string) =>
      cached(cache, 'thing', async ({ content }) => {
        for (const file of ['a', 'b']) writeFileSync(join(content, file), text);
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
    const [one, two] = await Promise.all([fill('one'), fill('two')]);
    expect(one).toBe(two);
    expect(readFileSync(join(one, 'a'), 'utf8')).toBe(readFileSync(join(one, 'b'), 'utf8'));
    expect(readdirSync(cache.folder)).toEqual(['thing']);
  });
});

describe('what a killed server leaves', () => {
  /** A work folder whose owner is a process that ends. */
  async function abandon(cache: Cache): Promise<string> {
    const { path } = await createWorkFolder(cache);
    const owner = JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8')) as { pid: number };
    const child = spawn(process.execPath, ['-e', '']);
    const { pid } = child;
    await once(child, 'exit');
    writeFileSync(join(path, 'owner.json'), JSON.stringify({ ...owner, pid }));
    return path;
  }

  it('is removed, and what belongs to the living or to nobody yet is not', async () => {
    const cache = await openTemporary();
    const [mine, dead] = [await createWorkFolder(cache), await abandon(cache)];
    mkdirSync(join(cache.folder, 'work-being-made'));
    mkdirSync(join(cache.folder, 'postgres-1'));
    expect(await removeLeftovers(cache.folder, isWorkFolder)).toBe(1);
    expect(existsSync(dead)).toBe(false);
    expect(existsSync(mine.path)).toBe(true);
    expect(readdirSync(cache.folder)).toHaveLength(3);
  });

  it('is told by the time of its start from another process with the same id', async () => {
    const cache = await openTemporary();
    const { path } = await createWorkFolder(cache);
    const owner = JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8')) as object;
    writeFileSync(join(path, 'owner.json'), JSON.stringify({ ...owner, start: 'long ago' }));
    expect(await removeLeftovers(cache.folder, isWorkFolder)).toBe(1);
  });

  it('stays when another container may own it', async () => {
    const cache = await openTemporary();
    const path = await abandon(cache);
    const owner = JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8')) as object;
    writeFileSync(join(path, 'owner.json'), JSON.stringify({ ...owner, namespace: 'pid:[1]' }));
    expect(await removeLeftovers(cache.folder, isWorkFolder)).toBe(0);
    expect(existsSync(path)).toBe(true);
  });
});
