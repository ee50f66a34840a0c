import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '@dbmole/core';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Session } from '../engine.ts';
import { staleFailure } from '../failure.ts';
import { SessionPool, type SessionPoolOptions } from './session-pool.ts';

const forever = new AbortController().signal;
setMaxListeners(0, forever);
const pools: SessionPool[] = [];

afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.dispose())));

class FakeSession implements Session {
  alive = true;
  busy = false;
  closings = 0;
  pendingEnd: Promise<void> | undefined;
  read = async () => ({ timeZone: undefined });
  readAll = async () => [];
  write = async () => ({ changed: undefined, command: 'DONE' });
  transact = async () => await Promise.reject(new Error('not needed here'));

  async close(): Promise<void> {
    this.alive = false;
    this.closings += 1;
  }

  /** Serves one call at a time, like a real one. */
  async work(ms: number): Promise<FakeSession> {
    if (this.busy) throw new Error('two calls on one session');
    this.busy = true;
    await delay(ms);
    this.busy = false;
    return this;
  }
}

function createPool(options: Partial<SessionPoolOptions> = {}) {
  const sessions: FakeSession[] = [];
  const open = async () => {
    const session = new FakeSession();
    sessions.push(session);
    return session;
  };
  const pool = new SessionPool({ open, ...options });
  pools.push(pool);
  // The pool opened it, so it is a fake session.
  const run = (ms = 0, signal = forever) => pool.use(signal, (session) => (session as FakeSession).work(ms));
  return { pool, sessions, run };
}

describe('the sessions of a pool', () => {
  it('are used again', async () => {
    const { sessions, run } = createPool();
    for (let i = 0; i < 10; i++) await run();
    expect(sessions).toHaveLength(1);
  });

  it('serve a short call while a long one runs', async () => {
    const { run } = createPool();
    const long = run(300).then(() => 'long');
    expect(await Promise.race([long, run().then(() => 'short')])).toBe('short');
    await long;
  });

  it('are never more than the size, whatever is asked at once', async () => {
    const { sessions, run } = createPool({ size: 3 });
    await Promise.all(Array.from({ length: 50 }, () => run(2)));
    expect(sessions.length).toBe(3);
  });

  it('are replaced when they have died', async () => {
    const { sessions, run } = createPool();
    const first = await run();
    first.alive = false;
    expect(await run()).not.toBe(first);
    expect(sessions.map(({ closings }) => closings)).toEqual([1, 0]);
  });

  it('sessions that a call leaves in doubt are used no more', async () => {
    const { pool, sessions, run } = createPool();
    await expect(
      pool.use(forever, async (session) => {
        (session as FakeSession).alive = false;
        throw new Error('lost');
      }),
    ).rejects.toThrow('lost');
    await run();
    expect(sessions).toHaveLength(2);
  });

  it('sessions that may still be cleaning up after a failure are the last to be used again', async () => {
    const { pool, run } = createPool();
    const [first, second] = await Promise.all([run(5), run(5)]);
    let failed: unknown;
    await expect(
      pool.use(forever, async (session) => {
        failed = session;
        throw new Error('badly');
      }),
    ).rejects.toThrow('badly');
    expect([first, second]).toContain(failed);
    expect(await run()).not.toBe(failed);
  });

  it('are not exceeded by calls that come while others wait', async () => {
    const { sessions, run } = createPool({ size: 2 });
    const calls: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i++) {
      calls.push(run(4));
      if (i % 3 === 0) await delay(1);
    }
    await Promise.all(calls);
    expect(sessions).toHaveLength(2);
  });

  it('are closed after a while, but for one', async () => {
    const { sessions, run } = createPool({ idleMs: 20 });
    await Promise.all([run(5), run(5), run(5)]);
    await vi.waitFor(() => expect(sessions.filter(({ alive }) => alive)).toHaveLength(1));
    await delay(60);
    expect(sessions.filter(({ alive }) => alive)).toHaveLength(1);
  });
});

describe('a stale session', () => {
  it('is replaced by a fresh one, and the call made again', async () => {
    const { pool, sessions, run } = createPool();
    await Promise.all([run(5), run(5), run(5)]);
    let calls = 0;
    const answer = await pool.use(forever, async (session) => {
      calls += 1;
      if (calls === 1) throw staleFailure();
      return session;
    });
    expect(answer).toBe(sessions[3]);
    // One that had died with it would only have failed again.
    expect(sessions.slice(0, 3).filter(({ alive }) => alive).length).toBeLessThanOrEqual(1);
  });

  it('is replaced once, not repeatedly', async () => {
    const { pool } = createPool();
    let calls = 0;
    const work = async () => {
      calls += 1;
      throw staleFailure();
    };
    await expect(pool.use(forever, work)).rejects.toMatchObject({ code: 'E_STALE' });
    expect(calls).toBe(2);
  });

  it('is the only reason to make a call again', async () => {
    const { pool } = createPool();
    let calls = 0;
    const work = async () => {
      calls += 1;
      throw new Failure('connection', 'lost while it ran', { code: 'E_OUTCOME_UNKNOWN' });
    };
    await expect(pool.use(forever, work)).rejects.toMatchObject({ code: 'E_OUTCOME_UNKNOWN' });
    expect(calls).toBe(1);
  });
});

describe('a call that finds no free session', () => {
  it('waits for one', async () => {
    const { sessions, run } = createPool({ size: 1 });
    const [first, second] = await Promise.all([run(20), run()]);
    expect(second).toBe(first);
    expect(sessions).toHaveLength(1);
  });

  it.each([
    [1, 'the only session of this connection is busy, and none became free'],
    [2, 'all 2 sessions of this connection are busy, and none became free'],
  ])('says after a while that all are busy: %d', async (size, said) => {
    const { run } = createPool({ size, waitMs: 20 });
    const running = Array.from({ length: size }, () => run(200));
    const failure = { kind: 'limit', code: 'E_POOL_BUSY', message: expect.stringContaining(said) };
    await expect(run()).rejects.toMatchObject(failure);
    await Promise.all(running);
    await run();
  });

  it('leaves the queue when it is cancelled', async () => {
    const { pool, run } = createPool({ size: 1 });
    const long = run(50);
    const stop = new AbortController();
    const waiting = run(0, stop.signal);
    stop.abort(new Failure('cancelled', 'enough'));
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' });
    await long;
    await run();
    expect(pool.inUse).toBe(false);
  });

  it('says that all were busy also when its time is up before the wait is', async () => {
    const { run } = createPool({ size: 1 });
    const long = run(50);
    const stop = new AbortController();
    const waiting = run(0, stop.signal);
    stop.abort(new Failure('timeout', 'query did not finish within 10 ms'));
    await expect(waiting).rejects.toMatchObject({ code: 'E_POOL_BUSY' });
    await long;
    await run();
  });

  it('does not even begin when it was cancelled before', async () => {
    const { sessions, run } = createPool();
    await expect(run(0, AbortSignal.abort(new Failure('cancelled', 'enough')))).rejects.toMatchObject({ kind: 'cancelled' });
    expect(sessions).toEqual([]);
  });
});

describe('a call for which the server has no further session', () => {
  /** A server that has room for so many sessions of this pool. */
  function createCrowded(room: number, options: Partial<SessionPoolOptions> = {}) {
    const opened: FakeSession[] = [];
    let left = 0;
    const open = async () => {
      await delay(1);
      // The end of a session is noticed a little later.
      if (opened.some(({ alive }) => !alive) && left === 0) left = performance.now() + 30;
      if (opened.filter(({ alive }) => alive || performance.now() < left).length >= room)
        throw new Failure('connection', 'too many clients', { code: 'E_TOO_MANY_CONNECTIONS' });
      const session = new FakeSession();
      opened.push(session);
      return session;
    };
    return { ...createPool({ open, ...options }), opened };
  }

  it('shares those that there are', async () => {
    const { pool, run, opened } = createCrowded(1);
    await Promise.all(Array.from({ length: 20 }, () => run(1)));
    expect(opened).toHaveLength(1);
    expect(pool.inUse).toBe(false);
    await run();
  });

  it('fails if no session is open, or the open ones stay busy', async () => {
    const code = 'E_TOO_MANY_CONNECTIONS';
    await expect(createCrowded(0).run()).rejects.toMatchObject({ code });
    const { pool, run } = createCrowded(1, { waitMs: 20 });
    const long = run(200);
    await delay(10);
    await expect(run()).rejects.toMatchObject({ code });
    const stop = new AbortController();
    const waiting = run(0, stop.signal);
    await delay(5);
    stop.abort(new Failure('cancelled', 'enough'));
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' });
    await long;
    await run();
    expect(pool.inUse).toBe(false);
  });

  it('opens one when another has died', async () => {
    const { pool, run, opened } = createCrowded(1);
    const dying = pool.use(forever, async (session) => {
      await delay(20);
      (session as FakeSession).alive = false;
    });
    await delay(10);
    await Promise.all([run(), run(), dying]);
    expect(opened).toHaveLength(2);
  });

  it('ends with the pool', async () => {
    const { pool, run } = createCrowded(1);
    const long = run(50);
    await delay(10);
    const waiting = run().catch((error: unknown) => error);
    await delay(10);
    await pool.dispose();
    expect(await waiting).toMatchObject({ code: 'E_STALE' });
    await long;
  });
});

describe('a statement that was given up', () => {
  /** The caller gives up, and the session says that the server has not confirmed the end; `end` does. */
  async function giveUp(pool: SessionPool) {
    let end = () => {};
    const caller = new AbortController();
    const call = pool.use(caller.signal, async (session) => {
      await new Promise((resolve) => caller.signal.addEventListener('abort', resolve));
      expect(pool.unconfirmed).toBeGreaterThan(0);
      const pendingEnd = new Promise<void>((resolve) => {
        end = resolve;
      });
      Object.assign(session, { alive: false, pendingEnd });
      throw caller.signal.reason;
    });
    await delay(1);
    caller.abort(new Failure('timeout', 'it took too long', { hint: 'Ask for less.' }));
    return { failure: await call.catch((error: unknown) => error), end: () => end() };
  }

  it('keeps its slot until the server has confirmed its end', async () => {
    const { pool, sessions, run } = createPool({ size: 2, waitMs: 20 });
    const { failure, end } = await giveUp(pool);
    expect(failure).toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(/^it took too long; .*may still be running$/),
    });
    await run();
    const long = run(60);
    const busy = {
      code: 'E_POOL_BUSY',
      message: expect.stringContaining(
        'all 2 sessions of this connection are busy (given up, but possibly still running in the database: 1)',
      ),
    };
    await expect(run()).rejects.toMatchObject(busy);
    await long;
    expect([pool.unconfirmed, pool.inUse, sessions.length, sessions[0]?.closings]).toEqual([1, true, 2, 0]);
    end();
    await Promise.all([run(5), run(5)]);
    expect([pool.unconfirmed, pool.inUse, sessions[0]?.closings]).toEqual([0, false, 1]);
  });

  it('lets a waiting call in when it has ended, and no earlier', async () => {
    const { pool, run } = createPool({ size: 1 });
    const { end } = await giveUp(pool);
    const waiting = run().then(() => 'ran');
    expect(await Promise.race([waiting, delay(20, 'waits')])).toBe('waits');
    end();
    expect(await waiting).toBe('ran');
    expect(pool.inUse).toBe(false);
  });

  it('is counted while it is being stopped, and no longer when the server has confirmed it', async () => {
    const { pool, run } = createPool();
    const caller = new AbortController();
    const running = run(20, caller.signal);
    await delay(1);
    expect(pool.unconfirmed).toBe(0);
    caller.abort(new Failure('cancelled', 'enough'));
    expect(pool.unconfirmed).toBe(1);
    await running;
    expect(pool.unconfirmed).toBe(0);
  });

  it('is closed with the pool', async () => {
    const { pool, sessions } = createPool();
    const { end } = await giveUp(pool);
    await pool.dispose();
    end();
    await delay(1);
    expect(sessions[0]?.closings).toBe(1);
  });
});

describe('opening', () => {
  it('an opening that fails is the failure of this call only', async () => {
    let calls = 0;
    const { pool } = createPool({
      async open() {
        calls += 1;
        if (calls === 1) throw new Failure('connection', 'nothing accepts connections there', { code: 'E_CONNECT_REFUSED' });
        return new FakeSession();
      },
    });
    await expect(pool.warm(forever)).rejects.toMatchObject({ code: 'E_CONNECT_REFUSED' });
    await pool.warm(forever);
    expect(pool.inUse).toBe(false);
  });

  it('ends with the call', async () => {
    const { pool } = createPool({ open: untilAborted });
    const stop = new AbortController();
    const opening = pool.warm(stop.signal);
    await Promise.race([opening, delay(1)]);
    stop.abort(new Failure('cancelled', 'enough'));
    await expect(opening).rejects.toMatchObject({ message: 'enough' });
  });

  it('does not begin when the call was cancelled just before', async () => {
    const { pool, sessions } = createPool();
    const stop = new AbortController();
    const opening = pool.warm(stop.signal);
    stop.abort(new Failure('cancelled', 'enough'));
    await expect(opening).rejects.toMatchObject({ message: 'enough' });
    expect(sessions).toEqual([]);
  });

  it('ends with the pool', async () => {
    const { pool } = createPool({ open: untilAborted });
    const opening = pool.warm(forever).catch((error: unknown) => error);
    await delay(1);
    await pool.dispose();
    expect(await opening).toMatchObject({ code: 'E_STALE' });
  });

  it('an opening that succeeds after the end of the pool is closed again', async () => {
    const late = new FakeSession();
    const { pool } = createPool({ open: () => delay(20, late) });
    const opening = pool.warm(forever).catch((error: unknown) => error);
    await delay(1);
    await pool.dispose();
    expect(await opening).toMatchObject({ code: 'E_STALE' });
    expect(late.closings).toBe(1);
  });
});

describe('the end of a pool', () => {
  it('closes what is idle and what runs, and refuses who waits', async () => {
    const { pool, sessions, run } = createPool({ size: 2 });
    const running = [run(20), run(20)];
    const waiting = run().catch((error: unknown) => error);
    await delay(5);
    await pool.dispose();
    expect(sessions.map(({ closings }) => closings)).toEqual([1, 1]);
    expect(await waiting).toMatchObject({ code: 'E_STALE' });
    await Promise.all(running);
    await expect(run()).rejects.toMatchObject({ code: 'E_STALE' });
    expect(sessions.map(({ closings }) => closings)).toEqual([1, 1]);
  });

  it('does not wait without a limit for a session that does not answer', async () => {
    const session = new FakeSession();
    session.close = () => new Promise(() => undefined);
    const { pool } = createPool({ open: async () => session, disposeMs: 20 });
    await pool.warm(forever);
    await pool.dispose();
  });
});

it('keeps its promises under any mixture of calls', async () => {
  const call = fc.record({
    after: fc.integer({ min: 0, max: 15 }),
    ms: fc.integer({ min: 0, max: 5 }),
    ends: fc.constantFrom('well', 'badly', 'dead', 'stale', 'cancelled'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 30 }), fc.integer({ min: 1, max: 4 }), async (calls, size) => {
      const { pool, sessions } = createPool({ size });
      let open = 0;
      const outcomes = await Promise.allSettled(
        calls.map(async ({ after, ms, ends }) => {
          await delay(after);
          const stop = new AbortController();
          if (ends === 'cancelled') setTimeout(() => stop.abort(new Failure('cancelled', 'enough')), ms);
          await pool.use(stop.signal, async (given) => {
            const session = given as FakeSession;
            expect(session.alive).toBe(true);
            open = Math.max(open, sessions.filter(({ alive }) => alive).length);
            await session.work(ms);
            if (ends === 'dead') session.alive = false;
            if (ends === 'stale') throw staleFailure();
            if (ends === 'badly') throw new Error('badly');
          });
        }),
      );
      for (const [index, { status }] of outcomes.entries()) {
        const ends = calls[index]?.ends;
        if (ends === 'well' || ends === 'dead') expect(status).toBe('fulfilled');
        if (ends === 'badly' || ends === 'stale') expect(status).toBe('rejected');
      }
      expect(open).toBeLessThanOrEqual(size);
      expect(pool.inUse).toBe(false);
      await pool.dispose();
      expect(sessions.filter(({ closings }) => closings !== 1)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

function untilAborted(signal: AbortSignal): Promise<Session> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
