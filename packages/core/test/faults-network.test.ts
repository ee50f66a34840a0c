import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./dropped-packets.ts', import.meta.url));

/** A container may forbid it. */
const mayDrop =
  spawnSync('unshare', ['-rn', 'sh', '-c', 'ip link set lo up && tc qdisc replace dev lo root blackhole']).status === 0;

function run(dropMs: number): string {
  const args = ['-rn', process.execPath, '--import', 'tsx', script, String(dropMs)];
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', timeout: 60_000 });
  return stdout + stderr;
}

/** Elsewhere the tests with a connection in between, which holds everything back, stand for these. */
describe.skipIf(!mayDrop)('packets that are dropped, where this machine lets us have a network to drop them on,', () => {
  it('#4 for a while: what was asked meanwhile is answered', () => {
    expect(run(1_500)).toBe('heard: before , then: before meanwhile, ready');
  });

  it('#5 endless: an error within the time of the keepalive', () => {
    expect(run(Number.POSITIVE_INFINITY)).toBe('E_SSH_KEEPALIVE_TIMEOUT, heard: before ');
  });
});
