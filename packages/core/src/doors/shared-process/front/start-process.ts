import { type StdioOptions, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removeQuietly } from '../../../files/atomic-write.ts';
import { withFileLock } from '../../../files/file-lock.ts';
import { type Hello, readFirstLine, writeLine } from '../hello.ts';
import type { FrontPlace } from './front-place.ts';
import { connect, type Meeting, meet } from './meet.ts';

/** Another front may be starting the process at the moment. */
const lockWaitMs = 15_000;
const lockPollMs = 10;
const startMs = 12_000;
const drainMs = 3_000;
/** A process that has written nothing for two weeks is hardly of interest, and mostly gone. */
const maxLogAgeMs = 14 * 24 * 3_600_000;

/** Joins the process that another front has started meanwhile, or starts it. One front at a time does this. Throws when it fails. */
export async function startOrJoin(place: FrontPlace, hello: Hello): Promise<Socket> {
  const work = async () => {
    const found = await meet(place.socket, hello, place.machine);
    if (found.kind === 'older') await drain(place.socket, hello);
    else if (found.kind !== 'absent') return requireJoined(found);
    // What is left of a process that was killed.
    if (place.machine.platform !== 'win32') removeQuietly(place.socket);
    await startProcess(place);
    return requireJoined(await meet(place.socket, hello, place.machine));
  };
  return await withFileLock(join(place.folder, `${place.key}.lock`), work, { waitMs: lockWaitMs, pollMs: lockPollMs });
}

export function requireJoined(meeting: Meeting): Socket {
  if (meeting.kind === 'joined') return meeting.socket;
  if (meeting.kind === 'refused') throw new Error(meeting.reason);
  if (meeting.kind === 'newer')
    throw new Error(`process ${meeting.process.pid} is of a newer version (${meeting.process.version})`);
  throw new Error('the process ended at once');
}

/** Asks a process to take no more clients. Those that it has stay with it. */
async function drain(path: string, hello: Hello): Promise<void> {
  const socket = await connect(path);
  if (socket === undefined) return;
  writeLine(socket, { ...hello, want: 'drain' });
  await readFirstLine(socket, drainMs).catch(() => undefined);
  socket.destroy();
  const end = Date.now() + drainMs;
  while (Date.now() < end) {
    const still = await connect(path);
    if (still === undefined) return;
    still.destroy();
    await delay(20);
  }
  throw new Error('an older process does not give up its socket');
}

/** A process in a group of its own, so that signals to a client's group do not reach it. */
async function startProcess({ program, seed, env, socket, log }: FrontPlace): Promise<void> {
  const logFile = openLog(log);
  const { args, cwd } = seed;
  try {
    const execArgv = process.execArgv.filter((word) => !word.startsWith('--inspect'));
    const words = [...execArgv, program.file, ...args, '--shared-socket', socket];
    const stdio = ['ignore', 'pipe', logFile ?? 'ignore'] satisfies StdioOptions;
    const child = spawn(process.execPath, words, { cwd, env, detached: true, windowsHide: true, stdio });
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (error) => reject(new Error(`its process cannot be started (${error.message})`)));
    });
    const { stdout } = child;
    if (stdout === null) throw new Error('its process has no output');
    const line = await Promise.race([readFirstLine(stdout, startMs), failed]);
    stdout.destroy();
    child.unref();
    if (line !== 'ready') throw new Error(line || `its process did not start${logFile === undefined ? '' : `; see ${log}`}`);
  } finally {
    if (logFile !== undefined) closeSync(logFile);
  }
}

/** Undefined where nothing can be written: the process is as good without a log. */
function openLog(path: string): number | undefined {
  try {
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    removeOldLogs(dirname(path));
    return openSync(path, 'a+', 0o600);
  } catch {
    return undefined;
  }
}

/** Each change of a variable may make another key, and so another log. */
export function removeOldLogs(folder: string): void {
  const now = Date.now();
  for (const name of readdirSync(folder)) {
    if (!/^shared-[0-9a-f]+\.log$/.test(name)) continue;
    const { mtimeMs = now } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (now - mtimeMs > maxLogAgeMs) removeQuietly(join(folder, name));
  }
}
