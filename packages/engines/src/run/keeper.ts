import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@dbmole/core/failure';
import { isProcessAlive, readStartTime } from '@dbmole/core/process-identity';
import { type EngineId, isEngineId } from '../catalog.ts';
import { cachePath } from '../fetch/cache.ts';
import { startEngine } from './start-engine.ts';
import { startTopology } from './start-topology.ts';

/** An engine that a developer keeps running: a process in the background holds it until `down`. */
interface Kept {
  readonly id: EngineId;
  readonly pid: number;
  readonly started: string;
  /** What to type to reach it. */
  readonly address: string;
}

/** The body of the background process: starts the engine, writes its address down, stops it on a signal. */
export async function keepEngine(id: EngineId): Promise<void> {
  const { address, stop } = await startForKeeps(id);
  const kept: Kept = { id, pid: process.pid, started: readStartTime(process.pid) ?? '', address };
  writeFileSync(stateFile(id), JSON.stringify(kept), { mode: 0o600 });
  // The engine does not keep its user's process alive, so something else must.
  const alive = setInterval(() => undefined, 2 ** 30);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await stop();
  rmSync(stateFile(id), { force: true });
  clearInterval(alive);
}

/** Starts `command` as that background process, unless one has it already, and waits for the address. */
export async function bringUp(id: EngineId, command: readonly [program: string, ...args: string[]]): Promise<Kept> {
  const known = findKept(id);
  if (known) return known;
  const logPath = join(stateDirectory(), `${id}.log`);
  const log = openSync(logPath, 'w');
  const [program, ...args] = command;
  const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log] });
  while (child.exitCode === null && child.signalCode === null) {
    const kept = findKept(id);
    if (kept) {
      child.unref();
      return kept;
    }
    await sleep(50);
  }
  throw new Failure('connection', `${id} did not start: ${readFileSync(logPath, 'utf8').trim().slice(-1_500)}`);
}

/** Resolves when it is gone; false when none was kept. */
export async function bringDown(id: EngineId): Promise<boolean> {
  const kept = findKept(id);
  if (!kept) return false;
  process.kill(kept.pid, 'SIGTERM');
  while (isProcessAlive(kept.pid)) await sleep(50);
  return true;
}

export function listKept(): Kept[] {
  const names = readdirSync(stateDirectory()).map((name) => name.replace(/\.json$/, ''));
  return names.filter(isEngineId).flatMap((id) => findKept(id) ?? []);
}

function findKept(id: EngineId): Kept | undefined {
  try {
    // Written by `keepEngine` above.
    const kept = JSON.parse(readFileSync(stateFile(id), 'utf8')) as Kept;
    const same = isProcessAlive(kept.pid) && (readStartTime(kept.pid) ?? '') === kept.started;
    return same ? kept : undefined;
  } catch {
    return undefined;
  }
}

async function startForKeeps(id: EngineId): Promise<{ address: string; stop: () => Promise<void> }> {
  if (id === 'ssh') {
    const topology = await startTopology();
    return { address: `ssh -F ${topology.sshConfigFile} inner`, stop: () => topology.stop() };
  }
  if (id === 'chromium') throw new Failure('input', 'chromium is a program, not a server', { hint: 'Start it in a test.' });
  const engine = await startEngine(id);
  return { address: engine.url, stop: () => engine.stop() };
}

function stateDirectory(): string {
  const directory = cachePath('kept');
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  return directory;
}

const stateFile = (id: EngineId) => join(stateDirectory(), `${id}.json`);
