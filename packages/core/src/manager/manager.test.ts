import { getEventListeners, setMaxListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BaseConnection } from '../connection.ts';
import { createFakeEngine, type FakeBackend, type FakeBehaviour } from '../testing/fakes/fake-engine.ts';
import { createFakeRegistry } from '../testing/fakes/fake-registry.ts';
import { createFakeTunnel, type FakeTunnel } from '../testing/fakes/fake-tunnel.ts';
import { createManager, type Manager, type ManagerOptions } from './manager.ts';

/** The signal of a caller who stays. Many callers share it here, which in real life they do not. */
const never = new AbortController().signal;
setMaxListeners(0, never);
const managers: Manager<FakeBackend>[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(managers.splice(0).map((manager) => manager.disposeAll()));
});

function connection(changes: Partial<BaseConnection> = {}): BaseConnection {
  return { name: 'main', type: 'fake', host: 'fake.invalid', port: 7, readonly: false, ...changes };
}

type Options = ManagerOptions<BaseConnection, FakeBackend>;

/** Something to wait for that a test lets happen. */
function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Long enough for every promise that can settle to have settled. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What opens a file of the fake engine's world, and sees what it gets. */
function openFiles(...configs: FileConnection[]) {
  const engine = createFakeEngine({ password: 'the-key' });
  const registry = createFakeRegistry<FileConnection>(...configs);
  const createBackend = vi.fn(engine.createBackend);
  const createTunnel = vi.fn(async () => createFakeTunnel());
  const resolvePort = () => expect.fail('a file has no port');
  const manager = createManager<FileConnection, FakeBackend>(registry, { createBackend, createTunnel, resolvePort });
  managers.push(manager);
  return { engine, registry, manager, createBackend, createTunnel };
}

type FileConnection = BaseConnection & { file: string };
const file: FileConnection = { name: 'box', type: 'box', file: import.meta.filename, password: 'the-key', readonly: true };

describe('a connection that leads to a file', () => {
  it('is opened without host, port or tunnel, and lent like any other', async () => {
    const { engine, manager, createBackend, createTunnel } = openFiles(file);
    engine.data.set('a', 'one');
    const [first, second] = await Promise.all([manager.acquire('box', never), manager.acquire(undefined, never)]);
    expect(await first.backend.get('a', never)).toBe('one');
    expect(second.backend).toBe(first.backend);
    expect(createBackend.mock.calls.map(([target]) => target)).toEqual([{ config: file, file: file.file }]);
    expect(createTunnel).not.toHaveBeenCalled();
    expect(manager.status('box')).toEqual({ state: 'open' });
    first.release();
    second.release();
    await manager.close('box');
    expect(engine.sessions).toBe(0);
  });

  it('is opened again when it leads to another file', async () => {
    const { registry, manager, createBackend } = openFiles(file);
    (await manager.acquire('box', never)).release();
    registry.set({ ...file, file: `${file.file}.gone` });
    const missing = { kind: 'connection', message: expect.stringMatching(/^cannot open .*gone$/) };
    await expect(manager.acquire('box', never)).rejects.toMatchObject(missing);
    expect(manager.status('box')).toEqual({ state: 'failed' });
    registry.set(file);
    (await manager.acquire('box', never)).release();
    expect(createBackend).toHaveBeenCalledTimes(3);
  });

  it('says that its key is wrong', async () => {
    const { manager } = openFiles({ ...file, password: 'another' });
    await expect(manager.acquire('box', never)).rejects.toMatchObject({ kind: 'auth' });
  });
});

function open(behaviour: Partial<FakeBehaviour> = {}, options: Partial<Options> = {}, configs = [connection()]) {
  const engine = createFakeEngine(behaviour);
  const registry = createFakeRegistry(...configs);
  const log = vi.fn();
  const manager = createManager<BaseConnection, FakeBackend>(registry, {
    createBackend: (target, signal) => engine.createBackend({ ...target, connectHost: 'fake.invalid', connectPort: 7 }, signal),
    createTunnel: async () => createFakeTunnel(),
    resolvePort: (config) => config.port ?? 7,
    log,
    limits: { graceMs: 0 },
    ...options,
  });
  managers.push(manager);
  return { engine, registry, manager, log };
}

/** A manager whose connection goes through tunnels, with a backend that only records when it ended. */
function openTunnelled(options: Partial<Options> = {}) {
  const tunnels: FakeTunnel[] = [];
  const events: string[] = [];
  const createTunnel: Options['createTunnel'] = async () => {
    const tunnel = createFakeTunnel();
    tunnel.onClosed(() => events.push('tunnel closed'));
    tunnels.push(tunnel);
    return tunnel;
  };
  const { createBackend } = createFakeEngine();
  const wrapped: Options['createBackend'] = async ({ dial: _, ...target }, signal) => {
    const backend = await createBackend(target, signal);
    return { ...backend, dispose: async () => void events.push('backend disposed') };
  };
  return { ...open({}, { createTunnel, createBackend: wrapped, ...options }, [connection({ ssh: 'bastion' })]), tunnels, events };
}

describe('opening', () => {
  it('hands the same backend to everybody, and to later calls', async () => {
    const { engine, manager } = open({ openMs: 5 });
    const leases = await Promise.all(Array.from({ length: 20 }, () => manager.acquire('main', never)));
    const later = await manager.acquire(undefined, never);
    expect(new Set([...leases, later].map((lease) => lease.backend)).size).toBe(1);
    expect(engine.openings).toBe(1);
    expect(later).toMatchObject({ name: 'main', config: connection() });
  });

  it('fails for every waiting caller, and is retried by the next', async () => {
    const { engine, manager } = open({ openMs: 5, failOpens: 1 });
    const outcomes = await Promise.allSettled([manager.acquire('main', never), manager.acquire('main', never)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(manager.status('main')).toEqual({ state: 'failed' });
    await manager.acquire('main', never);
    expect(engine.openings).toBe(2);
  });

  it('goes on for the others when one caller leaves', async () => {
    const { createBackend } = createFakeEngine();
    const gate = createGate();
    const gated = vi.fn<Options['createBackend']>(async (target, signal) => {
      await gate.opened;
      return await createBackend(target, signal);
    });
    const { manager } = open({}, { createBackend: gated });
    const impatient = new AbortController();
    const left = manager.acquire('main', impatient.signal);
    const stayed = manager.acquire('main', never);
    await turn();
    expect(manager.status('main')).toEqual({ state: 'opening' });
    impatient.abort();
    await expect(left).rejects.toMatchObject({ kind: 'cancelled' });
    expect(getEventListeners(impatient.signal, 'abort')).toHaveLength(0);
    gate.open();
    (await stayed).release();
    expect(gated).toHaveBeenCalledTimes(1);
    expect(manager.status('main')).toEqual({ state: 'open' });
  });

  it('is aborted when every caller has left, and a late result is disposed', async () => {
    const { createBackend } = createFakeEngine();
    const gate = createGate();
    const dispose = vi.fn(async () => undefined);
    const deaf = vi.fn<Options['createBackend']>(async (target) => {
      await gate.opened;
      return { ...(await createBackend(target, never)), dispose };
    });
    const { manager } = open({}, { createBackend: deaf });
    const caller = new AbortController();
    const left = manager.acquire('main', caller.signal);
    await turn();
    caller.abort();
    await expect(left).rejects.toMatchObject({ kind: 'cancelled' });
    expect(deaf.mock.calls[0]?.[1].aborted).toBe(true);
    expect(manager.status('main')).toEqual({ state: 'closed' });
    gate.open();
    await vi.waitFor(() => expect(dispose).toHaveBeenCalledTimes(1));
  });

  it('does not begin for a caller who has left already', async () => {
    const { engine, manager } = open();
    await expect(manager.acquire('main', AbortSignal.abort())).rejects.toMatchObject({ kind: 'cancelled' });
    expect(engine.openings).toBe(0);
  });

  it('does not read secrets again for a backend that is open', async () => {
    const { registry, manager } = open();
    const resolve = vi.spyOn(registry, 'resolve');
    for (let call = 0; call < 3; call += 1) (await manager.acquire('main', never)).release();
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  it('looks again when the configuration changes while its secrets are read', async () => {
    const { registry, manager } = open();
    const { resolve } = registry;
    vi.spyOn(registry, 'resolve').mockImplementationOnce(async (name) => {
      registry.set(connection({ user: 'other' }));
      return await resolve(name);
    });
    expect((await manager.acquire('main', never)).config.user).toBe('other');
  });

  it('fails when the configuration keeps changing', async () => {
    const { registry, manager } = open();
    vi.spyOn(registry, 'resolve').mockImplementation(async () => ({ config: connection(), version: 'another' }));
    await expect(manager.acquire('main', never)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('"main"'),
    });
  });

  it('passes on what the registry says of a name', async () => {
    const { manager } = open();
    await expect(manager.acquire('mian', never)).rejects.toMatchObject({ kind: 'unknown', nearest: ['main'] });
  });
});

describe('changes', () => {
  it.each([
    ['changed', (rig: ReturnType<typeof open>) => rig.registry.set(connection({ user: 'other' }))],
    ['closed', (rig: ReturnType<typeof open>) => void rig.manager.close('main')],
  ])('gives new calls a new backend when a connection was %s, and lets running ones end', async (_, change) => {
    const rig = open();
    const running = await rig.manager.acquire('main', never);
    change(rig);
    const next = await rig.manager.acquire('main', never);
    expect(next.backend).not.toBe(running.backend);
    expect(rig.engine.sessions).toBe(2);
    await running.backend.get('key', never);
    running.release();
    running.release();
    await vi.waitFor(() => expect(rig.engine.sessions).toBe(1));
    await next.backend.get('key', never);
  });

  it('closes a removed connection at the next call of it, and a renamed one at the next opening', async () => {
    const { engine, registry, manager } = open({}, {}, [connection(), connection({ name: 'old' })]);
    for (const name of ['main', 'old']) (await manager.acquire(name, never)).release();
    registry.drop('main');
    await expect(manager.acquire('main', never)).rejects.toMatchObject({ kind: 'unknown' });
    await vi.waitFor(() => expect(engine.sessions).toBe(1));
    registry.drop('old');
    registry.set(connection({ name: 'new' }));
    (await manager.acquire('new', never)).release();
    await vi.waitFor(() => expect(manager.status('old')).toEqual({ state: 'closed' }));
    await vi.waitFor(() => expect(engine.sessions).toBe(1));
  });

  it('closes when the last lease is back, and says when that is done', async () => {
    const { engine, manager } = open();
    const lease = await manager.acquire('main', never);
    const closed = vi.fn();
    const closing = manager.close('main').then(closed);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(closed).not.toHaveBeenCalled();
    lease.release();
    await closing;
    expect(engine.sessions).toBe(0);
    await manager.close('never heard of');
  });

  it('lets those who wait for an opening have it although the connection is closed meanwhile', async () => {
    const gate = createGate();
    const { engine, registry, manager } = open();
    const { resolve } = registry;
    vi.spyOn(registry, 'resolve').mockImplementation((name) => gate.opened.then(() => resolve(name)));
    const waiting = manager.acquire('main', never);
    await turn();
    expect(manager.status('main')).toEqual({ state: 'opening' });
    const closed = vi.fn();
    const closing = manager.close('main').then(closed);
    await turn();
    expect(closed).not.toHaveBeenCalled();
    expect(manager.status('main')).toEqual({ state: 'closed' });
    gate.open();
    (await waiting).release();
    await closing;
    expect(engine).toMatchObject({ openings: 1, sessions: 0 });
  });

  it('closes a connection only after it was idle for a while', async () => {
    const { engine, manager } = open({}, { idleMs: 40 });
    const lease = await manager.acquire('main', never);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(engine.sessions).toBe(1);
    lease.release();
    const again = await manager.acquire('main', never);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(engine.sessions).toBe(1);
    again.release();
    expect(engine.sessions).toBe(1);
    await vi.waitFor(() => expect(engine.sessions).toBe(0));
    expect(manager.status('main')).toEqual({ state: 'closed' });
  });
});

describe('a backend with a statement that may still be running', () => {
  it('says so, and stays open unused until it has ended', async () => {
    let unconfirmed = 1;
    const { createBackend } = createFakeEngine();
    const counted: Options['createBackend'] = async (target, signal) =>
      Object.assign(await createBackend(target, signal), { unconfirmed: () => unconfirmed });
    const { manager } = open({}, { createBackend: counted, idleMs: 10 });
    (await manager.acquire('main', never)).release();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(manager.status('main')).toEqual({ state: 'open', unconfirmed: 1 });
    unconfirmed = 0;
    expect(manager.status('main')).toEqual({ state: 'open' });
    await vi.waitFor(() => expect(manager.status('main')).toEqual({ state: 'closed' }));
  });
});

describe('tunnels', () => {
  it('describes the way to the backend', async () => {
    const createBackend = vi.fn<Options['createBackend']>(createFakeEngine().createBackend);
    const dialled = createFakeTunnel();
    const wrapped: Options['createBackend'] = async ({ dial, ...target }, signal) => {
      dial?.().destroy();
      return await createBackend({ ...target, ...(dial && { config: { ...target.config, user: 'dialled' } }) }, signal);
    };
    const { manager } = open({}, { createBackend: wrapped, createTunnel: async () => dialled }, [connection({ ssh: 'bastion' })]);
    await manager.acquire('main', never);
    expect(createBackend.mock.calls[0]?.[0]).toMatchObject({
      ...{ connectHost: 'fake.invalid', connectPort: 7, serverName: 'fake.invalid' },
      config: { user: 'dialled' },
    });
    expect(dialled.dialled).toEqual(['fake.invalid:7']);
    expect(manager.status('main')).toMatchObject({ state: 'open', tunnel: { state: 'ready' } });
  });

  it('reopens when the tunnel was lost, and closes the old one after its backend', async () => {
    const { manager, tunnels, events } = openTunnelled();
    const first = await manager.acquire('main', never);
    tunnels[0]?.lose();
    expect(manager.status('main')).toEqual({ state: 'closed' });
    const second = await manager.acquire('main', never);
    expect(second.backend).not.toBe(first.backend);
    expect(tunnels.map(({ closings }) => closings)).toEqual([0, 0]);
    first.release();
    await vi.waitFor(() => expect(tunnels.map(({ closings }) => closings)).toEqual([1, 0]));
    second.release();
    await manager.close('main');
    expect(events).toEqual(['tunnel closed', 'backend disposed', 'backend disposed', 'tunnel closed']);
  });

  it('reopens when the check before use finds the tunnel dead', async () => {
    const { manager, tunnels } = openTunnelled();
    const first = await manager.acquire('main', never);
    first.release();
    vi.spyOn(tunnels[0] ?? expect.fail(), 'ensureFresh').mockRejectedValue(new Error('no answer'));
    expect((await manager.acquire('main', never)).backend).not.toBe(first.backend);
    expect(tunnels).toHaveLength(2);
  });

  it('gives up after a second tunnel that died before use', async () => {
    const dying = vi.fn<Options['createTunnel']>(async () => {
      const tunnel = createFakeTunnel();
      setImmediate(() => tunnel.lose());
      return tunnel;
    });
    const slow: Options['createBackend'] = async ({ dial: _, ...target }, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return await createFakeEngine().createBackend(target, signal);
    };
    const { manager } = openTunnelled({ createTunnel: dying, createBackend: slow });
    await expect(manager.acquire('main', never)).rejects.toMatchObject({ kind: 'tunnel' });
    expect(dying).toHaveBeenCalledTimes(2);
  });

  it('does not keep a backend whose tunnel was lost while it was being opened', async () => {
    const lost = createFakeTunnel();
    vi.spyOn(lost, 'onClosed').mockImplementation((listener) => listener('lost already'));
    vi.spyOn(lost, 'ensureFresh').mockResolvedValue();
    const createTunnel = vi.fn<Options['createTunnel']>(async () => createFakeTunnel()).mockResolvedValueOnce(lost);
    const { manager } = openTunnelled({ createTunnel });
    for (let call = 0; call < 2; call += 1) await manager.acquire('main', never);
    expect(createTunnel).toHaveBeenCalledTimes(2);
    await vi.waitFor(() => expect(lost.closings).toBe(1));
  });

  it('leaves with the signal while the tunnel is checked, and gives the lease back', async () => {
    const { manager, tunnels, events } = openTunnelled();
    (await manager.acquire('main', never)).release();
    vi.spyOn(tunnels[0] ?? expect.fail(), 'ensureFresh').mockReturnValue(new Promise(() => undefined));
    await expect(manager.acquire('main', AbortSignal.timeout(20))).rejects.toMatchObject({ kind: 'timeout' });
    await manager.close('main');
    expect(events).toEqual(['backend disposed', 'tunnel closed']);
  });

  it('closes the tunnel when the backend does not open', async () => {
    const { engine, manager, tunnels } = openTunnelled({ createBackend: () => Promise.reject(new Error('refused')) });
    await expect(manager.acquire('main', never)).rejects.toThrow('refused');
    await vi.waitFor(() => expect(tunnels.map(({ closings }) => closings)).toEqual([1]));
    expect(engine.sessions).toBe(0);
  });

  it('only logs that an unused tunnel did not close', async () => {
    const stubborn = createFakeTunnel();
    vi.spyOn(stubborn, 'close').mockRejectedValue(new Error('stuck'));
    const createBackend = () => Promise.reject(new Error('refused'));
    const { manager, log } = openTunnelled({ createTunnel: async () => stubborn, createBackend });
    await expect(manager.acquire('main', never)).rejects.toThrow('refused');
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith('warn', 'tidying up failed', { error: 'stuck' }));
  });

  it('is not kept from closing a tunnel by a backend that does not end', async () => {
    const hanging: Options['createBackend'] = async ({ dial: _, ...target }, signal) =>
      await createFakeEngine({ dispose: 'hangs' }).createBackend(target, signal);
    const { manager, tunnels, log } = openTunnelled({ createBackend: hanging, limits: { disposeMs: 10, graceMs: 0 } });
    (await manager.acquire('main', never)).release();
    await manager.close('main');
    expect(tunnels.map(({ closings }) => closings)).toEqual([1]);
    expect(log).toHaveBeenCalledWith(
      'warn',
      'the backend did not close cleanly',
      expect.objectContaining({ connection: 'main' }),
    );
  });
});

describe('shutdown', () => {
  it('refuses new calls and ends openings', async () => {
    const { engine, manager } = open({ openMs: 60_000 });
    const waiting = manager.acquire('main', never);
    await vi.waitFor(() => expect(engine.openings).toBe(1));
    const done = manager.disposeAll();
    await expect(waiting).rejects.toMatchObject({ kind: 'cancelled', code: 'E_SHUTTING_DOWN' });
    await expect(manager.acquire('main', never)).rejects.toMatchObject({ code: 'E_SHUTTING_DOWN' });
    await done;
    expect(manager.disposeAll()).toBe(manager.disposeAll());
  });

  it('refuses a call that was still being looked up', async () => {
    const { engine, manager } = open();
    const early = manager.acquire('main', never);
    await Promise.all([expect(early).rejects.toMatchObject({ code: 'E_SHUTTING_DOWN' }), manager.disposeAll()]);
    expect(engine.openings).toBe(0);
  });

  it('gives running calls a grace, and takes the backend away after it', async () => {
    const { engine, manager } = open({}, { limits: { graceMs: 100 } });
    await manager.acquire('main', never);
    const done = manager.disposeAll();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(engine.sessions).toBe(1);
    await done;
    expect(engine.sessions).toBe(0);
  });

  it('does not wait for the grace when the calls end sooner', async () => {
    const { engine, manager } = open({}, { limits: { graceMs: 60_000 } });
    const lease = await manager.acquire('main', never);
    const done = manager.disposeAll();
    lease.release();
    await done;
    expect(engine.sessions).toBe(0);
  });

  it('ends in time although nothing closes', async () => {
    const stuck = createFakeTunnel();
    vi.spyOn(stuck, 'close').mockReturnValue(new Promise(() => undefined));
    const hanging: Options['createBackend'] = async ({ dial: _, ...target }, signal) =>
      await createFakeEngine({ dispose: 'hangs' }).createBackend(target, signal);
    const options = { createBackend: hanging, createTunnel: async () => stuck, limits: {} };
    const { manager } = open({}, options, [connection({ ssh: 'bastion' })]);
    await manager.acquire('main', never);
    vi.useFakeTimers();
    const done = manager.disposeAll();
    await vi.advanceTimersByTimeAsync(1_200);
    await done;
    expect(stuck.close).toHaveBeenCalledTimes(1);
  });

  it('logs what went wrong and throws nothing', async () => {
    const { manager, log } = open({ dispose: 'fails' });
    (await manager.acquire('main', never)).release();
    await manager.disposeAll();
    expect(log).toHaveBeenCalledWith('warn', 'the backend did not close cleanly', {
      connection: 'main',
      error: 'the engine is lost',
    });
  });
});

it('has no state for a connection that was never used', () => {
  expect(open().manager.status('main')).toEqual({ state: 'closed' });
});
