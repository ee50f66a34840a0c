/**
 * Loaded into a server before its program: writes down in its home folder how long the event loop was kept from everything else, one
 * line for each time, with when it ended. Time in which the machine was busy with other processes does not count where the system says how much that is.
 */
import { appendFileSync, existsSync, openSync, readSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = `${process.env.HOME}/heartbeat`;
const minMs = 3;
const usage = `/proc/self/task/${process.pid}/schedstat`;

if (isMainThread) {
  const descriptor = existsSync(usage) ? openSync(usage, 'r') : undefined;
  const buffer = Buffer.alloc(64);
  const usedMs = () => {
    if (descriptor === undefined) return performance.now();
    return Number(buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, 64, 0)).split(' ')[0]) / 1e6;
  };
  let [at, used] = [performance.now(), usedMs()];
  setInterval(() => {
    const [now, nowUsed] = [performance.now(), usedMs()];
    const blockedMs = Math.min(now - at, nowUsed - used);
    if (blockedMs > minMs) appendFileSync(file, `${Date.now()} ${blockedMs.toFixed(1)}\n`);
    [at, used] = [performance.now(), usedMs()];
  }, 1).unref();
}
