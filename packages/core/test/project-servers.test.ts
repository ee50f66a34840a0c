import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listRunning, readRunning } from '../src/doors/project/running-mark.ts';
import { createTempFolder, type TempFolder } from '../src/testing/temp-folder.ts';

let built: TempFolder;
let folder: TempFolder;
let running: ChildProcess[];
beforeAll(async () => {
  built = createTempFolder();
  // Twenty processes that each translate TypeScript would take a minute.
  await build({
    entryPoints: [fileURLToPath(new URL('./project-process.ts', import.meta.url))],
    outfile: built.at('project-process.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => built[Symbol.dispose]());
beforeEach(() => {
  folder = createTempFolder();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((child) => end(child, 'SIGKILL')));
  folder[Symbol.dispose]();
});

const stateFolder = () => folder.at('state');
const readPorts = (): Record<string, number> => JSON.parse(readFileSync(folder.at('state', 'ports.json'), 'utf8'));

function makeRoot(name: string): string {
  mkdirSync(folder.at(name), { recursive: true });
  return realpathSync(folder.at(name));
}

interface Started {
  child: ChildProcess;
  /** Its port, or why it did not start. */
  line: string;
}

async function start(root: string, { port = '', takeover = false } = {}): Promise<Started> {
  const args = [built.at('project-process.mjs'), stateFolder(), root, port, takeover ? 'takeover' : ''];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, line: String(text).trim() };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function exitCodeOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('servers of projects', () => {
  it('twenty servers that start at the same time get twenty ports for twenty projects', async () => {
    const roots = Array.from({ length: 20 }, (_, index) => makeRoot(`shop-${index}`));
    const started = await Promise.all(roots.map((root) => start(root)));
    const ports = Object.fromEntries(roots.map((root, index) => [root, Number(started[index]?.line)]));
    expect(new Set(Object.values(ports)).size).toBe(20);
    expect(readPorts()).toEqual(ports);
    expect((await listRunning(stateFolder())).map(({ root }) => root).sort()).toEqual(roots.sort());
  });

  it('twenty servers that start at the same time for one project are one server and nineteen refusals with its URL', async () => {
    const root = makeRoot('shop');
    const started = await Promise.all(Array.from({ length: 20 }, () => start(root)));
    const [port, ...others] = started.filter(({ line }) => /^\d+$/.test(line));
    expect(others).toEqual([]);
    const refused = started.filter((one) => one !== port);
    expect(refused.map(({ line }) => line)).toEqual(
      refused.map(
        () => `a server is running for project ${root}: http://127.0.0.1:${port?.line}/mcp (process ${port?.child.pid})`,
      ),
    );
    expect(await Promise.all(refused.map(({ child }) => exitCodeOf(child)))).toEqual(refused.map(() => 1));
  });

  it('keep their port after a clean exit, and remove the mark', async () => {
    const root = makeRoot('shop');
    const first = await start(root);
    expect(readRunning(stateFolder(), root)?.pid).toBe(first.child.pid);
    await end(first.child, 'SIGTERM');
    expect(readdirSync(folder.at('state', 'running'))).toEqual([]);
    expect((await start(root)).line).toBe(first.line);
  });

  it('leave a stale mark after kill -9, which neither counts nor stays', async () => {
    const [shop, blog] = [makeRoot('shop'), makeRoot('blog')];
    const first = await start(shop);
    const other = await start(blog);
    await end(first.child, 'SIGKILL');
    await end(other.child, 'SIGKILL');
    expect(readdirSync(folder.at('state', 'running'))).toHaveLength(2);
    expect(readRunning(stateFolder(), shop)).toBeUndefined();
    expect((await start(shop)).line).toBe(first.line);
    expect((await listRunning(stateFolder())).map(({ root }) => root)).toEqual([shop]);
    expect(readdirSync(folder.at('state', 'running'))).toHaveLength(1);
  });

  it('do not take another process with the same id for one that crashed', async () => {
    const root = makeRoot('shop');
    const first = await start(root);
    await end(first.child, 'SIGKILL');
    const [name = ''] = readdirSync(folder.at('state', 'running'));
    const path = folder.at('state', 'running', name);
    const mark = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...mark, pid: process.pid }));
    expect(readRunning(stateFolder(), root)).toBeUndefined();
    expect((await start(root, { takeover: true })).line).toBe(first.line);
  });

  it('move when another program has taken the port, and stay where they moved', async () => {
    const root = makeRoot('shop');
    const first = await start(root);
    await end(first.child, 'SIGKILL');
    const foreign = createServer().listen(Number(first.line), '127.0.0.1');
    await once(foreign, 'listening');
    const second = await start(root);
    expect(Number(second.line)).toBeGreaterThan(Number(first.line));
    expect(readPorts()).toEqual({ [root]: Number(second.line) });
    foreign.close();
    await once(foreign, 'close');
    await end(second.child, 'SIGTERM');
    expect((await start(root)).line).toBe(second.line);
  });

  it('drain and hand over their port to the one that takes over', async () => {
    const root = makeRoot('shop');
    const first = await start(root);
    const second = await start(root, { takeover: true });
    expect(second.line).toBe(first.line);
    expect(await exitCodeOf(first.child)).toBe(0);
    expect(readRunning(stateFolder(), root)?.pid).toBe(second.child.pid);
  });

  it('start with --takeover where none runs', async () => {
    const root = makeRoot('shop');
    expect(Number((await start(root, { takeover: true })).line)).toBeGreaterThan(50_000);
  });

  it('refuse a port out of range before anything is written', async () => {
    const root = makeRoot('shop');
    const { child, line } = await start(root, { port: '65536' });
    expect([line, await exitCodeOf(child)]).toEqual(['invalid --port "65536": expected a number from 0 to 65535', 1]);
    expect(() => readdirSync(stateFolder())).toThrow('ENOENT');
  });

  it('start although the file of ports and all marks are broken or gone', async () => {
    const root = makeRoot('shop');
    const first = await start(root);
    writeFileSync(folder.at('state', 'ports.json'), '{ "/shop": ');
    rmSync(folder.at('state', 'running'), { recursive: true });
    const second = await start(root);
    expect(Number(second.line)).toBeGreaterThan(Number(first.line));
    expect(readPorts()).toEqual({ [root]: Number(second.line) });
  });
});
