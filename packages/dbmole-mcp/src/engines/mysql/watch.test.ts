import { describe, expect, it } from 'vitest';
import { createDeferred } from './deferred.ts';
import type { Link } from './link.ts';
import { Watch } from './watch.ts';

function createRig() {
  const log: string[] = [];
  const asked = createDeferred<void>();
  const answer = createDeferred<void>();
  const link: Link = {
    opened: Promise.resolve(),
    closed: Promise.resolve(),
    threadId: 7,
    lost: undefined,
    leaving: false,
    pendingEnd: undefined,
    query: async (sql) => {
      log.push(sql);
      return { affectedRows: 0, warnings: 0, inTransaction: true, database: undefined };
    },
    countColumns: async () => 0,
    bind: async () => undefined,
    reset: async () => undefined,
    renew: async () => undefined,
    pause: () => log.push('pause'),
    resume: () => log.push('resume'),
    lose: () => undefined,
    destroy: () => log.push('destroy'),
    abandon: () => log.push('abandon'),
    end: async () => undefined,
  };
  const control = {
    prepare: () => undefined,
    kill: async (threadId: number, claim: () => boolean) => {
      await asked.promise;
      if (!claim()) return;
      log.push(`kill ${threadId}`);
      await answer.promise;
      log.push('killed');
    },
  };
  const aborter = new AbortController();
  const { signal } = aborter;
  const closing = new AbortController().signal;
  const watch = new Watch({ link, control, signal, closing, timeoutMs: 10_000, discard: () => log.push('discard') });
  return { log, asked, answer, aborter, watch };
}

describe('stopping a statement', () => {
  it('waits for the answer to a KILL that comes late, and sacrifices a statement to it', async () => {
    const { log, asked, answer, aborter, watch } = createRig();
    aborter.abort();
    asked.resolve();
    await Promise.resolve();
    await Promise.resolve();
    watch.settle();
    const absorbed = watch.absorbKill();
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['discard', 'pause', 'kill 7']);
    answer.resolve();
    await absorbed;
    expect(log).toEqual(['discard', 'pause', 'kill 7', 'killed', 'resume', 'DO 0']);
    expect(watch.cause).toBe('aborted');
  });

  it('sends no KILL when the statement is over before it could', async () => {
    const { log, asked, aborter, watch } = createRig();
    aborter.abort();
    watch.settle();
    await watch.absorbKill();
    asked.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['discard', 'pause', 'resume']);
  });

  it('asks again while the statement goes on: the first KILL may have come before it began', async () => {
    const { log, asked, answer, aborter, watch } = createRig();
    asked.resolve();
    answer.resolve();
    aborter.abort();
    await expect.poll(() => log.filter((line) => line === 'killed').length).toBe(3);
    watch.settle();
    await watch.absorbKill();
    expect(log.filter((line) => line === 'killed')).toHaveLength(3);
    expect(log.at(-1)).toBe('DO 0');
  });

  it('abandons a statement that it cannot stop', async () => {
    const { log, asked, aborter } = createRig();
    aborter.abort();
    asked.reject(new Error('too many connections'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toContain('abandon');
  });
});
