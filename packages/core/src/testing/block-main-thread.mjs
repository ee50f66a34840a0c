import { isMainThread } from 'node:worker_threads';

/** Loaded into a server by NODE_OPTIONS: a signal blocks its event loop, by work or by waiting. */
const blockMs = Number(process.env.BLOCK_MS);
const blocks = {
  SIGUSR2: () => {
    const end = Date.now() + blockMs;
    while (Date.now() < end);
  },
  SIGPWR: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs),
};

if (isMainThread) {
  for (const [signal, block] of Object.entries(blocks)) {
    process.on(signal, () => {
      process.stderr.write('blocked\n');
      block();
    });
  }
}
