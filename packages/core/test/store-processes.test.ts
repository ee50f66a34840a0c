import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../src/registry/edit/store.ts';
import { createTempFolder, type TempFolder } from '../src/testing/temp-folder.ts';

let folder: TempFolder;
let path: string;
let running: ChildProcess[];
beforeEach(() => {
  folder = createTempFolder();
  path = folder.at('connections.json');
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map(kill));
  folder[Symbol.dispose]();
});

interface Writer {
  child: ChildProcess;
  /** The names that were stored, as far as the process could say so. */
  stored: string[];
  ended: Promise<number | null>;
}

const script = fileURLToPath(new URL('./store-writer.ts', import.meta.url));

function startWriter(prefix: string, count: number): Writer {
  const child = spawn(process.execPath, ['--import', 'tsx', script, path, prefix, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let output = '';
  const stored: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (output + text).split('\n');
    output = lines.pop() ?? '';
    stored.push(...lines);
  });
  return { child, stored, ended: once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null)) };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

const storedNames = () =>
  createStore({ path })
    .read()
    .candidates.map(({ name }) => name);

describe('several processes', () => {
  it('processes that change the store at once lose nothing, even when one of them is killed', async () => {
    const writers = ['a', 'b', 'c', 'd'].map((prefix) => startWriter(prefix, 30));
    const victims: Writer[] = [];
    let finished = false;
    const all = Promise.all(writers.map(({ ended }) => ended)).finally(() => {
      finished = true;
    });
    while (!finished && victims.length < 6) {
      const victim = startWriter(`victim${victims.length}`, 100_000);
      victims.push(victim);
      await expect.poll(() => victim.stored.length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(1 + victims.length);
      await kill(victim.child);
      await victim.ended;
    }
    expect(await all).toEqual([0, 0, 0, 0]);

    const names = storedNames();
    const expected = ['a', 'b', 'c', 'd'].flatMap((prefix) => Array.from({ length: 30 }, (_, index) => `${prefix}-${index}`));
    expect(new Set(names).size).toBe(names.length);
    expect(expected.filter((name) => !names.includes(name))).toEqual([]);
    expect(victims.flatMap(({ stored }) => stored).filter((name) => !names.includes(name))).toEqual([]);
    expect(victims.length).toBeGreaterThan(0);
  });

  it('leave a whole file and no lock behind, whenever they are killed', async () => {
    for (let round = 0; round < 5; round++) {
      const victim = startWriter(`v${round}`, 100_000);
      await expect.poll(() => victim.stored.length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(round);
      await kill(victim.child);
      await victim.ended;
      expect(() => JSON.parse(readFileSync(path, 'utf8'))).not.toThrow();
      // Waiting for a dead process would fail here.
      await createStore({ path, lockWaitMs: 1_000 }).change(({ list }) => ({ connections: [...list, { name: `r${round}` }] }));
      expect(storedNames()).toEqual(expect.arrayContaining([...victim.stored, `r${round}`]));
    }
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.lock') || name.endsWith('.tmp'))).toEqual([]);
  });
});
