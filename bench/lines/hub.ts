import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type BenchOptions, type Line, type Measured, medianOf, timed } from '../line.ts';
import { privateMemory } from '../process-usage.ts';
import { StdioServer } from '../stdio-server.ts';

const root = new URL('../../', import.meta.url);
const hub = fileURLToPath(new URL('packages/molehub-mcp/dist/main.js', root));
const emptyLoop = fileURLToPath(new URL('bench/empty-loop.mjs', root));
const everything = fileURLToPath(new URL('node_modules/@modelcontextprotocol/server-everything/dist/index.js', root));
const warmCalls = 300;
const calls = 2_000;
const sessionCount = 10;
const serverCount = 5;
const patienceMs = 30_000;

/** What the hub costs beside its servers, and what it saves. */
export const hubLines: readonly Line[] = [
  { name: 'hub, a passed call beyond the server itself', goal: 0.3, unit: 'ms', measure: (options) => passedCall(options) },
  { name: 'hub, first list', goal: 1.5, unit: 'x', measure: firstList },
  { name: 'hub, ten sessions with five servers, beside none', goal: 0.3, unit: 'x', measure: sessionMemory },
];

/** A person's home folder with a configuration of so many servers, each of which the hub has seen. */
async function withHome<T>(node: string, count: number, work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'mole-bench-hub-'));
  try {
    mkdirSync(join(home, '.config', 'molehub'), { recursive: true });
    const names = Array.from({ length: count }, (_, index) => `server${index}`);
    const mcpServers = Object.fromEntries(names.map((name) => [name, { command: node, args: [everything, 'stdio'] }]));
    writeFileSync(join(home, '.config', 'molehub', 'mcp.json'), JSON.stringify({ mcpServers }));
    const server = new StdioServer({ file: hub, node, home });
    await server.initialize();
    const isRemembered = () => readdirSync(join(home, '.config', 'molehub', 'state')).some((name) => name.startsWith('start-'));
    await server.listBytes();
    for (const end = Date.now() + patienceMs; Date.now() < end; await delay(100)) if (tryIs(isRemembered)) break;
    await delay(700);
    await server.stop();
    return await work(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function tryIs(test: () => boolean): boolean {
  try {
    return test();
  } catch {
    return false;
  }
}

async function passedCall({ node }: BenchOptions): Promise<Measured> {
  return await withHome(node, 1, async (home) => {
    const direct = new StdioServer({ file: everything, args: ['stdio'], node, home });
    const passed = new StdioServer({ file: hub, node, home });
    const shared = new StdioServer({ file: hub, args: ['--shared', '--idle', '2s'], node, home });
    const ways = { direct, passed, shared };
    const times = { direct: [] as number[], passed: [] as number[], shared: [] as number[] };
    for (const server of Object.values(ways)) await server.initialize();
    for (let round = -warmCalls; round < calls; round += 1) {
      for (const way of ['direct', 'passed', 'shared'] as const) {
        const name = way === 'direct' ? 'echo' : 'server0__echo';
        const ms = await timed(() => ways[way].callTool(name, { message: 'hello' }));
        if (round >= 0) times[way].push(ms);
      }
    }
    await Promise.all(Object.values(ways).map((server) => server.stop()));
    const of = (way: keyof typeof times) => medianOf(times[way]);
    const medians = { direct: of('direct'), passed: of('passed'), shared: of('shared') };
    return { value: medians.passed - medians.direct, details: medians };
  });
}

/** The time from the start of a program to its answer to `tools/list`. */
async function firstList({ runs, node }: BenchOptions): Promise<Measured> {
  return await withHome(node, serverCount, async (home) => {
    const times = { floor: [] as number[], hub: [] as number[] };
    for (let run = 0; run <= runs; run += 1) {
      const floor = await listOf(() => new StdioServer({ file: emptyLoop, node, home }));
      const first = await listOf(() => new StdioServer({ file: hub, node, home }));
      // The first round fills the caches of the file system.
      if (run > 0) times.floor.push(floor);
      if (run > 0) times.hub.push(first);
    }
    const ratios = times.hub.map((ms, index) => ms / (times.floor[index] ?? Number.NaN));
    return { value: medianOf(ratios), details: { hub: medianOf(times.hub), floor: medianOf(times.floor) } };
  });
}

async function listOf(start: () => StdioServer): Promise<number> {
  let server: StdioServer | undefined;
  const ms = await timed(async () => {
    server = start();
    await server.initialize();
    await server.listBytes();
  });
  await server?.stop();
  return ms;
}

/** Private memory of all processes of ten sessions that have called each of five servers: with a shared hub, and without one. */
async function sessionMemory({ node }: BenchOptions): Promise<Measured> {
  return await withHome(node, serverCount, async (home) => {
    const alone: StdioServer[] = [];
    for (let n = 0; n < sessionCount * serverCount; n += 1) {
      const server = new StdioServer({ file: everything, args: ['stdio'], node, home });
      await server.initialize();
      await server.callTool('echo', { message: 'hello' });
      alone.push(server);
    }
    const without = sumMemory(home);
    await Promise.all(alone.map((server) => server.stop()));
    const fronts: StdioServer[] = [];
    for (let n = 0; n < sessionCount; n += 1) {
      const front = new StdioServer({ file: hub, args: ['--shared', '--idle', '2s'], node, home });
      await front.initialize();
      for (let server = 0; server < serverCount; server += 1) await front.callTool(`server${server}__echo`, { message: 'hello' });
      fronts.push(front);
    }
    const shared = sumMemory(home);
    await Promise.all(fronts.map((front) => front.stop()));
    const ratio = (shared.megabytes ?? Number.NaN) / (without.megabytes ?? Number.NaN);
    const details = { with: shared.megabytes, without: without.megabytes };
    return { value: ratio, details: { ...details, processesWith: shared.count, processesWithout: without.count } };
  });
}

/** All processes of this home folder. */
function sumMemory(home: string): { megabytes: number | null; count: number } {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readEnvironment(name).includes(`HOME=${home}\0`));
  const each = pids.map((pid) => privateMemory(Number(pid)));
  const isKnown = each.every((one) => one !== null);
  return { megabytes: isKnown ? each.reduce<number>((sum, one) => sum + (one ?? 0), 0) : null, count: pids.length };
}

function readEnvironment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
