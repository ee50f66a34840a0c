import { getEventListeners } from 'node:events';
import { describe, expect, it, test } from 'vitest';
import { checkAborted, formatAbort, onAbort, settlesWithin, untilAborted, waitFor, withDeadline } from './abort.ts';
import { Failure } from './failure.ts';
import { createLoss } from './tunnel/library/link-failures.ts';

const forever = new Promise<never>(() => undefined);

describe('onAbort', () => {
  it('calls once, at once where the signal is aborted already, and never after it was ended', () => {
    const calls: string[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    onAbort(signal, () => calls.push('first'));
    const stop = onAbort(signal, () => calls.push('ended'));
    stop();
    controller.abort();
    onAbort(signal, () => calls.push('late'));
    onAbort(undefined, () => calls.push('none'))();
    expect(calls).toEqual(['first', 'late']);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('takes any number of listeners without a warning of Node', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    const { signal } = new AbortController();
    const stops = Array.from({ length: 30 }, () => onAbort(signal, () => undefined));
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings).toEqual([]);
    for (const stop of stops) stop();
  });
});

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

  it('swallows the failure of abandoned work', async () => {
    await expect(untilAborted(Promise.reject(new Error('late')), AbortSignal.abort())).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });
});

const onTimeout = (): Failure => new Failure('timeout', 'too late');
const lost = new Failure('tunnel', 'lost');

test('the first answer counts', async () => {
  const answer = await waitFor<number>({ timeoutMs: 1_000, onTimeout }, (resolve, reject) => {
    resolve(1);
    resolve(2);
    reject(new Error('no'));
  });
  expect(answer).toBe(1);
});

test('waits no longer than allowed, and disposes what comes late', async () => {
  const late: number[] = [];
  let answer: (value: number) => void = () => {};
  const work = waitFor<number>({ timeoutMs: 5, onTimeout, late: (value) => late.push(value) }, (resolve) => {
    answer = resolve;
  });
  await expect(work).rejects.toThrow('too late');
  answer(7);
  expect(late).toEqual([7]);
});

test('a loss ends the wait, also one that happened before', async () => {
  const loss = createLoss();
  const work = waitFor<void>({ timeoutMs: 1_000, onTimeout, loss }, () => {});
  loss.declare(lost);
  loss.declare(new Failure('tunnel', 'noise'));
  await expect(work).rejects.toBe(lost);
  let started = false;
  const next = waitFor<void>({ timeoutMs: 1_000, onTimeout, loss }, () => {
    started = true;
  });
  await expect(next).rejects.toBe(lost);
  expect(started).toBe(false);
});

test('what is thrown is a rejection', async () => {
  const work = waitFor<void>({ timeoutMs: 1_000, onTimeout }, () => {
    throw new Error('at once');
  });
  await expect(work).rejects.toThrow('at once');
});

test('the caller can give up, before and while waiting, and leaves no listener behind', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const done = waitFor<number>({ timeoutMs: 1_000, onTimeout, signal }, (resolve) => resolve(1));
  expect(await done).toBe(1);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  const work = waitFor<void>({ timeoutMs: 1_000, onTimeout, signal }, () => {});
  controller.abort(new Failure('timeout', 'the call took too long'));
  await expect(work).rejects.toThrow('the call took too long');
  await expect(waitFor<void>({ timeoutMs: 1_000, onTimeout, signal }, () => {})).rejects.toThrow('the call took too long');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  expect(() => checkAborted(signal)).toThrow('the call took too long');
  expect(() => checkAborted(AbortSignal.abort())).toThrow(expect.objectContaining({ kind: 'cancelled' }));
  checkAborted(undefined);
});

test('listening to a loss can be stopped', () => {
  const loss = createLoss();
  const heard: string[] = [];
  const stop = loss.onLoss(() => heard.push('stopped'));
  loss.onLoss((cause) => heard.push(cause.message));
  stop();
  loss.declare(lost);
  loss.onLoss((cause) => heard.push(`late ${cause.message}`));
  expect(heard).toEqual(['lost', 'late lost']);
  expect(loss.cause).toBe(lost);
});

describe('withDeadline', () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('returns the result of the work and leaves no listener and no timer', async () => {
    const { signal } = new AbortController();
    let inner: AbortSignal | undefined;
    const work = async (limited: AbortSignal) => {
      inner = limited;
      return 1;
    };
    expect(await withDeadline({ signals: [signal, undefined], ms: 5, onTimeout }, work)).toBe(1);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await new Promise((resolve) => setTimeout(resolve, 15));
    expect(inner?.aborted).toBe(false);
  });

  it('aborts the work with the reason of the first that ends it', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const signals = [one.signal, two.signal];
    await expect(withDeadline({ signals, ms: 5, onTimeout }, untilAborted)).rejects.toThrow('too late');
    const work = withDeadline({ signals }, untilAborted);
    two.abort(lost);
    one.abort(new Error('later'));
    await expect(work).rejects.toBe(lost);
    expect(getEventListeners(one.signal, 'abort')).toHaveLength(0);
  });

  it('starts the work under an aborted signal where a caller has given up already', async () => {
    const signals = [new AbortController().signal, AbortSignal.abort(lost)];
    const seen = await withDeadline({ signals, ms: 1_000, onTimeout }, async (signal) => signal.reason);
    expect(seen).toBe(lost);
  });
});

describe('settlesWithin', () => {
  it('says whether the work was over, well or badly', async () => {
    const limit = { ms: 60_000, keepsAlive: true };
    expect(await settlesWithin(Promise.resolve(), limit)).toBe(true);
    expect(await settlesWithin(Promise.reject(new Error('broken')), limit)).toBe(true);
    expect(await settlesWithin(new Promise<never>(() => undefined), { ms: 1, keepsAlive: false })).toBe(false);
  });
});
