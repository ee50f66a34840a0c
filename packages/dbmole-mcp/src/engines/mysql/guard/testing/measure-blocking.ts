import { setImmediate } from 'node:timers/promises';

interface Blocking<T> {
  result: T;
  /** The longest time in which nothing else could run. Time that other processes used does not count. */
  blockedMs: number;
}

/** Runs the work, and measures how long it keeps the event loop to itself. */
export async function measureBlocking<T>(work: () => Promise<T>): Promise<Blocking<T>> {
  let blockedMs = 0;
  let isOver = false;
  const watch = async () => {
    for (let last = clocks(); !isOver; ) {
      await setImmediate();
      const now = clocks();
      blockedMs = Math.max(blockedMs, Math.min(now.wallMs - last.wallMs, now.cpuMs - last.cpuMs));
      last = now;
    }
  };
  const watched = watch();
  await setImmediate();
  const result = await work().finally(() => {
    isOver = true;
  });
  await watched;
  return { result, blockedMs };
}

function clocks(): { wallMs: number; cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000 };
}
