import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

describe('BoundedCache', () => {
  it('gives back what was added', () => {
    const recent = new BoundedCache<number>();
    expect(recent.get('a')).toBeUndefined();
    expect(recent.add('a', 1)).toBe(1);
    expect([recent.get('a'), recent.get('a ')]).toEqual([1, undefined]);
  });

  it('keeps few, and none that is long', () => {
    const recent = new BoundedCache<number>();
    const long = 'x'.repeat(10_001);
    expect(recent.add(long, 1)).toBe(1);
    expect(recent.get(long)).toBeUndefined();
    for (let n = 0; n < 51; n += 1) recent.add(String(n), n);
    expect([recent.get('0'), recent.get('50')]).toEqual([undefined, 50]);
  });
});
