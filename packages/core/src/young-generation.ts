import type { Worker } from 'node:worker_threads';

/** How often the setting is repeated while a thread starts. */
const repeatMs = 1;

/**
 * The room for new objects grows to 32 MB while calls follow each other, and a small read is not slower when it stays at a few. The
 * engine forgets the setting when a thread starts, so it is repeated until the thread runs.
 */
export function keepYoungGenerationSmall(thread: Worker): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const keep = () => setFlagsFromString('--semi-space-growth-factor=1');
  keep();
  const timer = setInterval(keep, repeatMs).unref();
  thread.once('online', () => {
    clearInterval(timer);
    keep();
  });
  thread.once('exit', () => clearInterval(timer));
}
