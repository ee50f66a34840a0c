import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ReadBuffers } from './read-buffers.ts';

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

  it('are given back by a function that nobody else gets', () => {
    const buffers = new ReadBuffers();
    buffers.add(100 * megabyte);
    expect([typeof Reflect.get(globalThis, 'gc'), runInNewContext('typeof gc')]).toEqual(['undefined', 'undefined']);
  });
});
