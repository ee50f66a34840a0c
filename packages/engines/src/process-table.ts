import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A zombie counts as dead: nobody is left in it. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !/^State:\s+Z/m.test(readProcFile(pid, 'status') ?? '');
}

/** Process ids are reused, so look at the command line before you signal one that you read from a file. */
export function readCommandLine(pid: number): string | undefined {
  if (!hasProcFiles()) return askPs(pid, 'command=');
  return readProcFile(pid, 'cmdline')?.replaceAll('\0', ' ').trim() || undefined;
}

/** When the process began, in whatever form the system says it: together with the id it names one process for good. */
export function readStartTime(pid: number): string | undefined {
  if (!hasProcFiles()) return askPs(pid, 'lstart=');
  // The second field is the program's name and may contain spaces and brackets; what follows the last bracket is regular.
  const stat = readProcFile(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function hasProcFiles(): boolean {
  return existsSync('/proc/self/stat');
}

function readProcFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

function askPs(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', column], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
