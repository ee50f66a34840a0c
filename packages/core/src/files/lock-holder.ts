import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemCode } from './system-code.ts';

/** Who holds a lock, in enough detail to tell whether that process still lives. */
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

/** A change of the file takes milliseconds; whoever cannot be asked is given this long. */
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
    ...optional('start', startOf(process.pid)),
  };
  return own;
}

/** True only if that process cannot be at work any more. */
export function isHolderGone(holder: LockHolder, here: ProcessIdentity = thisProcess(), now = Date.now()): boolean {
  const old = now - holder.at > patienceMs;
  if (holder.host !== here.host) return old;
  if (holder.boot !== here.boot) return true;
  if (holder.namespace !== here.namespace) return old;
  if (!isAlive(holder.pid)) return true;
  const start = startOf(holder.pid);
  return start === undefined || holder.start === undefined ? old : start !== holder.start;
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // No permission to signal it: it lives, under another user.
    return systemCode(error) === 'EPERM';
  }
}

/** The 22nd field of `stat`; the second one is a name in parentheses that may hold anything, so we count from its end. */
function startOf(pid: number): string | undefined {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
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
