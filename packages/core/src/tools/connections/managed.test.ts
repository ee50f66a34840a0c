import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BaseConnection } from '../../connection.ts';
import { Failure } from '../../failure.ts';
import { createManager, type Manager } from '../../manager/manager.ts';
import { createFakeEngine, type FakeBackend, FakeEngineError, isFakeStaleError } from '../../testing/fakes/fake-engine.ts';
import { createFakeRegistry } from '../../testing/fakes/fake-registry.ts';
import { withManaged } from './managed.ts';

const managers: Manager<FakeBackend>[] = [];
afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.disposeAll()));
});

function open() {
  const engine = createFakeEngine();
  engine.data.set('key', 'value');
  const { host, port } = engine.address;
  const registry = createFakeRegistry<BaseConnection>({ name: 'main', type: 'fake', host, port, readonly: false });
  const manager = createManager<BaseConnection, FakeBackend>(registry, {
    createBackend: engine.createBackend,
    createTunnel: () => Promise.reject(new Error('no tunnel here')),
    resolvePort: () => port,
    // What is not in use is closed at once, so that a lease that was not given back shows.
    idleMs: 1,
  });
  managers.push(manager);
  return { engine, manager };
}

function options(signal = new AbortController().signal) {
  return { signal, isStaleError: isFakeStaleError };
}

describe('withManaged', () => {
  it('returns what the call returned, and gives the backend back', async () => {
    const { engine, manager } = open();
    const use = async (backend: FakeBackend) => await backend.get('key', options().signal);
    expect(await withManaged(manager, 'main', use, options())).toBe('value');
    await vi.waitFor(() => expect(engine.sessions).toBe(0));
  });

  it('replaces a backend that went stale between two calls, unseen by the caller', async () => {
    const { engine, manager } = open();
    const get = () => withManaged(manager, 'main', async (backend) => await backend.get('key', options().signal), options());
    await get();
    engine.restart();
    expect(await get()).toBe('value');
    expect(engine.openings).toBe(2);
  });

  it('remembers that the server could not be reached, until it can be again', async () => {
    const { manager } = open();
    const fail = async () => Promise.reject(new Failure('connection', 'nothing listens', { code: 'E_CONNECT_REFUSED' }));
    const refuse = async () => Promise.reject(new Failure('engine', 'no such table'));
    // Holding it keeps it open between two calls.
    const held = await manager.acquire('main', options().signal);
    await expect(withManaged(manager, 'main', fail, options())).rejects.toThrow('nothing listens');
    expect(manager.status('main')).toEqual({ state: 'failed' });
    await expect(withManaged(manager, 'main', refuse, options())).rejects.toThrow('no such table');
    expect(manager.status('main')).toEqual({ state: 'open' });
    held.release();
  });

  it.each(['cannot be opened', 'was dropped'])('remembers it of a backend that %s', async (what) => {
    const { engine, manager } = open();
    engine.behaviour.failOpens = what === 'was dropped' ? 0 : 1;
    const drop = async () => Promise.reject(new FakeEngineError('gone'));
    await expect(withManaged(manager, 'main', drop, options())).rejects.toMatchObject({ kind: 'connection' });
    expect(manager.status('main')).toEqual({ state: 'failed' });
    await withManaged(manager, 'main', async (backend) => await backend.get('key', options().signal), options());
    await vi.waitFor(() => expect(manager.status('main')).toEqual({ state: 'closed' }));
  });

  it('does not lend a backend again that says it is spent', async () => {
    const { engine, manager } = open();
    let isSpent = false;
    const get = () =>
      withManaged(
        manager,
        'main',
        async (backend) => await Object.assign(backend, { isSpent: () => isSpent }).get('key', options().signal),
        options(),
      );
    // Holding it keeps it open between two calls.
    const held = await manager.acquire('main', options().signal);
    await get();
    expect(engine.openings).toBe(1);
    isSpent = true;
    await get();
    isSpent = false;
    await get();
    expect(engine.openings).toBe(2);
    held.release();
  });

  it('runs a second time after a stale error and never after that, and leaks no lease', async () => {
    const outcome = fc.constantFrom('fine' as const, 'gone' as const, 'lost' as const, 'abort' as const);
    const run = fc.tuple(outcome, outcome, outcome);
    await fc.assert(
      fc.asyncProperty(run, async (outcomes) => {
        const { engine, manager } = open();
        const acquire = vi.spyOn(manager, 'acquire');
        const caller = new AbortController();
        let runs = 0;
        const use = async () => {
          const now = outcomes[runs++];
          if (now === 'abort') caller.abort();
          if (now !== 'fine') throw new FakeEngineError(now === 'lost' ? 'lost' : 'gone');
          return 'fine';
        };
        const ended = await withManaged(manager, 'main', use, options(caller.signal)).catch((error: unknown) => error);
        const [first, second] = outcomes;
        expect(runs).toBe(first === 'gone' ? 2 : 1);
        expect(acquire).toHaveBeenCalledTimes(runs);
        const last = first === 'gone' ? second : first;
        if (last === 'fine') expect(ended).toBe('fine');
        else expect(ended).toMatchObject({ name: 'Failure', kind: last === 'abort' ? 'cancelled' : 'connection' });
        await manager.close('main');
        expect(engine.sessions).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('does not use a stale backend for the next call either', async () => {
    const { engine, manager } = open();
    const fail = withManaged(manager, 'main', () => Promise.reject(new FakeEngineError('gone')), options());
    await expect(fail).rejects.toMatchObject({ kind: 'connection' });
    expect(manager.status('main')).toEqual({ state: 'failed' });
    expect(engine.openings).toBe(2);
  });

  it('keeps a Failure as it is, also one of opening', async () => {
    const { engine, manager } = open();
    const own = new Failure('limit', 'too many');
    await expect(withManaged(manager, 'main', () => Promise.reject(own), options())).rejects.toBe(own);
    engine.behaviour.password = 'changed';
    await manager.close('main');
    await expect(withManaged(manager, 'main', async () => 'fine', options())).rejects.toMatchObject({ kind: 'auth' });
  });

  it('reports any other error as internal', async () => {
    const { manager } = open();
    const call = withManaged(manager, 'main', () => Promise.reject(new TypeError('x is not a function')), options());
    await expect(call).rejects.toMatchObject({ name: 'Failure', kind: 'internal' });
  });

  it('quotes the abort reason, whatever the driver made of it', async () => {
    const { manager } = open();
    const caller = new AbortController();
    const reason = new Failure('timeout', 'the time is up');
    const use = async () => {
      caller.abort(reason);
      throw new Error('statement ended');
    };
    await expect(withManaged(manager, 'main', use, options(caller.signal))).rejects.toBe(reason);
  });
});
