import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempFolder, type TempFolder } from '../src/testing/temp-folder.ts';

let folder: TempFolder;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder[Symbol.dispose]());

const script = fileURLToPath(new URL('./store-writer.ts', import.meta.url));
const writer = `"${process.execPath}" --import tsx "${script}"`;
/** What tsx would keep of its own for the next time is larger than the limits. */
const env = { ...process.env, TSX_DISABLE_CACHE: '1' };

interface Outcome {
  stored: string[];
  stderr: string;
  status: number | null;
}

/** Each connection that the writer adds has 500 characters and more. */
function run(program: string, args: readonly string[]): Outcome {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8', env });
  return { stored: stdout.split('\n').filter(Boolean), stderr, status };
}

function namesIn(path: string): string[] {
  return JSON.parse(readFileSync(path, 'utf8')).connections.map(({ name }: { name: string }) => name);
}

/** Runs a script that has a disk of its own at `disk`, of 64 kB, which is private to it and ends with it. */
function runOnDisk(commands: string): Outcome {
  mkdirSync(folder.at('disk'));
  mkdirSync(folder.at('kept'));
  const text = `disk="$0/disk"; mount -t tmpfs -o size=64k tmpfs "$disk" || exit 77
    ${commands}
    cp -r "$disk/." "$0/kept"; exit $status`;
  return run('unshare', ['-rm', 'sh', '-c', text, folder.path]);
}

/** A container may forbid it. */
const mayMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0;

describe.skipIf(!mayMount)('#48 a disk of its own, where this machine lets us mount one, that', () => {
  const kept = (name: string) => folder.at('kept', name);
  const left = () => readdirSync(folder.at('kept')).filter((file) => !/^(connections\.json(\.bak)?|filler)$/.test(file));

  it('gets full: all that was stored is kept, and a change is possible again when there is room', () => {
    const { stored, stderr, status } = runOnDisk(`
      head -c 20000 /dev/zero > "$disk/filler"
      ${writer} "$disk/connections.json" x 200
      status=$?
      rm "$disk/filler"
      ${writer} "$disk/connections.json" again 1`);
    expect(status).not.toBe(0);
    expect(stored.length).toBeGreaterThan(10);
    expect(stored.length).toBeLessThan(130);
    expect(stderr).toContain('E_STORE_WRITE');
    expect(stderr).toContain('(ENOSPC)');
    expect(stderr).toContain('Free some space on the disk');
    expect(stored.at(-1)).toBe('again-0');
    expect(namesIn(kept('connections.json'))).toEqual(stored);
    expect(left()).toEqual([]);
  });

  it('others have filled to the last byte: not even a lock can be had, and nothing is lost', () => {
    const { stored, stderr, status } = runOnDisk(`
      ${writer} "$disk/connections.json" x 3
      dd if=/dev/zero of="$disk/filler" bs=512 2>/dev/null
      ${writer} "$disk/connections.json" y 1
      status=$?`);
    expect(status).not.toBe(0);
    expect(stored).toEqual(['x-0', 'x-1', 'x-2']);
    expect(stderr).toContain('E_STORE_WRITE');
    expect(stderr).toContain('Free some space on the disk');
    expect(namesIn(kept('connections.json'))).toEqual(stored);
    expect(left()).toEqual([]);
  });

  it('is read-only: nothing changes, and the error is reported', () => {
    const { stored, stderr, status } = runOnDisk(`
      ${writer} "$disk/connections.json" x 3
      mount -o remount,ro "$disk"
      ${writer} "$disk/connections.json" y 1
      status=$?`);
    expect(status).not.toBe(0);
    expect(stored).toEqual(['x-0', 'x-1', 'x-2']);
    expect(stderr).toContain('E_STORE_WRITE');
    expect(stderr).toContain('(EROFS)');
    expect(stderr).toContain('The file system is read-only');
    expect(namesIn(kept('connections.json'))).toEqual(stored);
    expect(left()).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('#48 a file that may not grow, for machines where no disk can be mounted', () => {
  it('keeps all that was stored, says what is wrong, and leaves nothing behind', () => {
    const path = folder.at('connections.json');
    const { stored, stderr, status } = run('sh', ['-c', `ulimit -f 16; exec ${writer} "$0" x 60`, path]);
    expect(status).not.toBe(0);
    expect(stored.length).toBeGreaterThan(2);
    expect(stored.length).toBeLessThan(60);
    expect(stderr).toContain('E_STORE_WRITE');
    expect(namesIn(path)).toEqual(stored);
    expect(readdirSync(folder.at('.')).filter((file) => !/^connections\.json(\.bak)?$/.test(file))).toEqual([]);
    expect(run('sh', ['-c', `exec ${writer} "$0" x 1`, path]).status).toBe(0);
  });
});
