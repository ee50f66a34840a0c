import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempFolder, type TempFolder } from '../src/testing/temp-folder.ts';

let folder: TempFolder;
beforeEach(() => {
  folder = createTempFolder();
});
afterEach(() => folder[Symbol.dispose]());

const script = fileURLToPath(new URL('./store-writer.ts', import.meta.url));

/** Each connection that it adds has 500 characters and more. */
function write(path: string, count: number, limit = ''): { stored: string[]; stderr: string; status: number | null } {
  const command = `${limit} exec "$0" --import tsx "$@"`;
  const { stdout, stderr, status } = spawnSync('sh', ['-c', command, process.execPath, script, path, 'x', String(count)], {
    encoding: 'utf8',
    // What it would keep of its own for the next time is larger than the limit.
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
  });
  return { stored: stdout.split('\n').filter(Boolean), stderr, status };
}

describe.skipIf(process.platform === 'win32')('#48 a disk on which the store finds no room', () => {
  it('keeps all that was stored, says what is wrong, and leaves nothing behind', () => {
    const path = folder.at('connections.json');
    // A file that may not grow, in place of a disk that is full: to the writer both are a write that comes to an end too early.
    const { stored, stderr, status } = write(path, 60, 'ulimit -f 16;');
    expect(status).not.toBe(0);
    expect(stored.length).toBeGreaterThan(2);
    expect(stored.length).toBeLessThan(60);
    expect(stderr).toContain('E_STORE_WRITE');
    const names = JSON.parse(readFileSync(path, 'utf8')).connections.map(({ name }: { name: string }) => name);
    expect(names).toEqual(stored);
    expect(readdirSync(folder.at('.')).filter((file) => !/^connections\.json(\.bak)?$/.test(file))).toEqual([]);
    expect(write(path, 1).status).toBe(0);
  });
});
