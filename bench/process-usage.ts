import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a running process and of all its threads so far, in milliseconds; null where there is no /proc. */
export function processorTime(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]));
    return times.reduce((sum, time) => sum + time, 0) / 1e6;
  } catch {
    return null;
  }
}

/** Memory of a running process that no other one shares, in megabytes; null where there is no /proc. */
export function privateMemory(pid: number): number | null {
  try {
    const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+)/gm);
    return [...lines].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1024;
  } catch {
    return null;
  }
}

/** Resident memory of a running process in megabytes; null where there is no /proc. */
export function residentMemory(pid: number): number | null {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1024;
  } catch {
    return null;
  }
}
