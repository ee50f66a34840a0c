import { existsSync, readdirSync } from 'node:fs';
import { readCommandLine } from '@dbmole/core/process-identity';

/** Processes that name the path on their command line, the directory itself included when it is still there. */
export function findTraces(directory: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const processes = pids.map((pid) => readCommandLine(Number(pid)) ?? '').filter((line) => line.includes(directory));
  return existsSync(directory) ? [directory, ...processes] : processes;
}
