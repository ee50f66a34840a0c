import type { ChildProcess } from 'node:child_process';

/**
 * The value of `detached`: a process group of its own, so that we can end a program with all that it has started. Windows has none.
 */
export const inOwnGroup = process.platform !== 'win32';

/** Ends a program that was started with `inOwnGroup`, and what it started. */
export function killGroup(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): void {
  try {
    if (child.pid === undefined) return;
    if (inOwnGroup) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended by itself.
  }
}
