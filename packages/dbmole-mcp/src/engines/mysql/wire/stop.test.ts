import { describe, expect, it } from 'vitest';
import type { Conversation } from './conversation.ts';
import { createDeferred } from './deferred.ts';
import { Watch } from './stop.ts';

function createRig() {
  const log: string[] = [];
  const asked = createDeferred<void>();
  const answer = createDeferred<void>();
  const conversation: Conversation = {
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
    reset: async () => undefined,
    renew: async () => undefined,
    runAhead: async () => undefined,
    isAhead: false,
    pause: () => log.push('pause'),
    resume: () => log.push('resume'),
    lose: () => undefined,
    destroy: () => log.push('destroy'),
    abandon: () => log.push('abandon'),
    end: async () => undefined,
  };
  const canceller = {
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
  const watch = new Watch({ conversation, canceller, signal, closing, timeoutMs: 10_000, discard: () => log.push('discard') });
  return { log, conversation, asked, answer, aborter, watch };
}

describe('stopping a statement', () => {
  it('waits for the answer to a late KILL, and runs an empty statement for it to hit', async () => {
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

  it('sends no KILL when the statement has ended before', async () => {
    const { log, asked, aborter, watch } = createRig();
    aborter.abort();
    watch.settle();
    await watch.absorbKill();
    asked.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toEqual(['discard', 'pause', 'resume']);
  });

  it('repeats the KILL while the statement runs', async () => {
    const { log, asked, answer, aborter, watch } = createRig();
    asked.resolve();
    answer.resolve();
    aborter.abort();
    const count = () => log.filter((line) => line === 'killed').length;
    await expect.poll(count).toBeGreaterThan(2);
    const killed = count();
    watch.settle();
    await watch.absorbKill();
    expect(count()).toBe(killed);
    expect(log.at(-1)).toBe('DO 0');
  });

  it('abandons a statement that it cannot stop', async () => {
    const { log, asked, aborter } = createRig();
    aborter.abort();
    asked.reject(new Error('too many connections'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).toContain('abandon');
  });

  it('keeps the connection of an abandoned statement open when its KILL fails later', async () => {
    const { log, conversation, asked, answer, aborter, watch } = createRig();
    aborter.abort();
    asked.resolve();
    await expect.poll(() => log).toContain('kill 7');
    Object.assign(conversation, { pendingEnd: Promise.resolve() });
    watch.settle();
    answer.reject(new Error('the server did not answer the KILL'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(log).not.toContain('destroy');
  });

  it('sends no KILL while the reset before the statement runs, because it would hit the reset', async () => {
    const { log, conversation, asked, answer, aborter, watch } = createRig();
    Object.assign(conversation, { isAhead: true });
    asked.resolve();
    answer.resolve();
    aborter.abort();
    await expect.poll(() => log.filter((line) => line === 'resume').length).toBeGreaterThan(1);
    expect(log).not.toContain('kill 7');
    Object.assign(conversation, { isAhead: false });
    await expect.poll(() => log).toContain('killed');
    watch.settle();
    await watch.absorbKill();
  });
});
