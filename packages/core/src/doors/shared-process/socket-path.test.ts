import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../testing/use-temp-folder.ts';
import {
  describeForeign,
  formatSocket,
  keyLength,
  listPlaces,
  type Machine,
  openSocketFolder,
  refusePlace,
} from './socket-path.ts';

const folder = useTempFolder();
const key = 'a'.repeat(keyLength);

function machine(part: Partial<Machine> = {}): Machine {
  const home = folder.at('home');
  return { env: {}, home, platform: 'linux', uid: process.getuid?.(), temporary: folder.at('tmp'), ...part };
}

const options = { app: 'dbmole', root: '/somewhere/else' };

function makeFolder(name: string, mode = 0o700): string {
  const path = folder.at(name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
}

describe('openSocketFolder', () => {
  it('takes the runtime folder of the session', () => {
    const runtime = makeFolder('run');
    expect(openSocketFolder(options, machine({ env: { XDG_RUNTIME_DIR: runtime } }))).toBe(join(runtime, 'dbmole'));
  });

  it.each([
    ['is open to others', (): string => makeFolder('run', 0o755)],
    ['does not exist', (): string => folder.at('none')],
    ['is a relative path', (): string => 'run'],
    [
      'is a link',
      (): string => {
        symlinkSync(makeFolder('real'), folder.at('link'));
        return folder.at('link');
      },
    ],
  ])('takes the cache when the runtime folder %s', (_, make) => {
    const env = { XDG_RUNTIME_DIR: make() };
    expect(openSocketFolder(options, machine({ env }))).toBe(folder.at('home/.cache/dbmole/shared'));
  });

  it('takes no folder of another user', () => {
    const other = machine({ env: { XDG_RUNTIME_DIR: makeFolder('run') }, uid: 4_711 });
    expect(() => openSocketFolder(options, other)).toThrow('belongs to another user');
  });

  it('does not use a folder of its own that others can enter', () => {
    makeFolder('home/.cache/dbmole/shared', 0o770);
    expect(openSocketFolder(options, machine())).toBe(folder.at(`tmp/dbmole-${process.getuid?.()}`));
  });

  it('takes the folder for temporary files when the cache is inside of the repository', () => {
    const place = machine({ env: { XDG_CACHE_HOME: folder.at('repo/cache') } });
    expect(openSocketFolder({ ...options, root: folder.at('repo') }, place)).toContain('/tmp/dbmole-');
  });

  it('uses the cache when the working directory is the home folder or above it', () => {
    for (const root of [folder.at('home'), '/'])
      expect(openSocketFolder({ ...options, root }, machine())).toBe(folder.at('home/.cache/dbmole/shared'));
  });

  it('says of each place why it cannot be used', () => {
    writeFileSync(folder.at('tmp'), '');
    const place = machine({ env: { XDG_CACHE_HOME: folder.at('x'.repeat(100)) } });
    expect(() => openSocketFolder(options, place)).toThrow(/too long a path.*; .*tmp\/dbmole-.* cannot be read/);
  });
});

describe('refusePlace', () => {
  it('allows a path of 100 bytes and no more', () => {
    const longest = `/${'x'.repeat(100 - 1 - '/.sock'.length - keyLength)}`;
    expect(Buffer.byteLength(formatSocket(longest, key, { app: 'dbmole', platform: 'linux' }))).toBe(100);
    expect(refusePlace(longest, options, machine())).toBeUndefined();
    expect(refusePlace(`${longest}x`, options, machine())).toContain('too long');
    expect(refusePlace(`/${'ä'.repeat(50)}`, options, machine())).toContain('too long');
  });

  it('refuses drives of Windows that are mounted into Linux', () => {
    expect(refusePlace('/mnt/c/Users/me/.cache/dbmole/shared', options, machine())).toContain('drive of another system');
  });
});

describe('describeForeign', () => {
  it('finds nothing wrong with a socket that is not there, in a private folder', () => {
    expect(describeForeign(join(makeFolder('own'), 'x.sock'), machine())).toBeUndefined();
  });

  it('refuses a file, and any socket in an open folder', () => {
    writeFileSync(join(makeFolder('own'), 'x.sock'), '');
    expect(describeForeign(folder.at('own/x.sock'), machine())).toContain('is not a socket');
    expect(describeForeign(join(makeFolder('open', 0o777), 'x.sock'), machine())).toContain('open to other users');
  });
});

describe('on Windows', () => {
  const windows: Machine = { env: {}, platform: 'win32', uid: undefined, home: 'C:\\Users\\me', temporary: 'C:\\Temp' };

  it('has locks in the local profile and a pipe for the socket', () => {
    expect(listPlaces(options, windows)).toEqual(['C:\\Users\\me\\AppData\\Local\\dbmole\\shared']);
    const moved = { ...windows, env: { LOCALAPPDATA: 'D:\\local' } };
    expect(listPlaces(options, moved)).toEqual(['D:\\local\\dbmole\\shared']);
    const pipe = formatSocket('C:\\x', key, { app: 'dbmole', platform: 'win32' });
    expect(pipe).toBe(`\\\\.\\pipe\\dbmole-${key}`);
  });

  it('has no limit for the path and no modes to check', () => {
    expect(refusePlace(`C:\\${'x'.repeat(200)}`, options, windows)).toBeUndefined();
    expect(describeForeign('\\\\.\\pipe\\dbmole-x', windows)).toBeUndefined();
  });
});
