import { setImmediate as nextTurn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ReadBuffers, type Source } from './read-buffers.ts';

const size = 64 * 1024;
const megabyte = 1024 * 1024;

/** The most that was there at once of 200 MB in pieces, each of which is forgotten at once. */
function mostHeld(took: (bytes: number) => void): number {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let read = 0; read < 200 * megabyte; read += size) {
    Buffer.allocUnsafeSlow(size);
    took(size);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  return most;
}

describe('the buffers of what was read', () => {
  it('are given back long before the engine would by itself', () => {
    const buffers = new ReadBuffers();
    expect(mostHeld((bytes) => buffers.add(bytes))).toBeLessThan(20 * megabyte);
  });

  it('are given back by a private function', () => {
    const buffers = new ReadBuffers();
    buffers.add(100 * megabyte);
    expect([typeof Reflect.get(globalThis, 'gc'), runInNewContext('typeof gc')]).toEqual(['undefined', 'undefined']);
  });
});

/** Hands over all that has arrived, piece by piece, as the runtime does, and as a reader that takes 1 ms for each. */
function deliver(pieces: number, bytes: number): { handedOver: () => number; ended: Promise<void> } {
  let left = pieces;
  let isPaused = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const flow = () => {
    for (isPaused = false; left > 0 && !isPaused; left -= 1) {
      for (const until = performance.now() + 1; performance.now() < until; );
      buffers.add(bytes);
    }
    if (left === 0) end();
  };
  const source: Source = {
    pause() {
      isPaused = true;
    },
    resume: flow,
  };
  const buffers = new ReadBuffers(source);
  setImmediate(flow);
  return { handedOver: () => pieces - left, ended };
}

describe('a reader of much that has arrived at once', () => {
  it('lets everything else have a turn every few milliseconds, and reads all', async () => {
    const { handedOver, ended } = deliver(60, size);
    await nextTurn();
    await nextTurn();
    expect(handedOver()).toBeGreaterThan(0);
    expect(handedOver()).toBeLessThan(20);
    await ended;
    expect(handedOver()).toBe(60);
  });
});
