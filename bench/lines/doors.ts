import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BenchOptions, type Line, type Measured, medianOf, timed } from '../line.ts';
import { privateMemory } from '../process-usage.ts';
import { type DoorName, type DoorRig, doorNames, doorRig } from '../rigs/door-rig.ts';
import { StdioServer } from '../stdio-server.ts';

const small = 'select id, name, price, active, at from ten';
const emptyLoop = fileURLToPath(new URL('../empty-loop.mjs', import.meta.url));
const warmReads = 300;
const reads = 1_000;
const readsPerSession = 20;
const sessions = [1, 10, 20] as const;

/** What each door costs beside stdio, and what a session of a shared process takes. */
export const doorLines: readonly Line[] = [
  {
    name: 'doors, a read of 10 rows: shared beyond stdio',
    goal: 0.15,
    unit: 'ms',
    measure: (options) => beyondStdio('shared', options),
  },
  {
    name: 'doors, a read of 10 rows: HTTP beyond stdio',
    goal: 0.5,
    unit: 'ms',
    measure: (options) => beyondStdio('http', options),
  },
  {
    name: 'doors, a read of 10 rows: library beyond stdio',
    goal: 0,
    unit: 'ms',
    measure: (options) => beyondStdio('library', options),
  },
  { name: 'doors, first answer of a front', goal: 1.3, unit: 'x', measure: firstAnswer },
  { name: 'doors, ten shared sessions beyond one server', goal: 90, unit: 'MB', measure: sharedMemory },
];

type Medians = Record<DoorName, number> & { dbhub: number | null };

let measured: Promise<Medians> | undefined;

/** All doors in turns, once for all lines. */
async function beyondStdio(door: DoorName, { node }: BenchOptions): Promise<Measured> {
  measured ??= doorRig(node).then(readInTurns);
  const medians = await measured;
  return { value: medians[door] - medians.stdio, details: medians };
}

async function readInTurns({ reads: doors, dbhub }: DoorRig): Promise<Medians> {
  const times: Record<DoorName | 'dbhub', number[]> = { stdio: [], shared: [], http: [], library: [], dbhub: [] };
  for (let round = -warmReads; round < reads; round += 1) {
    for (const name of doorNames) {
      const ms = await doors[name](small);
      if (round >= 0) times[name].push(ms);
    }
    if (dbhub !== undefined) times.dbhub.push(await dbhub(small));
  }
  const of = (name: DoorName) => medianOf(times[name]);
  const medians = { stdio: of('stdio'), shared: of('shared'), http: of('http'), library: of('library') };
  return { ...medians, dbhub: dbhub === undefined ? null : medianOf(times.dbhub) };
}

/** From the start of a front to its first answer while the process runs, beside a program that does nothing. */
async function firstAnswer({ runs, node }: BenchOptions): Promise<Measured> {
  const rig = await doorRig(node);
  await rig.reads.shared(small);
  const times = { floor: [] as number[], front: [] as number[] };
  for (let run = 0; run <= runs; run += 1) {
    const floor = await firstOf(() => new StdioServer({ file: emptyLoop, node }));
    const front = await firstOf(() => rig.startFront());
    // The first round fills the caches of the file system.
    if (run > 0) times.floor.push(floor);
    if (run > 0) times.front.push(front);
  }
  const [floor, front] = [medianOf(times.floor), medianOf(times.front)];
  return { value: front / floor, details: { front, floor } };
}

async function firstOf(start: () => StdioServer): Promise<number> {
  let server: StdioServer | undefined;
  const ms = await timed(async () => {
    server = start();
    await server.initialize();
  });
  await server?.stop();
  return ms;
}

/** Private memory of all processes of 1, 10 and 20 sessions, each of which has read. */
async function sharedMemory({ node }: BenchOptions): Promise<Measured> {
  const rig = await doorRig(node);
  const details: Record<string, number | null> = {};
  for (const count of sessions) {
    details[`alone${count}`] = await aloneMemory(rig, count);
    details[`shared${count}`] = await sharedMemoryOf(rig, count);
  }
  return { value: (details.shared10 ?? Number.NaN) - (details.alone1 ?? Number.NaN), details };
}

async function aloneMemory(rig: DoorRig, count: number): Promise<number | null> {
  const servers: StdioServer[] = [];
  for (let n = 0; n < count; n += 1) servers.push(await withReads(await rig.openAlone()));
  const sum = sumMemory(servers.map(({ pid }) => pid));
  await Promise.all(servers.map((server) => server.stop()));
  return sum;
}

/** The shared process is no child of a session; it is found by its working directory. */
async function sharedMemoryOf(rig: DoorRig, count: number): Promise<number | null> {
  const home = mkdtempSync(join(tmpdir(), 'mole-bench-shared-'));
  const servers: StdioServer[] = [];
  for (let n = 0; n < count; n += 1) servers.push(await withReads(await rig.openShared(home)));
  const pids = processesIn(home);
  const sum = sumMemory(pids);
  if (pids.length !== count + 1) throw new Error(`${count} sessions have ${pids.length} processes`);
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(home, { recursive: true, force: true });
  return sum;
}

async function withReads(server: StdioServer): Promise<StdioServer> {
  for (let n = 0; n < readsPerSession; n += 1) await server.callTool('query', { sql: `${small} where id > ${n % 5}` });
  return server;
}

function sumMemory(pids: readonly number[]): number | null {
  const each = pids.map(privateMemory);
  return each.some((one) => one === null) ? null : each.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

function processesIn(folder: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => workingDirectory(pid) === folder).map(Number);
}

function workingDirectory(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
