import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Failure } from './failure.ts';
import { formatAbort, settlesWithin, untilAborted } from './waiting.ts';

const forever = new Promise<never>(() => undefined);

describe('formatAbort', () => {
  it('tells a time limit from a cancellation, and quotes a Failure', () => {
    const own = new Failure('refused', 'no');
    expect(formatAbort(AbortSignal.abort(own))).toBe(own);
    expect(formatAbort(AbortSignal.abort(new DOMException('late', 'TimeoutError')))).toMatchObject({ kind: 'timeout' });
    expect(formatAbort(AbortSignal.abort())).toMatchObject({ kind: 'cancelled' });
    expect(formatAbort(AbortSignal.abort(), 'the cause').cause).toBe('the cause');
  });
});

describe('untilAborted', () => {
  it('gives the result or the error of the work, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('ends with the signal, at once or later', async () => {
    const caller = new AbortController();
    const waiting = untilAborted(forever, caller.signal);
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' });
    await expect(untilAborted(forever, caller.signal)).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('swallows the failure of work that nobody waits for any more', async () => {
    await expect(untilAborted(Promise.reject(new Error('late')), AbortSignal.abort())).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });
});

describe('settlesWithin', () => {
  it('says whether the work was over, well or badly', async () => {
    const limit = { ms: 60_000, keepsAlive: true };
    expect(await settlesWithin(Promise.resolve(), limit)).toBe(true);
    expect(await settlesWithin(Promise.reject(new Error('broken')), limit)).toBe(true);
    expect(await settlesWithin(forever, { ms: 1, keepsAlive: false })).toBe(false);
  });
});
