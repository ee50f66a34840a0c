import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from './system-code.ts';

/** The holder of a lock, in enough detail to tell whether its process still lives. */
export interface LockHolder extends ProcessIdentity {
  nonce: string;
  at: number;
}

export interface ProcessIdentity {
  pid: number;
  host: string;
  /** Differs after a restart of the machine. */
  boot?: string;
  /** Process ids mean something only inside one namespace, and containers each have their own. */
  namespace?: string;
  /** When the process started, in a unit that only has to be compared; a process id alone is used again. */
  start?: string;
}

/** A change of the file takes milliseconds; a process that cannot be asked is given this long. */
const patienceMs = 60_000;

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    host: hostname(),
    ...optional(
      'boot',
      tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    ),
    ...optional(
      'namespace',
      tryRead(() => readlinkSync('/proc/self/ns/pid')),
    ),
    ...optional('start', readStartTime(process.pid)),
  };
  return own;
}

/** True only if that process cannot be at work any more. */
export function isHolderGone(holder: LockHolder, here: ProcessIdentity = thisProcess(), now = Date.now()): boolean {
  const old = now - holder.at > patienceMs;
  if (holder.host !== here.host) return old;
  if (holder.boot !== here.boot) return true;
  if (holder.namespace !== here.namespace) return old;
  if (!isProcessAlive(holder.pid)) return true;
  const start = readStartTime(holder.pid);
  return start === undefined || holder.start === undefined ? old : start !== holder.start;
}

/** A zombie counts as dead: only its parent still has to read how it ended. */
export function isProcessAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // No permission to signal it: it lives, under another user.
    if (systemCode(error) !== 'EPERM') return false;
  }
  return readStat(pid)?.[0] !== 'Z';
}

/** When a process started, in a form that only has to be compared. */
export function readStartTime(pid: number): string | undefined {
  return existsSync('/proc/self/stat') ? readStat(pid)?.[19] : askPs(pid, 'lstart=');
}

/** Undefined where the system cannot be asked. A process id alone is used again, so read this before you signal one from a file. */
export function readCommandLine(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return askPs(pid, 'command=');
  return tryRead(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
}

/** The fields from the state on. The one before it is a name in parentheses that may hold anything, so we count from its end. */
function readStat(pid: number): string[] | undefined {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function askPs(pid: number, column: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  return tryRead(() => execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' }).trim()) || undefined;
}

function tryRead(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  // A computed key makes TypeScript forget which key it is.
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: string });
}
