import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { createLoss } from './loss.ts';
import { checkAborted, waitFor } from './wait.ts';

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
