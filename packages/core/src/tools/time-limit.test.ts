import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimeLimit } from './time-limit.ts';

describe("a call's time limit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const start = (options: { asked?: number; atLeast?: number } = {}) => {
    const expired: number[] = [];
    const limit = new TimeLimit({
      asked: options.asked,
      usual: 1_000,
      atLeast: options.atLeast ?? 0,
      onExpire: (milliseconds) => expired.push(milliseconds),
    });
    return { limit, expired };
  };

  it("is the server's by default", () => {
    const { expired } = start();
    vi.advanceTimersByTime(999);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([1_000]);
  });

  it("is the connection's when that says one, counted from the start of the call", () => {
    const { limit, expired } = start();
    vi.advanceTimersByTime(500);
    limit.ofConnection(3_000);
    expect(limit.milliseconds).toBe(3_000);
    vi.advanceTimersByTime(2_499);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([3_000]);
  });

  it('can be over when the connection is known', () => {
    const { limit, expired } = start();
    vi.advanceTimersByTime(500);
    limit.ofConnection(100);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([100]);
  });

  it('is what the caller asked for, whatever the connection says', () => {
    const { limit, expired } = start({ asked: 50, atLeast: 9_000 });
    limit.ofConnection(5_000);
    vi.advanceTimersByTime(60);
    expect(expired).toEqual([50]);
  });

  it('is raised for a tool that takes long', () => {
    const { limit } = start({ atLeast: 9_000 });
    expect(limit.milliseconds).toBe(9_000);
    limit.ofConnection(5_000);
    expect(limit.milliseconds).toBe(9_000);
    limit.ofConnection(10_000);
    expect(limit.milliseconds).toBe(10_000);
  });

  it('does nothing once it is cleared, and keeps the rest', () => {
    const { limit, expired } = start();
    limit.ofConnection(undefined);
    limit.clear();
    vi.advanceTimersByTime(10_000);
    expect(expired).toEqual([]);
    expect(limit.milliseconds).toBe(1_000);
  });
});
