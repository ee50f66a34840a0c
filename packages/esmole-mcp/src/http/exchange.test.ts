import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { createUnpacker } from './exchange.ts';

/** What comes out, and whether and how it ended. */
function open(encoding: string) {
  const chunks: Buffer[] = [];
  const ended = vi.fn();
  const failed = vi.fn();
  const unpacker = createUnpacker(encoding, { take: (chunk) => chunks.push(chunk), end: ended, fail: failed });
  return { unpacker, ended, failed, text: () => Buffer.concat(chunks).toString() };
}

const nothing = () => undefined;
const soon = { timeout: 5_000 };

describe('what was packed', () => {
  it('decompresses what was compressed', async () => {
    const { unpacker, ended, text } = open('gzip');
    const packed = gzipSync('{"a":1}');
    unpacker.write(packed.subarray(0, 9), nothing);
    unpacker.write(packed.subarray(9), nothing);
    unpacker.end();
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), soon);
    expect(text()).toBe('{"a":1}');
    unpacker.dispose();
  });

  it('applies backpressure, and emits nothing after the end', async () => {
    const { unpacker, ended, failed, text } = open('gzip');
    const drained = vi.fn();
    expect(unpacker.write(gzipSync(Buffer.alloc(100 * 1024 * 1024)), drained)).toBe(false);
    await vi.waitFor(() => expect(text().length).toBeGreaterThan(0), soon);
    unpacker.dispose();
    const { length } = text();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([text().length, ended.mock.calls.length, failed.mock.calls.length]).toEqual([length, 0, 0]);
    expect(length).toBeLessThan(60 * 1024 * 1024);
  });

  it('asks for more once there is room', async () => {
    const { unpacker } = open('x-gzip');
    const drained = vi.fn();
    const packed = gzipSync(Buffer.alloc(200_000, 'x'), { level: 0 });
    expect(unpacker.write(packed, drained)).toBe(false);
    await vi.waitFor(() => expect(drained).toHaveBeenCalledOnce(), soon);
    unpacker.dispose();
  });

  it.each([
    ['half', gzipSync('{"a":1}').subarray(0, 15)],
    ['plain', Buffer.from('plain')],
  ])('fails when it is %s', async (_name, bytes) => {
    const { unpacker, failed, ended } = open('gzip');
    unpacker.write(bytes, nothing);
    unpacker.end();
    await vi.waitFor(() => expect(failed).toHaveBeenCalled(), soon);
    expect(ended).not.toHaveBeenCalled();
    unpacker.dispose();
  });

  it('refuses an encoding that was not requested', () => {
    expect(() => open('br')).toThrow(expect.objectContaining({ code: 'E_NOT_HTTP' }));
    const { unpacker, ended, text } = open('');
    expect(unpacker.write(Buffer.from('x'), nothing)).toBe(true);
    unpacker.end();
    expect([text(), ended.mock.calls.length]).toEqual(['x', 1]);
  });
});
